// The static site: the overview and the boards, fetched as files.

import { mountBoards } from "./board.js";
import { el } from "./dom.js";
import { mountOverview } from "./overview.js";
import { tabOf } from "./view.js";

const PAGES = { overview: "Overview", leaderboard: "Leaderboard" };
const root = document.getElementById("board");
const asked = tabOf(new URLSearchParams(location.search));
const page = asked in PAGES ? asked : "leaderboard";

async function get(name) {
  const answer = await fetch(new URL(`../data/${name}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.json();
}

root.before(el("nav", { class: "qb-nav", "aria-label": "Pages" }, Object.entries(PAGES).map(([key, label]) =>
  el("a", { href: `?tab=${key}`, "aria-current": key === page ? "page" : null }, label)),
el("a", { href: "feed.xml", type: "application/atom+xml" }, "New results (Atom)")));
try {
  if (page === "overview") {
    await mountOverview(root, {
      index: () => get("index"),
      board: (key) => get(`overview-${key}`),
      between: () => get("overview"),
      plotly: new URL("plotly.min.js", import.meta.url).href,
    });
  } else await mountBoards(root, await get("index"), get);
} catch (fault) {
  console.error(fault);
  root.textContent = "The page could not be loaded. Reload it to try again.";
}
