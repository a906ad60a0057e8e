// Where a row's figures come from, exactly: one dialog, opened by the source mark.

import { recomputed } from "./body.js";
import { partFigures } from "./unranked.js";
import { authored, el, safeLink } from "./dom.js";
import { MARKS, count, difference, figure, listed } from "./text.js";

/** A dialog in `root`; returns what opens it for a row, and for a result beside the table. */
export function makeProvenance(root) {
  const content = el("div");
  const dialog = el(
    "dialog",
    { class: "qb-dialog", on: { click: (event) => event.target === dialog && dialog.close() } },
    el("form", { method: "dialog" }, el("button", { class: "qb-button" }, "Close")),
    content,
  );
  root.append(dialog);
  function show(name, ...parts) {
    dialog.setAttribute("aria-label", `Sources of ${name}`);
    content.replaceChildren(el("h3", {}, authored(name)), ...parts);
    dialog.showModal();
  }
  return {
    openRow: (data, columns, row) => show(data.models.name[row], inShort(data, columns, row), facts(data, row), ...records(data, columns, row), ...remarks(data, columns, row)),
    openPart: (data, one) => show(one.model, inOneWay(one.origin, [
      told(one.origin, `${one.covers}; not ranked: ${partFigures(data, one)}`),
    ])),
  };
}

/** The answer in a sentence: what the figures of the row rest on. */
function inShort(data, columns, row) {
  const kinds = data.kinds[row].map((kind) => MARKS[kind].words);
  const flagged = columns.filter((column) => data.told(row, column).note?.kind === "flag").length;
  const remarks = flagged ? ` ${count(flagged, "figure")} ${flagged === 1 ? "has" : "have"} a remark, below.` : "";
  return el("p", {}, `The figures of this row are ${listed(kinds)}.${remarks}`);
}

function facts(data, row) {
  const { organisation, language, vision, hub } = data.models;
  const known = [
    ["By", organisation[row]],
    ["Language model", language[row]],
    ["Vision encoder", vision[row]],
    ["Weights", hub[row] && safeLink(`https://huggingface.co/${hub[row]}`, hub[row])],
  ].filter(([, value]) => value);
  return el("dl", { class: "qb-facts" }, known.map(([term, value]) => [el("dt", {}, term), el("dd", {}, value)]));
}

/** The records that fill a row's columns on show, and those that others go before, each with its figures in words. */
function records(data, columns, row) {
  const onShow = new Set(columns.map((column) => column.index));
  const [used, others] = [[], []];
  for (const origin of data.origins[row]) {
    const shown = (origin.shown ?? []).filter((index) => onShow.has(index));
    const passed = (origin.passed ?? []).filter(([index]) => onShow.has(index));
    if (shown.length) used.push([origin, shown.length === columns.length ? "all figures in this row" : shown.map((index) => data.columns[index].named).join("; ")]);
    if (passed.length) others.push([origin, passed.map(([index, value]) => besideShown(data.columns[index], row, value)).join("; ")]);
  }
  return [
    ...grouped(used),
    ...(others.length ? [el("h4", {}, "Other sources: their figures, and how far they are from those shown")] : []),
    ...grouped(others),
  ];
}

const besideShown = (column, row, value) => `${column.named} ${figure(value, column)} (${difference(value, column.values[row], column)})`;

/** Records made in the same way stand under one line that says where they are from; how they were made is folded. */
const grouped = (entries) => [...Map.groupBy(entries, ([origin]) => `${whence(origin)} ${origin.protocol}`).values()]
  .map((members) => inOneWay(members[0][0], members.map(([origin, figures]) => told(origin, figures))));

function inOneWay(origin, described) {
  return el("section", {},
    el("p", { class: "qb-quiet" }, `${MARKS[origin.kind].mark} ${whence(origin)}`),
    el("ul", {}, described.map((one) => el("li", {}, one))),
    origin.protocol && el("details", {}, el("summary", {}, "How it was made"),
      el("ul", {}, origin.protocol.map((one) => el("li", {}, one)))));
}

const whence = (origin) => [
  MARKS[origin.kind].words,
  origin.by && `by ${origin.by}`,
  origin.at,
  origin.unscored && `unscored: ${origin.unscored}`,
].filter(Boolean).join(" · ");

/** A record's place, what of it is on show, and what its author says. */
function told(origin, figures) {
  const { reference, url } = origin;
  return [
    url ? safeLink(url, reference || url) : reference,
    el("div", { class: "qb-quiet" }, figures),
    saidByAuthor(origin),
  ];
}

/** What whoever handed the figures in says of them, in their own words. */
function saidByAuthor(origin) {
  const { submission: digest, kept } = origin;
  if (!digest) return null;
  const said = [
    ["Trained on", origin.trained || "not said"],
    ["Prompts", origin.prompts || "not said"],
    ...(origin.relation ? [["Handed in as", origin.relation]] : []),
    ["Submission", kept ? safeLink(kept, digest.slice(0, 12)) : digest.slice(0, 12)],
  ];
  return el("dl", { class: "qb-facts qb-said" }, said.map(([term, value]) => [el("dt", {}, term), el("dd", { dir: "auto" }, value)]));
}

function remarks(data, columns, row) {
  const noted = columns.map((column) => ({ column, note: data.told(row, column).note })).filter(({ note }) => note);
  if (!noted.length) return [];
  return [
    el("h4", {}, "Remarks"),
    el("ul", {}, noted.map(({ column, note }) => {
      const value = column.values[row];
      const about = `${column.named} ${value === null ? "–" : figure(value, column)}${note.kind === "flag" ? " †" : ""}`;
      const said = `${note.text[0].toUpperCase()}${note.text.slice(1).replace(/\.$/, "")}. ${recomputed(note, column)}`;
      return el("li", {}, el("strong", {}, about), el("br"), said);
    })),
  ];
}
