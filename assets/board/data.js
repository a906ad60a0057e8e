// A payload as rows and columns, and the pure functions that pick, filter, sort and rank them.

import { addSourceRows } from "./sources.js";
import { FIXED_SORTS, KINDS } from "./view.js";

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Unpack a payload (see leaderboard/tables/payload.py), which stays as it is when rows are added. */
export function unpack(given) {
  const payload = structuredClone(given);
  const { ids, models, notes } = payload;
  const columns = payload.columns.map((column, index) => ({
    ...column,
    index,
    values: payload.values[index] ?? ids.map(() => null),
    low: payload.low[index],
    high: payload.high[index],
    ranges: payload.ranges[index],
    flagged: false,
    trained: false,
    seen: false,
  }));
  const noted = new Map();
  for (const { kind, text, recomputed, cells } of notes) {
    const note = { kind, text, recomputed };
    for (const cell of cells) {
      noted.set(cell, note);
      if (kind === "flag") columns[cell % columns.length].flagged = true;
    }
  }
  const trained = new Set(payload.trained);
  for (const cell of trained) columns[cell % columns.length].trained = true;
  const seen = new Map(payload.images_seen);
  for (const cell of seen.keys()) columns[cell % columns.length].seen = true;
  for (const column of columns) column.marked = column.flagged || column.trained || column.seen;
  const read = new Map(payload.answers.flatMap(([set, id, answers, cells]) => cells.map((cell) => [cell, { set, id, answers }])));
  const all = ids.map((_, row) => row);
  const data = {
    ...payload,
    columns,
    /**
     * What is said of a figure, undefined where nothing is: a `note`; whether the model was `trained` on its data; the share of
     * the images `seen`, on which it was tuned without their scores, null where it is not known; where its `answers` are.
     */
    told(row, { index }) {
      const cell = row * columns.length + index;
      return { note: noted.get(cell), trained: trained.has(cell), seen: seen.get(cell), answers: read.get(cell) };
    },
    references: all.slice(0, payload.references),
    ranked: all.slice(payload.references),
    kinds: payload.origins.map((origins) => KINDS.filter((kind) => origins.some((origin) => origin.shown && origin.kind === kind))),
    searched: ids.map((id, row) =>
      [id, models.name[row], models.organisation[row], models.language[row], models.vision[row]]
        .filter(Boolean).join(" ").toLowerCase()),
    /** Row that one source of another row fills -> the place of that source. */
    places: new Map(),
    /** The same row -> the row that ranks. */
    parents: new Map(),
  };
  data.sourceRows = addSourceRows(data);
  return data;
}

/** A list without an item that it has, or with one that it does not have. */
export const toggled = (list, item) => (list.includes(item) ? list.filter((one) => one !== item) : [...list, item]);

/** Whether a column is on show: `hidden` names those taken away and, of the optional ones, those brought in. */
export const isOnShow = ({ key, optional }, view) => view.hidden.includes(key) === optional;

/** Columns of the chosen metric and part that are on show. */
export function shownColumns(data, view) {
  return choosableColumns(data, view).filter((column) => isOnShow(column, view));
}

/** Columns of the chosen metric and part. */
export function choosableColumns(data, view) {
  const metricView = data.views.find(({ key }) => key === view.metric) ?? data.views[0];
  return data.columns.filter((column) =>
    metricView.metrics.includes(column.metric) && (view.part === "all" || column.parts.includes(view.part))
    && !(view.untrained && column.in_training));
}

/** The view as it can be seen: a column that is not shown sorts nothing. */
export function withShownSort(data, view) {
  const seen = !view.sort || FIXED_SORTS.includes(view.sort) || shownColumns(data, view).some(({ key }) => key === view.sort);
  return seen ? view : { ...view, sort: "", reverse: false };
}

/** The column that ranks: the column sorted by, else the board's own as long as it is shown; never one in training. */
export function rankingColumn(data, columns, view) {
  const able = columns.filter((column) => column.direction !== "neither" && !column.in_training);
  return able.find((column) => column.key === view.sort)
    ?? able.find((column) => column.parts.includes(data.primary)) ?? able[0] ?? null;
}

/** Whether a filter may leave rows out; a search hides rows and changes nothing about the others. */
const isFiltered = (view) =>
  Boolean(view.weights || view.untrained || view.sources.length || Object.keys(view.facets).length
    || [...view.size, ...view.released].some((bound) => bound !== null));

