// The static site: the pages that ask no model, with data fetched as files.

import { mountAnswers } from "./answers.js";
import { mountBias } from "./bias.js";
import { mountBoards } from "./board.js";
import { mountCompared } from "./compared.js";
import { el, loadScript } from "./dom.js";
import { asked } from "./history.js";
import { mountModel } from "./model.js";
import { mountOverview } from "./overview.js";
import { serveTooltips } from "./tooltip.js";
import { tabOf } from "./view.js";

const PAGES = { overview: "Overview", leaderboard: "Leaderboard", model: "Model", compare: "Compare", bias: "Bias", answers: "Answers", about: "About" };
const shown = (globalThis.qbTabs ?? []).filter((key) => key in PAGES);
globalThis.qbTabs = shown.length ? shown : Object.keys(PAGES);
const root = document.getElementById("board");
const page = Object.keys(PAGES).find((key) => key === tabOf(asked())) ?? "leaderboard";

const plotly = new URL("board/plotly.min.js", document.baseURI).href;

/** Data are in scripts, since a page that was opened as a file can fetch nothing. */
async function get(name) {
  await loadScript(`data/${name}.js`);
  return qbData[name];
}

/** The page of one model, which has a file of its own. */
async function modelPage(id) {
  const found = (await get("models")).find((listed) => listed.id === id);
  return found ? get(found.file) : { missing: `No model on a board goes by the name '${id}'; choose one of the list.` };
}

async function about() {
  root.innerHTML = await get("about");
  if (location.hash) document.getElementById(location.hash.slice(1).replace(/^(h-)?/, "h-"))?.scrollIntoView();
}

root.before(el("nav", { class: "qb-nav", "aria-label": "Pages" }, globalThis.qbTabs.map((key) =>
  el("a", { href: `?tab=${key}`, "aria-current": key === page ? "page" : null }, PAGES[key])),
  el("a", { href: "feed.xml", type: "application/atom+xml" }, "New results (Atom)")));
serveTooltips();
try {
  await {
    overview: () => mountOverview(root, get, plotly),
    leaderboard: async () => mountBoards(root, await get("index"), get),
    model: () => mountModel(root, { index: () => get("models"), model: modelPage, plotly, link: null }),
    compare: async () => mountCompared(root, await get("index"), get),
    bias: () => mountBias(root, { bias: () => get("bias"), plotly, link: null }),
    answers: () => mountAnswers(root, { index: () => get("answers"), set: (key) => get(`answers-${key}`), photo: () => null, link: null }),
    about,
  }[page]();
} catch (fault) {
  console.error(fault);
  root.textContent = "The page could not be loaded. Reload it to try again.";
}
