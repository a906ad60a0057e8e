// The rows. Of a long board more are drawn whenever the last of them comes near the window.

import { authored, button, el, whenNear } from "./dom.js";
import { compareLink, tickBox } from "./ticks.js";
import { MARKS, figure, halfWidth, size, weights } from "./text.js";

const AT_ONCE = 80; // more than any board of the papers has

/** Show rows in `table`, inside `frame`; returns {show(arranged, keepPlace)}. */
export function makeBody(frame, table, data, onSource, change) {
  const references = el("tbody", { class: "qb-references" });
  const body = el("tbody");
  const end = el("div");
  table.append(references, body);
  frame.append(end);
  let arranged = null;

  /** `position` counts from the first ranked row; references stand before it, at negative positions. */
  const make = (row, position) =>
    makeRow(data, arranged, row, table.tHead.rows.length + data.references.length + position + 1, onSource, change);

  function draw(count) {
    const from = body.rows.length;
    body.append(...arranged.rows.slice(from, from + count).map((row, i) => make(row, from + i)));
  }

  whenNear(end, () => {
    draw(AT_ONCE);
    return body.rows.length < arranged.rows.length;
  });

  return {
    show(next, keepPlace) {
      const drawn = keepPlace ? body.rows.length : 0;
      arranged = next;
      if (!keepPlace && frame.getBoundingClientRect().top < 0) frame.scrollIntoView();
      table.classList.toggle("qb-without-spread", !next.ranges);
      table.setAttribute("aria-rowcount", data.references.length + next.rows.length + table.tHead.rows.length);
      references.replaceChildren(...data.references.map((row, i) => make(row, i - data.references.length)));
      body.replaceChildren();
      draw(Math.max(AT_ONCE, drawn));
    },
  };
}

function makeRow(data, arranged, row, index, onSource, change) {
  const { columns, hidden, ranks, ranges, ranking, leaders } = arranged;
  const { name, parameters, open, released } = data.models;
  const isReference = row < data.references.length;
  const place = data.places.get(row);
  const ranked = !isReference && place === undefined;
  const range = ranges?.[row];
  const facts = [size(parameters[row]), weights(open[row]), released[row]];
  return el(
    "tr",
    { "aria-rowindex": index, class: place !== undefined && "qb-one-source", data: { id: data.ids[row] } },
    el("td", { class: "qb-pick" }, ranked && tickBox(data, row, arranged.view, change)),
    ranks.has(row)
      ? el("td", { class: "qb-rank" }, ranks.get(row), hidden > 0 && el("span", { class: "qb-of" }, ` of ${ranks.size}`), range && el("small", { "aria-hidden": true }, `${range[0]}–${range[1]}`))
      : el("td", { class: "qb-rank", "aria-label": isReference ? "reference, not ranked" : place === undefined ? "no figure, not ranked" : "one source, not ranked" }, "–"),
    el("td", { class: "qb-spread" }, range ? `${range[0]}–${range[1]}` : ""),
    el(
      "th",
      { scope: "row", class: "qb-model" },
      place === undefined ? modelLink(data.ids[row], name[row]) : authored(`↳ ${place}`, { title: place, "aria-label": name[row] }),
      place === undefined && el("small", { "aria-hidden": true }, facts.filter(Boolean).join(" · ")),
    ),
    facts.map((fact) => el("td", { class: "qb-fact" }, place === undefined ? fact ?? "" : "")),
    columns.map((column) => makeFigure(data, row, column, isReference || place !== undefined ? null : leaders.get(column), column === ranking)),
    el("td", { class: "qb-source" }, sourceButton(name[row], data.kinds[row], () => onSource(row)), ranked && compareLink(data, arranged, row)),
  );
}

/** A name leads to the model's own page. */
const modelLink = (id, name) => el("a", { href: `?${new URLSearchParams({ tab: "model", model: id })}`, class: "qb-name" }, authored(name, { title: name }));

/**
 * One figure; its interval stands beside it in the column that ranks, elsewhere it is in the tip.
 * Tips sit on the cell itself: a long board has thousands, and every element costs layout.
 */
function makeFigure(data, row, column, leaders, isRanking) {
  const value = column.values[row];
  const { note, trained, seen, answers } = data.told(row, column);
  if (value === null) {
    const why = `no figure: ${note?.text ?? "not reported"}`;
    return el("td", { class: "qb-figure qb-missing", tabindex: 0, "aria-label": why, data: { tip: why } }, "–", slots(column, isRanking));
  }
  const low = column.low?.[row] ?? null;
  const tip = [
    low !== null && `95 % interval ${figure(low, column)} to ${figure(column.high[row], column)}.`,
    note && `${note.text.replace(/\.$/, "")}.`,
    recomputed(note, column),
    trained && (column.average ? "The model was trained on data that this averages." : "The model was trained on this dataset."),
    column.in_training && !trained && !column.average && "The source does not say whether the model was trained on this dataset.",
    seen !== undefined && `The model was tuned on text about ${imagesOf(seen, column)}, not on their scores.`,
    answers && `Open it to read all ${answers.answers.toLocaleString("en")} answers.`,
  ].filter(Boolean).join(" ");
  const shown = figure(value, column);
  const marks = marksOf({ note, trained, seen });
  const link = answers && el("a", { href: `?${new URLSearchParams({ tab: "answers", of: answers.set, by: answers.id })}`, "aria-label": `${shown}: read all ${answers.answers} answers` }, shown);
  const emphasis = value === leaders?.best ? "strong" : value === leaders?.second ? "u" : null;
  return el(
    "td",
    {
      class: column.in_training ? "qb-figure qb-in-training" : "qb-figure",
      tabindex: marks || note ? 0 : null,
      "aria-label": marks || note ? `${shown}. ${tip}` : null,
      data: { tip: tip || null },
    },
    emphasis ? el(emphasis, {}, link ?? shown) : link ?? shown,
    slots(column, isRanking, marks, low === null ? "" : halfWidth(low, column.high[row], column)),
  );
}

/** What stands behind a figure: trained on these data, on these images without their scores, with a remark. */
export const marksOf = ({ note, trained, seen }, dagger = "†") =>
  `${trained ? "t" : ""}${seen === undefined ? "" : "i"}${note?.kind === "flag" ? dagger : ""}`;

/** How many of a dataset's images a model has seen. */
function imagesOf(share, column) {
  if (column.average) return "images of data that this averages";
  return share === null ? "some of these images" : `${(100 * share).toFixed(0)} % of these images`;
}

/** Our own value beside a remark that does not name it. */
export function recomputed(note, column) {
  const value = note?.recomputed == null ? "" : figure(note.recomputed, column);
  return value && !note.text.includes(value) ? `Recomputed: ${value}.` : "";
}

/** Fixed places behind the figure, so that decimals stay aligned whether or not they are used. */
const slots = (column, isRanking, flag = "", interval = "") => [
  column.marked && el("sup", { class: "qb-flag", "aria-hidden": true }, flag),
  isRanking && column.low && el("small", { class: column.unit === "%" ? "qb-interval" : "qb-interval qb-interval-of-three" }, interval),
];

/** Opens the sources of a model's figures, which are of these kinds. */
export function sourceButton(name, kinds, open) {
  const words = kinds.map((kind) => MARKS[kind].words).join(", ");
  return button(kinds.map((kind) => MARKS[kind].mark).join(""), open, {
    class: "qb-mark",
    "aria-label": `Sources of ${name}: ${words}`,
    data: { tip: `Source: ${words}. Open for the exact place.` },
  });
}
