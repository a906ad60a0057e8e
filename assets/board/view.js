// What a visitor is looking at, and its form as the query of a link. The twin of leaderboard/look.py.

const LONGEST_TEXT = 200;
const MOST_QUERY_ITEMS = 100;
export const KINDS = ["paper", "rescored", "live", "self-reported"];
/** What a table can be sorted by besides its columns; empty is by rank. */
export const FIXED_SORTS = ["model", "size", "released"];
export const OWN_PARAMETERS = /^(tab|board|model|metric|part|sort|order|q|weights|size|released|source|hide|models|untrained|rows|radar|chart|pairs|questions|of|by|show|item|[fg]\..*)$/;

const text = (value) => value.slice(0, LONGEST_TEXT);
const items = (value) =>
  value.split(",").slice(0, MOST_QUERY_ITEMS).filter((item) => item && item.length <= LONGEST_TEXT);

export const number = (value) => (/^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : null);
export const month = (value) => (/^\d{4}-(0[1-9]|1[0-2])$/.test(value) ? value : null);

/** Two ends of a range, each null where it is open. */
const range = (read) => (value) => {
  const at = value.indexOf("..");
  return at < 0 ? [read(value), null] : [read(value.slice(0, at)), read(value.slice(at + 2))];
};
const span = ([low, high]) => (low === null && high === null ? "" : `${low ?? ""}..${high ?? ""}`);

/** Each part of a view: its parameter, how that is read, and how it is written; what is as usual needs no word. */
const PARAMETERS = {
  board: ["board", text, String],
  metric: ["metric", text, String],
  part: ["part", (value) => text(value) || "all", (part) => (part === "all" ? "" : part)],
  sort: ["sort", text, String],
  reverse: ["order", (value) => value === "reverse", (reverse) => (reverse ? "reverse" : "")],
  search: ["q", text, String],
  weights: ["weights", (value) => (["open", "closed"].includes(value) ? value : ""), String],
  size: ["size", range(number), span],
  released: ["released", range(month), span],
  sources: ["source", (value) => items(value).filter((kind) => KINDS.includes(kind)), String],
  untrained: ["untrained", (value) => value === "1", (untrained) => (untrained ? "1" : "")],
  allSources: ["rows", (value) => value === "all", (allSources) => (allSources ? "all" : "")],
  hidden: ["hide", items, String], // and, of the optional columns, those brought in
  models: ["models", items, String],
};

/** The view a query asks for; what cannot be understood is ignored. */
export function fromQuery(query) {
  const parts = Object.entries(PARAMETERS).map(([part, [name, read]]) => [part, read(query.get(name) ?? "")]);
  const facets = [...query].slice(0, MOST_QUERY_ITEMS).filter(([name, value]) => name.startsWith("f.") && name.length > 2 && value);
  return { ...Object.fromEntries(parts), facets: Object.fromEntries(facets.map(([name, value]) => [name.slice(2), text(value)])) };
}

export const DEFAULT_VIEW = Object.freeze(fromQuery(new URLSearchParams()));

/** The shortest query for a view, keeping the parameters of others. */
export function toQuery(view, others = new URLSearchParams()) {
  const query = new URLSearchParams([...others].filter(([name]) => !OWN_PARAMETERS.test(name)));
  const parts = Object.entries(PARAMETERS).map(([part, [name, , write]]) => [name, write(view[part])]);
  const facets = Object.entries(view.facets).map(([name, value]) => [`f.${name}`, value]);
  for (const [name, value] of [...parts, ...facets]) if (value) query.set(name, value);
  return query;
}

/** The query of a view on the Leaderboard tab: it names the tab, since an address without one may open the overview. */
export const boardQuery = (view, others = new URLSearchParams()) =>
  new URLSearchParams([["tab", "leaderboard"], ...toQuery(view, others)]);

/** The tab that a query opens: the one it names, the board's where it describes a view, else the first that is shown. */
export const tabOf = (query) => query.get("tab") || (toQuery(fromQuery(query)).size ? "leaderboard" : globalThis.qbTabs?.[0] ?? "overview");

/** The view without what this board does not have. */
export function fitToBoard(view, payload) {
  const keys = new Set(payload.columns.map((column) => column.key));
  return {
    ...view,
    board: payload.board,
    metric: payload.views.some(({ key }) => key === view.metric) ? view.metric : "",
    part: payload.parts.some(({ key }) => key === view.part) ? view.part : "all",
    sort: keys.has(view.sort) || FIXED_SORTS.includes(view.sort) ? view.sort : "",
    hidden: view.hidden.filter((key) => keys.has(key)),
    facets: Object.fromEntries(Object.entries(view.facets).filter(([name]) => payload.facets.includes(name))),
  };
}
