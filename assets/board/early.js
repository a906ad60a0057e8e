// What stands on the page until Gradio has made its own (leaderboard/html/early.py). It runs before anything is painted.

{
  const early = document.currentScript.parentElement;
  const opening = early.querySelector(".qb-first");
  const asked = new URLSearchParams(location.search);
  const scheme = asked.get("__theme"); // a Space names one, or "system"
  early.classList.toggle("dark", scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches));
  const tab = asked.get("tab") ?? (asked.has("board") ? "leaderboard" : globalThis.qbTabs[0]);
  for (const link of early.querySelectorAll("nav a")) {
    if (link.search === `?tab=${tab}`) link.setAttribute("aria-current", "page");
  }
  if (tab !== "overview") opening.remove();

  new MutationObserver((_changes, watching) => {
    const page = document.querySelector(tab === "overview" ? "#overview .qb-root" : ".gradio-container [role=tab]");
    if (!page) return;
    watching.disconnect();
    if (tab === "overview") page.replaceChildren(opening);
    early.remove();
  }).observe(document.body, { childList: true, subtree: true });
}
