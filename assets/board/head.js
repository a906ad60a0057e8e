// The head of the table: fixed columns, then figures under the part and dataset they belong to.

import { button, el, hiddenText } from "./dom.js";
import { ARROWS, reading, readingSentence } from "./text.js";

const FIXED = [
  { label: "", className: "qb-pick", aloud: "tick to compare" },
  { sort: "", label: "#", className: "qb-rank" },
  { label: "spread", className: "qb-spread", tip: "Ranks possible at 95 % confidence, corrected for testing all pairs of models; blank if the number of questions is unknown." },
  { sort: "model", label: "model", className: "qb-model" },
  { sort: "size", label: "size", className: "qb-fact", tip: "Billions of parameters, from the model's name or its language model's." },
  { label: "weights", className: "qb-fact" },
  { sort: "released", label: "released", className: "qb-fact" },
];

/** Levels of heads above the figures: part, label and metric, each only where it tells columns apart. */
export function levels(columns) {
  const parts = Map.groupBy(columns, ({ parts: [part] }) => part);
  const labels = (part) => new Set(parts.get(part).map(({ label }) => label)).size;
  return {
    part: [...parts.keys()].some((part) => labels(part) > 1),
    metric: [...parts].some(([part, members]) => labels(part) < members.length),
    /** Whether a part's only label says as much as the part. */
    alone: (part) => labels(part) === 1,
  };
}

/** `<thead>` for an arrangement; `onSort(key)` is called with the column to sort by. */
export function makeHead(data, arranged, onSort) {
  const { columns } = arranged;
  const level = levels(columns);
  const depth = 1 + level.part + level.metric;
  const rows = Array.from({ length: depth }, () => el("tr"));
  for (const fixed of FIXED) rows[0].append(fixedHead(fixed, arranged, depth, onSort));
  const partOf = (key) => data.parts.find((part) => part.key === key) ?? { label: key };
  const runs = (items, key) => items.reduce((out, item) => {
    const last = out.at(-1);
    if (last && key(last[0]) === key(item)) last.push(item);
    else out.push([item]);
    return out;
  }, []);
  for (const ofPart of runs(columns, (column) => column.parts[0])) {
    let row = 0;
    const alone = level.part && level.alone(ofPart[0].parts[0]);
    if (level.part && !alone) rows[row++].append(groupHead(partOf(ofPart[0].parts[0]), ofPart.length));
    const span = depth - row - level.metric;
    for (const ofLabel of runs(ofPart, (column) => column.label)) {
      if (level.metric) {
        rows[row].append(groupHead({ label: ofLabel[0].label }, ofLabel.length, span));
        for (const column of ofLabel) rows[depth - 1].append(figureHead(column, column.name, 1, arranged, onSort));
      } else {
        rows[row].append(figureHead(ofLabel[0], ofLabel[0].label, span, arranged, onSort));
      }
    }
  }
  rows[0].append(el("th", { scope: "col", rowspan: depth, class: "qb-source" }, "source"));
  return el("thead", {}, rows);
}

const tipped = (label, tip) => el("span", tip ? { tabindex: 0, data: { tip } } : {}, label);

const groupHead = ({ label, tip }, columns, rows = 1) =>
  el("th", { scope: "colgroup", colspan: columns, rowspan: rows, class: "qb-group" }, tipped(label, tip));

/** Size and date start with the largest and newest, like figures; ranks and names from the top. */
function fixedHead({ sort, label, className, tip, aloud }, { filtered, ranking, view }, rows, onSort) {
  const order = sort === view.sort ? direction(sort === "size" || sort === "released", view) : null;
  const ranks = `Rank by ${ranking ? ranking.label : "nothing"}${filtered ? ", among the models that pass the filters" : ""}.`;
  return el("th", { scope: "col", rowspan: rows, class: className, "aria-sort": order }, sort === undefined
    ? [tipped(label, tip), aloud && hiddenText(aloud)]
    : sortButton(label, className === "qb-rank" ? ranks : tip, order !== null, order, () => onSort(sort)));
}

const direction = (falls, { reverse }) => (falls !== reverse ? "descending" : "ascending");

function figureHead(column, label, rows, { view, ranking }, onSort) {
  const order = view.sort === column.key ? direction(column.direction !== "lower", view) : null;
  const sorted = order !== null || (view.sort === "" && column === ranking);
  return el(
    "th",
    {
      scope: "col",
      rowspan: rows,
      class: column.in_training ? "qb-figure qb-in-training" : "qb-figure",
      "aria-sort": order,
      data: { key: column.key },
    },
    sortButton([column.in_training && "◌\u00a0", label, "\u00a0", el("span", { class: "qb-arrow", "aria-hidden": true }, ARROWS[column.direction])],
      `${column.description} ${readingSentence(column)}`.trim(), sorted, order, () => onSort(column.key), reading(column)),
  );
}

function sortButton(label, tip, marked, order, onClick, aloud = "") {
  return button([
    el("span", {}, label),
    aloud && hiddenText(` ${aloud}`),
    order && el("span", { class: "qb-order", "aria-hidden": true }, order === "ascending" ? "▴" : "▾"),
  ], onClick, { class: marked ? "qb-sort qb-sorted" : "qb-sort", data: { tip } });
}
