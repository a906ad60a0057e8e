// mountTable: one payload as a table that sorts, filters and downloads by itself.

import { makeUnranked } from "./unranked.js";
import { makeBody } from "./body.js";
import { makeControls } from "./controls.js";
import { arrange, searchRows, unpack, withShownSort } from "./data.js";
import { el, explained } from "./dom.js";
import { save, toBibtex, toCsv, toJson, toLatex } from "./download.js";
import { makeHead } from "./head.js";
import { meant, places } from "./near.js";
import { makeProvenance } from "./provenance.js";
import { legend } from "./text.js";
import { DEFAULT_VIEW, fitToBoard } from "./view.js";

/** Parts of a view whose change leaves every row where it is. */
const KEEPING_PLACE = ["hidden", "models"];

/** Parts of a view that are typed letter by letter. */
const TYPED = ["search", "size", "released"];

/**
 * Show `payload` (see leaderboard/tables/payload.py) in `root`.
 *
 * Options: view (what to show first), onView(view, step) (told of every change; a step is one that Back takes back, which
 * typing is not), address(view) (the link to a view),
 * papers ([{urls, bibtex}] to cite), leading (an element to stand before the controls), others ({boards, models()} of the
 * index, to say where a model is that is not here), only (ids of the models to show; all where it is left out).
 * Returns the view as it can be shown.
 */
export function mountTable(root, payload, options = {}) {
  const { onView = () => {}, address = () => location.href, papers = [], leading = null, others = null, only = null } = options;
  const data = unpack(payload);
  if (only) data.ranked = data.ranked.filter((row) => only.includes(data.ids[row]));
  let view = withShownSort(data, fitToBoard({ ...DEFAULT_VIEW, ...options.view }, payload));
  let arranged = arrange(data, view);

  const file = (extension) => `${payload.board}-${payload.revision}.${extension}`;
  const controls = makeControls(data, leading, change, [
    ["CSV", () => save(file("csv"), "text/csv;charset=utf-8", toCsv(data, arranged))],
    ["JSON", () => save(file("json"), "application/json", toJson(data, arranged, address(view)))],
    ["LaTeX", () => save(file("tex"), "text/x-tex", toLatex(data, arranged))],
    ["BibTeX", () => save(file("bib"), "text/x-bibtex", toBibtex(data, arranged, papers))],
  ], () => address(view));
  const table = el("table", { class: "qb-table", "aria-label": payload.title });
  const frame = el("div", { class: "qb-frame", tabindex: 0, role: "region", "aria-label": `${payload.title}, table` }, table);
  const key = el("p", { class: "qb-legend" });
  const empty = el("div", { hidden: true });
  const unranked = only ? "" : makeUnranked(data, (result) => sources.openPart(data, result));
  root.replaceChildren(controls.element, controls.status, frame, empty, key, unranked);
  root.classList.add("qb");
  const sources = makeProvenance(root);
  const body = makeBody(frame, table, data, (row) => sources.openRow(data, arranged.columns, data.parents.get(row) ?? row), change);
  draw();
  let begun = false;
  const fit = new ResizeObserver(() => {
    frame.classList.toggle("qb-fits", table.scrollWidth <= frame.clientWidth);
    keepHead();
    if (frame.clientWidth && !begun) bringSortedIntoView(); // not on a tab that is not open yet
    begun ||= frame.clientWidth > 0;
  });
  for (const part of [frame, table]) fit.observe(part);
  addEventListener("scroll", keepHead, { passive: true });

  function change(patch) {
    const sort = view.sort;
    view = withShownSort(data, { ...view, ...patch });
    arranged = arrange(data, view);
    draw(view.sort === sort && Object.keys(patch).every((name) => KEEPING_PLACE.includes(name)));
    onView(view, !Object.keys(patch).every((name) => TYPED.includes(name)));
  }

  function sortBy(key) {
    change({ sort: key, reverse: key === view.sort ? !view.reverse : false });
    const heads = [...table.tHead.querySelectorAll("th[aria-sort] button")];
    heads.at(-1)?.focus({ preventScroll: true });
  }

  function draw(keepPlace = false) {
    table.tHead?.remove();
    table.prepend(makeHead(data, arranged, sortBy));
    keepHead();
    body.show(arranged, keepPlace);
    controls.update(arranged);
    key.replaceChildren(...legend(data, arranged).map((part) => (typeof part === "string" ? part : explained(part))));
    empty.hidden = arranged.rows.length > 0;
    if (!empty.hidden) sayWhyEmpty();
  }

  function sayWhyEmpty() {
    const say = (text, ...more) => empty.replaceChildren(el("p", { class: "qb-empty" }, text), ...more);
    const { search } = view;
    if (!data.ranked.length) return say(payload.empty);
    if (searchRows(data, data.ranked, search).length) {
      return say("No model passes the search and the filters. Choose “Show all” to bring them back.");
    }
    const none = `No model on this board matches “${search.trim()}”.`;
    say(`${none} Choose “Show all” to bring all back.`);
    return others?.models().then((models) => {
      const { near, found } = meant(models, search);
      if (!found.length || view.search !== search) return;
      const link = (board, name) => address({ ...DEFAULT_VIEW, board, search: name });
      say(`${none} ${near ? "Near names:" : "Elsewhere:"}`, places(found, payload.board, others.boards, link, (name) => change({ search: name })));
    }, () => {}); // without the list the sentence stays as it is
  }

  /** Where the frame scrolls sideways, the browser keeps the head in the frame and not in the window: it is moved by hand. */
  function keepHead() {
    if (!frame.isConnected) return removeEventListener("scroll", keepHead);
    const { top, bottom } = frame.getBoundingClientRect();
    const stays = frame.matches(".qb-fits") || top >= 0 || bottom < 2 * table.tHead.offsetHeight;
    table.tHead.style.translate = stays ? "" : `0 ${-top - frame.clientTop}px`;
  }

  /** On a narrow screen the column that ranks may lie beyond the edge: it comes to stand beside the names. */
  function bringSortedIntoView() {
    const sorted = table.querySelector("thead .qb-figure:has(.qb-sorted)");
    const right = sorted ? sorted.offsetLeft + sorted.offsetWidth : 0;
    if (right > frame.clientWidth) frame.scrollLeft = sorted.offsetLeft - table.querySelector("thead .qb-model").offsetWidth;
  }

  return view;
}