/** The words of a search. */
export const termsOf = (search) => search.toLowerCase().split(/\s+/).filter(Boolean);

/** Those of some rows that a search finds. */
export function searchRows(data, rows, search) {
  const terms = termsOf(search);
  return terms.length ? rows.filter((row) => terms.every((term) => data.searched[row].includes(term))) : rows;
}

/** Ranked models that pass the filters. */
function filterRows(data, view) {
  const { open, parameters, released } = data.models;
  const facets = Object.entries(view.facets);
  const learnt = view.untrained ? trainedRows(data, shownColumns(data, view)) : null;
  const within = (value, [low, high]) =>
    (low === null && high === null)
    || (value !== null && (low === null || value >= low) && (high === null || value <= high));
  return data.ranked.filter((row) =>
    (!view.weights || open[row] === (view.weights === "open"))
    && within(parameters[row], view.size)
    && within(released[row], view.released)
    && (!view.sources.length || data.kinds[row].some((kind) => view.sources.includes(kind)))
    && !learnt?.has(row)
    && facets.every(([name, value]) => data.models[name][row] === value));
}

/** Rows whose model was trained on the data of any of these columns. */
export function trainedRows(data, columns) {
  const places = new Set(columns.map((column) => column.index));
  return new Set(data.trained.filter((cell) => places.has(cell % data.columns.length))
    .map((cell) => Math.floor(cell / data.columns.length)));
}

/** Rows in the order of the view; rows without a figure come last whichever way it sorts. */
export function sortRows(data, rows, view, ranking) {
  const { name, parameters, released } = data.models;
  const column = data.columns.find(({ key }) => key === view.sort) ?? ranking;
  const [values, compare] = {
    model: [name, collator.compare],
    size: [parameters, (a, b) => b - a],
    released: [released, (a, b) => (a < b ? 1 : a > b ? -1 : 0)],
  }[view.sort] ?? [column?.values ?? [], column?.direction === "lower" ? (a, b) => a - b : (a, b) => b - a];
  const missing = (row) => values[row] === null || values[row] === undefined;
  const sign = view.reverse ? -1 : 1;
  const sorted = rows.filter((row) => !missing(row)).sort((a, b) => sign * compare(values[a], values[b]) || a - b);
  return [...sorted, ...rows.filter(missing)];
}

/** Row -> rank among these rows, the best first; ties share the better rank, rows without a figure have none. */
export function rankRows(rows, column) {
  const ranks = new Map();
  if (!column) return ranks;
  const sign = column.direction === "lower" ? 1 : -1;
  const sorted = rows.filter((row) => column.values[row] !== null)
    .sort((a, b) => sign * (column.values[a] - column.values[b]));
  sorted.forEach((row, i) => {
    const tied = i > 0 && column.values[row] === column.values[sorted[i - 1]];
    ranks.set(row, tied ? ranks.get(sorted[i - 1]) : i + 1);
  });
  return ranks;
}

/** The best and second-best value of a column among these rows; null where there is none. */
export function leaders(rows, column) {
  if (column.direction === "neither" || column.in_training) return { best: null, second: null };
  const values = new Set(rows.map((row) => column.values[row]).filter((value) => value !== null));
  const sign = column.direction === "lower" ? 1 : -1;
  const [best = null, second = null] = [...values].sort((a, b) => sign * (a - b));
  return { best, second };
}

/** Everything a table shows, worked out once for one view. */
export function arrange(data, view) {
  const columns = shownColumns(data, view);
  const ranking = rankingColumn(data, columns, view);
  const filtered = isFiltered(view);
  const compared = filtered ? filterRows(data, view) : data.ranked;
  const found = searchRows(data, compared, view.search);
  const sorted = sortRows(data, found, view, ranking);
  const ranks = rankRows(compared, ranking);
  const shown = new Set(found);
  return {
    view,
    columns,
    ranking,
    filtered,
    rows: view.allSources ? sorted.flatMap((row) => [row, ...(data.sourceRows.get(row) ?? [])]) : sorted,
    models: found.length,
    ranks,
    /** Rows in view that have a rank, the best first. */
    best: [...ranks.keys()].filter((row) => shown.has(row)),
    leaders: new Map(columns.map((column) => [column, leaders(compared, column)])),
    ranges: filtered ? null : ranking?.ranges ?? null,
    hidden: data.ranked.length - found.length,
  };
}
