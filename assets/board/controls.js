// What stands above the table: choices, search, filters, columns, downloads, link.

import { button, el, linkCopier, select } from "./dom.js";
import { makeChips } from "./chips.js";
import { makeCompare } from "./ticks.js";
import { choosableColumns, isOnShow, toggled } from "./data.js";
import { FACTS, MARKS, count } from "./text.js";
import { KINDS, month, number } from "./view.js";

/**
 * Controls for one table. `change(patch)` merges into the view; `downloads` are [label, act], `link()` is of the view.
 * Returns {element, status, update(arranged)}.
 */
export function makeControls(data, leading, change, downloads, link) {
  const filters = makeFilters(data, change);
  const columns = makeColumns(data, change);
  const chips = makeChips(data, change);
  const compare = makeCompare(data, change);
  const metric = select("Metric", data.views.map(({ key, label }) => [key, label]), (key) =>
    change({ metric: key === data.views[0].key ? "" : key, sort: "", reverse: false }));
  const part = select("Columns to show", [["all", "All columns"], ...data.parts.map(({ key, label }) => [key, label])], (key) =>
    change({ part: key, sort: "", reverse: false }));
  const search = el("input", {
    type: "search", placeholder: "Find a model", "aria-label": "Find a model", class: "qb-search", autocomplete: "off",
    on: { input: () => change({ search: search.value }) },
  });
  const counted = el("span", { role: "status" });
  const all = button("Show all", () => change(NO_FILTERS), PLAIN);
  const status = el("p", { class: "qb-status" }, counted, " ", all, " ", compare.element);

  const unfold = ({ target }) => target.setAttribute("aria-expanded", target.ariaExpanded !== "true");
  const more = button("Filters, download", unfold, { class: "qb-button qb-more", "aria-expanded": "false" }); // seen on a phone alone
  const bar = el("div", { class: "qb-bar", role: "group", "aria-label": "Table controls" },
    data.views.length > 1 && metric, data.parts.length > 1 && part, search, more,
    el("div", { class: "qb-menus" }, filters.element, columns.element, makeDownloads(downloads), linkCopier(link)));
  const element = el("div", { class: "qb-controls-of-table" }, leading, bar, chips.element);

  return {
    element,
    status,
    update(arranged) {
      const { view, models, hidden } = arranged;
      metric.value = view.metric || data.views[0].key;
      part.value = view.part;
      if (search.value !== view.search) search.value = view.search;
      filters.update(view);
      chips.update(view);
      compare.update(arranged);
      columns.update(view);
      counted.textContent = `${count(models, "model")}${hidden ? `, ${hidden.toLocaleString("en")} hidden` : ""}`;
      all.hidden = !hidden;
    },
  };
}

/** What is pressed in a line of text. */
const PLAIN = { class: "qb-plain" };

/** A button whose panel lies over the page; on a phone a sheet at its foot. */
function menu(label, ...content) {
  const panel = el("div", { class: "qb-panel", popover: true }, content);
  const opener = button(label);
  opener.popoverTargetElement = panel;
  return { opener, element: el("div", {}, opener, panel) };
}

const NO_FILTERS = { search: "", weights: "", size: [null, null], released: [null, null], sources: [], facets: {}, untrained: false };

function makeFilters(data, change) {
  const weights = select("Weights", [["", "any"], ["open", "open"], ["closed", "closed"]], (value) => change({ weights: value }));
  const sizes = bounds("number", number, (size) => change({ size }));
  const dates = bounds("month", month, (released) => change({ released }));
  const present = KINDS.filter((kind) => data.kinds.some((kinds) => kinds.includes(kind)));
  const sources = present.map((kind) =>
    labelled(kind, `${MARKS[kind].mark} ${MARKS[kind].words}`, () => change({ sources: toggled(shown.sources, kind) })));
  let shown;
  const facets = data.facets.map((name) => {
    const values = [...new Set(data.ranked.map((row) => data.models[name][row]).filter(Boolean))].sort();
    const choice = select(FACTS[name] ?? name, [["", "any"], ...values.map((value) => [value, value])], (value) => {
      const { [name]: _, ...others } = shown.facets;
      change({ facets: value ? { ...others, [name]: value } : others });
    });
    return { name, choice, element: field(FACTS[name] ?? name, choice), useful: values.length > 1 };
  }).filter(({ useful }) => useful);
  const { opener, element } = menu("Filters",
    field("Weights", weights),
    field("Parameters, billions", ...sizes.inputs),
    field("Released", ...dates.inputs),
    facets.map((facet) => facet.element),
    sources.length > 1 && field("Source", sources));
  return {
    element,
    update(view) {
      shown = view;
      weights.value = view.weights;
      sizes.show(view.size);
      dates.show(view.released);
      for (const { control } of sources) control.checked = view.sources.includes(control.value);
      for (const { name, choice } of facets) choice.value = view.facets[name] ?? "";
      const on = [view.weights, view.sources.length, ...Object.keys(view.facets)].filter(Boolean).length
        + [view.size, view.released].filter(([low, high]) => low !== null || high !== null).length;
      opener.textContent = on ? `Filters (${on})` : "Filters";
    },
  };
}

/** A box to tick, in its label. */
const labelled = (value, label, act, checked = false) =>
  el("label", {}, el("input", { type: "checkbox", value, checked, on: { change: act } }), ` ${label}`);

const field = (label, ...inputs) => el("fieldset", {}, el("legend", {}, label), inputs);

/** Two inputs, from and to; what is no bound is marked and leaves its side open. */
function bounds(type, parse, onChange) {
  const read = () => inputs.map((input) => {
    const bound = parse(input.value);
    input.ariaInvalid = bound === null && (input.value !== "" || input.validity.badInput);
    return bound;
  });
  const inputs = ["from", "to"].map((end) =>
    el("input", { type, min: type === "number" ? 0 : null, step: type === "number" ? "any" : null, "aria-label": end, placeholder: end,
      on: { input: () => onChange(read()) } }));
  return {
    inputs,
    /** What is being typed stays as it is: of 7.5 the view has seen 7 when the point comes. */
    show: (values) => inputs.forEach((input, i) => {
      if (input === document.activeElement) return;
      input.value = values[i] ?? "";
      input.ariaInvalid = false;
    }),
  };
}

function makeColumns(data, change) {
  const list = el("div", { class: "qb-checks" });
  const { opener, element } = menu("Columns", list);
  const optional = data.columns.filter((column) => column.optional).map(({ key }) => key);
  const all = button("Show all columns", () => change({ hidden: optional }), PLAIN);
  return {
    element,
    update(view) {
      const columns = choosableColumns(data, view);
      const hidden = columns.filter((column) => !column.optional && !isOnShow(column, view)).length;
      opener.textContent = hidden ? `Columns (${hidden} hidden)` : "Columns";
      const focused = list.contains(document.activeElement) ? document.activeElement.value : null;
      list.replaceChildren(all, ...columns.map((column) =>
        labelled(column.key, column.named, () => change({ hidden: toggled(view.hidden, column.key) }), isOnShow(column, view))));
      if (focused) [...list.querySelectorAll("input")].find((box) => box.value === focused)?.focus();
    },
  };
}

const makeDownloads = (downloads) => menu("Download", el("p", { class: "qb-quiet" }, "Exactly the rows, columns and order shown."),
  downloads.map(([label, act]) => button(label, act, PLAIN))).element;
