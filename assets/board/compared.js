// mountCompared: the models that a link names, side by side on one board, where no server compares them.

import { el } from "./dom.js";
import { mountTable } from "./table.js";
import { listed } from "./text.js";
import { fromQuery } from "./view.js";

/** Show the comparison that the address asks for in `root`; `load(key)` resolves to the payload of a board. */
export async function mountCompared(root, index, load) {
  const view = fromQuery(new URLSearchParams(location.search));
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
  if (found.length) mountTable(place, only(payload, found), { view: { ...view, models: [] }, papers: index.papers });
}

/** A payload with its references and some of its models alone. */
function only(payload, models) {
  const rows = payload.ids.map((_, row) => row).filter((row) => row < payload.references || models.includes(payload.ids[row]));
  const width = payload.columns.length;
  const place = new Map(rows.map((row, i) => [row, i]));
  const pick = (values) => values && rows.map((row) => values[row]);
  const cells = (kept) => kept.filter((cell) => place.has(Math.floor(cell / width)))
    .map((cell) => place.get(Math.floor(cell / width)) * width + (cell % width));
  return {
    ...payload,
    ids: pick(payload.ids),
    models: Object.fromEntries(Object.entries(payload.models).map(([fact, values]) => [fact, pick(values)])),
    values: payload.values.map(pick),
    low: payload.low.map(pick),
    high: payload.high.map(pick),
    ranges: payload.ranges.map(pick),
    notes: payload.notes.map((note) => ({ ...note, cells: cells(note.cells) })).filter(({ cells: kept }) => kept.length),
    trained: cells(payload.trained),
    images_seen: payload.images_seen.flatMap(([cell, share]) => cells([cell]).map((kept) => [kept, share])),
    answers: payload.answers.map(([set, id, answers, kept]) => [set, id, answers, cells(kept)]),
    origins: pick(payload.origins),
    pending: { count: 0, newest: [] },
    partial: { count: 0, newest: [] },
  };
}
