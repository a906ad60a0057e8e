// mountOverview: the Overview page. Chooses a board; sentences first, then the charts as Plotly arrives.

import { makeChoice } from "./board.js";
import { mountChart } from "./chart.js";
import { el, firstShown, isShown, markup } from "./dom.js";
import { whenReturned, writeOwn } from "./history.js";
import { count } from "./text.js";
import { serveTooltips } from "./tooltip.js";
import { fromQuery, tabOf } from "./view.js";

/**
 * Show the overview in `root`.
 *
 * `load` has `index()` (see Snapshot.index), `board(key)` (see board_json in leaderboard/html/overview.py),
 * `between()` (see between_json in leaderboard/html/between_boards.py), and `plotly`, the address of its script.
 */
export async function mountOverview(root, load) {
  await opened(root);
  const index = await load.index();
  const asked = fromQuery(new URLSearchParams(location.search)).board;
  const keys = index.boards.map(({ key }) => key);
  const choice = makeChoice(index.boards, asked, () => show(choice.value));
  const told = el("div", { class: "qb-told", "aria-live": "polite" });
  const charts = el("div");
  const between = el("div");
  const habits = el("section", { class: "qb-block" });
  root.classList.add("qb", "qb-page", "qb-overview");
  root.replaceChildren(
    el("header", { class: "qb-header" },
      el("h2", {}, "Low-level vision of multimodal models"),
      el("p", { class: "qb-quiet" }, `${count(index.models, "model")} · data as of ${index.as_of}`)),
    choice,
    told, markup(index.own_photos ?? ""), charts, habits, between);
  serveTooltips(root);
  let first = true;
  whenReturned(root, "overview", (query) => show(boardOf(query), true), () => {
    if (!first) remember(choice.value, false);
    first = false; // the page is as its address asked
  });
  await show(boardOf(new URLSearchParams(location.search)), true);
  const all = await load.between();
  habits.replaceChildren(markup(all.habits));
  await draw(between, all.charts, "boards");

  async function show(key, restored = false) {
    choice.value = key;
    if (!restored) remember(key, true);
    root.setAttribute("aria-busy", "true");
    const board = await load.board(key).catch(() => null);
    root.removeAttribute("aria-busy");
    if (choice.value !== key) return; // another board was chosen meanwhile
    if (!board) {
      charts.replaceChildren(el("p", { class: "qb-empty", role: "alert" }, "This board could not be fetched. Reload the page to try again."));
      return;
    }
    told.innerHTML = board.sentences; // made and escaped by leaderboard/html
    await draw(charts, board.charts, key);
    if (board.empty) charts.append(el("p", { class: "qb-empty" }, board.empty));
  }

  function draw(place, blocks, name) {
    const places = blocks.map(() => el("section", { class: "qb-block" }));
    place.replaceChildren(...places);
    return Promise.all(blocks.map((block, i) => mountChart(places[i], block, load.plotly, `${name}-${block.key}`)));
  }

  /** The first board needs no name in the address. */
  function remember(key, step) {
    writeOwn({ tab: "overview", board: key === keys[0] ? "" : key }, step);
  }

  function boardOf(query) {
    const { board } = fromQuery(query);
    return tabOf(query) === "overview" && keys.includes(board) ? board : keys[0];
  }
}

/** When the page is first seen. The first tab is open for a moment whichever the address names: that does not count. */
async function opened(root) {
  if (tabOf(new URLSearchParams(location.search)) !== "overview" && !window.qbTabsRead) {
    await new Promise((resolve) => { window.addEventListener("qb-tabs-read", resolve, { once: true }); });
  }
  if (!isShown(root)) await firstShown(root);
}
