// mountCompared: the models that a link names, side by side on one board, where no server compares them.

import { el } from "./dom.js";
import { mountTable } from "./table.js";
import { listed } from "./text.js";
import { asked } from "./history.js";
import { fromQuery } from "./view.js";

/** Show the comparison that the address asks for in `root`; `load(key)` resolves to the payload of a board. */
export async function mountCompared(root, index, load) {
  const view = fromQuery(asked());
  const board = index.boards.find(({ key }) => key === view.board) ?? index.boards[0];
  const payload = await load(board.key);
  const found = view.models.filter((id) => payload.ids.includes(id));
  const place = el("div");
  root.classList.add("qb");
  root.replaceChildren(
    el("header", { class: "qb-header" }, el("h1", {}, "Compare"), el("p", { class: "qb-quiet" }, `data as of ${index.as_of}`)),
    el("p", { class: "qb-sentence" }, found.length
      ? `${listed(found.map((id) => payload.models.name[payload.ids.indexOf(id)]))} on ${board.title}. Spread says which ranks each can claim among all models there; that two differ by more than chance is tested in the app alone. `
      : `The address names no model that is on ${board.title}. `,
    el("a", { href: `?${new URLSearchParams({ tab: "leaderboard", board: board.key, models: found.join(",") })}` }, "Choose others on the board")),
    place);
  if (found.length) mountTable(place, payload, { view: { ...view, models: [] }, papers: index.papers, only: found });
}
