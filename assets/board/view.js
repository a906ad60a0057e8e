// What a visitor is looking at, and its form as the query of a link. The twin of leaderboard/look.py.

const LONGEST_TEXT = 200;
const MOST_QUERY_ITEMS = 100;
export const KINDS = ["paper", "rescored", "live", "self-reported"];
/** What a table can be sorted by besides its columns; empty is by rank. */
export const FIXED_SORTS = ["model", "size", "released"];
export const OWN_PARAMETERS = /^(tab|board|model|metric|part|sort|order|q|weights|size|released|source|hide|models|untrained|rows|radar|chart|pairs|questions|of|by|show|item|[fg]\..*)$/;

export const DEFAULT_VIEW = Object.freeze({
  board: "",
  metric: "",
  part: "all",
  sort: "",
  reverse: false,
  search: "",
  weights: "",
  size: [null, null],
  released: [null, null],
  sources: [],
  facets: {},
  untrained: false,
  allSources: false,
  hidden: [], // and, of the optional columns, those brought in
  models: [],
});

/** The view a query asks for; what cannot be understood is ignored. */
export function fromQuery(query) {
  const get = (name) => query.get(name) ?? "";
  const facets = {};
  for (const [name, value] of [...query].slice(0, MOST_QUERY_ITEMS)) {
    if (name.startsWith("f.") && name.length > 2 && value) facets[name.slice(2)] = text(value);
  }
  return {
    board: text(get("board")),
    metric: text(get("metric")),
    part: text(get("part")) || "all",
    sort: text(get("sort")),
    reverse: get("order") === "reverse",
    search: text(get("q")),
    weights: ["open", "closed"].includes(get("weights")) ? get("weights") : "",
    size: range(get("size"), number),
    released: range(get("released"), month),
    sources: items(get("source")).filter((kind) => KINDS.includes(kind)),
    facets,
    untrained: get("untrained") === "1",
    allSources: get("rows") === "all",
    hidden: items(get("hide")),
    models: items(get("models")),
  };
}

/** The shortest query for a view, keeping the parameters of others. */
export function toQuery(view, others = new URLSearchParams()) {
  const query = new URLSearchParams([...others].filter(([name]) => !OWN_PARAMETERS.test(name)));
  const parts = {
    board: view.board,
    metric: view.metric,
    part: view.part === "all" ? "" : view.part,
    sort: view.sort,
    order: view.reverse ? "reverse" : "",
    q: view.search,
    weights: view.weights,
    size: span(view.size),
    released: span(view.released),
    source: view.sources.join(","),
    ...Object.fromEntries(Object.entries(view.facets).map(([name, value]) => [`f.${name}`, value])),
    untrained: view.untrained ? "1" : "",
    rows: view.allSources ? "all" : "",
    hide: view.hidden.join(","),
    models: view.models.join(","),
  };
  for (const [name, value] of Object.entries(parts)) if (value) query.set(name, value);
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

const text = (value) => value.slice(0, LONGEST_TEXT);
const items = (value) =>
  value.split(",").slice(0, MOST_QUERY_ITEMS).filter((item) => item && item.length <= LONGEST_TEXT);

function range(value, read) {
  const at = value.indexOf("..");
  return at < 0 ? [read(value), null] : [read(value.slice(0, at)), read(value.slice(at + 2))];
}

const span = ([low, high]) => (low === null && high === null ? "" : `${low ?? ""}..${high ?? ""}`);

export const number = (value) => (/^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : null);
export const month = (value) => (/^\d{4}-(0[1-9]|1[0-2])$/.test(value) ? value : null);
