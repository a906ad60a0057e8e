// mountOverview: the charts of the Overview page, below what comes with it (leaderboard/html/overview.py).

import { makeChoice } from "./board.js";
import { mountChart } from "./chart.js";
import { el, fetching, firstShown, isShown, markup } from "./dom.js";
import { asked, whenReturned, writeOwn } from "./history.js";
import { fromQuery, tabOf } from "./view.js";

/**
 * Show the overview in `root`.
 *
 * `load(name)` fetches one of the files of leaderboard/data_files.py; `plotly` is the address of that script.
 */
export async function mountOverview(root, load, plotly) {
  const [all, index] = await Promise.all([opened(root).then(() => load("overview")), load("index")]);
  const keys = index.boards.map(({ key }) => key);
  const choice = makeChoice(index.boards, fromQuery(asked()).board, (key) => show(key));
  const charts = el("div", { "aria-live": "polite" });
  const habits = el("section", { class: "qb-block" }, markup(all.habits));
  const fetched = fetching(root, charts, "This board");
  const between = el("div");
  const here = root.querySelector(".qb-first");
  const first = here?.dataset.revision === all.revision ? here : markup(all.opening);
  root.classList.add("qb", "qb-page", "qb-overview");
  if (first !== here) root.replaceChildren(first);
  root.append(choice, charts, between, habits);
  let whole = true;
  whenReturned(root, "overview", (query) => show(boardOf(query), true), () => {
    if (!whole) remember(choice.value, false);
    whole = false; // the page is as its address asked
  });
  await show(boardOf(asked()), true);
  await draw(between, all.charts, "boards");

  async function show(key, restored = false) {
    choice.value = key;
    if (!restored) remember(key, true);
    await fetched(load(`overview-${key}`), async (board) => {
      await draw(charts, board.charts, key);
      if (board.empty) charts.append(el("p", { class: "qb-empty" }, board.empty));
    });
  }

  function draw(place, blocks, name) {
    const places = blocks.map(() => el("section", { class: "qb-block" }));
    place.replaceChildren(...places);
    return Promise.all(blocks.map((block, i) => mountChart(places[i], block, plotly, `${name}-${block.key}`)));
  }

  /** The first board needs no name in the address. */
  function remember(key, step) {
    writeOwn(root, { tab: "overview", board: key === keys[0] ? "" : key }, step);
  }

  function boardOf(query) {
    const { board } = fromQuery(query);
    return tabOf(query) === "overview" && keys.includes(board) ? board : keys[0];
  }
}

/** When the page is first seen. The first tab is open for a moment whichever the address names: that does not count. */
async function opened(root) {
  if (tabOf(asked()) !== "overview" && !window.qbTabsRead) {
    await new Promise((resolve) => { window.addEventListener("qb-tabs-read", resolve, { once: true }); });
  }
  if (!isShown(root)) await firstShown(root);
}
