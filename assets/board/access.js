// Mends what Gradio leaves unnamed, or out of reach of the keyboard; and shows the tips of what is not on a board.

import { serveTooltips } from "./tooltip.js";

const SCROLLS = ".qb-prose :is(pre, .qb-formula)";

/** A name is what is seen; a picture's is its file's. */
function mend() {
  for (const button of document.querySelectorAll(".upload-container[aria-label]")) button.removeAttribute("aria-label");
  for (const button of document.querySelectorAll(".gallery-item:not([aria-label])")) {
    const picture = button.querySelector("img");
    if (picture) button.ariaLabel = `Example ${decodeURIComponent(picture.src).split("/").at(-1).replace(/\.\w+$/, "")}`;
  }
  for (const row of document.querySelectorAll("#pair-examples tbody tr:not([tabindex])")) { // rows that only a click chooses
    row.tabIndex = 0;
    row.ariaLabel = "Take this pair of examples";
    row.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      row.click();
    });
  }
  for (const group of document.querySelectorAll("fieldset:has(input[type=radio])")) { // so that arrow keys go through it
    const [first, ...others] = group.querySelectorAll("input[type=radio]");
    for (const other of others) if (other.name !== first.name) other.name = first.name;
  }
  for (const remove of document.querySelectorAll(".token .token-remove")) {
    const name = `Remove ${remove.closest(".token").textContent.trim()}`;
    if (remove.title !== name) remove.title = name; // and not by its number
  }
  const first = document.querySelector("#pair-model input")?.value;
  for (const token of document.querySelectorAll("#pair-others .token")) { // it is asked in any case; taking it out would ask all anew
    token.style.display = token.textContent.trim() === first ? "none" : "";
  }
  for (const empty of document.querySelectorAll(".empty[aria-label]:not([role])")) empty.role = "img";
  for (const part of document.querySelectorAll(SCROLLS)) part.tabIndex = 0;
}

let waiting = false;
new MutationObserver(() => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    mend();
  });
}).observe(document, { childList: true, subtree: true });

serveTooltips();
