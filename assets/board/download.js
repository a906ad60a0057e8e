// The table as it is shown, as files to download: same rows, columns and order.

import { marksOf } from "./body.js";
import { el } from "./dom.js";
import { levels } from "./head.js";
import { plainFigure, reading, weights } from "./text.js";

/** Rows as shown, references first. */
const shownRows = (data, { rows }) => [...data.references, ...rows];
const isReference = (data, row) => row < data.references.length;

/** CSV with units in the header; figures as displayed, interval bounds beside them. */
export function toCsv(data, arranged) {
  const { columns, hidden, ranks } = arranged;
  const head = [hidden ? `Rank of ${ranks.size}` : "Rank", "Model", "Organisation", "Parameters (billions)", "Weights", "Released"];
  for (const column of columns) {
    const name = column.named;
    head.push(`${name} (${reading(column)})`);
    if (column.low) head.push(`${name}, 95 % from`, `${name}, 95 % to`);
  }
  head.push("Source");
  const lines = shownRows(data, arranged).map((row) => {
    const { name, organisation, parameters, open, released } = data.models;
    const cells = [ranks.get(row) ?? "", name[row], organisation[row] ?? "", parameters[row] ?? "", weights(open[row]), released[row] ?? ""];
    for (const column of columns) {
      const shown = (value) => (value === null || value === undefined ? "" : plainFigure(value, column));
      cells.push(shown(column.values[row]));
      if (column.low) cells.push(shown(column.low[row]), shown(column.high[row]));
    }
    return [...cells, data.kinds[row].join(" ")];
  });
  return csv([head, ...lines]);
}

/** Rows of texts and numbers as CSV, for spreadsheets too. */
export const csv = (rows) => `\ufeff${rows.map((cells) => cells.map(csvCell).join(",")).join("\r\n")}\r\n`;

/** Spreadsheets run text that starts like a formula, some after a semicolon too; an apostrophe keeps it text. */
const safeText = (text) => text.replace(/(^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠\t\r])/g, "$1'");

function csvCell(value) {
  const text = Number.isFinite(Number(value)) ? String(value) : safeText(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** JSON with the stored values, intervals, remarks and sources. */
export function toJson(data, arranged, address) {
  const { columns, ranks, filtered, ranking } = arranged;
  const rows = shownRows(data, arranged).map((row) => ({
    rank: ranks.get(row) ?? null,
    reference: isReference(data, row),
    id: data.ids[row],
    ...Object.fromEntries(Object.entries(data.models).map(([fact, values]) => [fact, values[row]])),
    figures: Object.fromEntries(columns.map((column) => {
      const { note, trained, seen } = data.told(row, column);
      return [column.key, {
        value: column.values[row],
        low: column.low?.[row] ?? null,
        high: column.high?.[row] ?? null,
        ...(note && { note: note.text }),
        ...(note?.recomputed != null && { recomputed: note.recomputed }),
        ...(trained && { trained_on: true }),
        ...(seen !== undefined && { images_seen: seen }),
      }];
    })),
    sources: data.origins[row].filter((origin) => origin.shown).map((origin) => ({
      kind: origin.kind, reference: origin.reference ?? null, url: origin.url ?? null, by: origin.by ?? null, at: origin.at ?? null,
      ...(origin.submission !== undefined && {
        submission: origin.submission, prompts: origin.prompts ?? null, trained_on: origin.trained ?? null,
      }),
    })),
  }));
  const described = columns.map(({ key, unit, scale, direction, description, named }) => (
    { key, unit, scale, direction, description, label: named }));
  const about = { board: data.board, title: data.title, revision: data.revision, address };
  return `${JSON.stringify({ ...about, ranked_by: ranking?.key ?? null, filtered, columns: described, rows }, null, 1)}\n`;
}

/** A booktabs table: best in bold, second underlined. */
export function toLatex(data, arranged) {
  const { columns, leaders, rows } = arranged;
  const level = levels(columns);
  const line = (row) => [latex(data.models.name[row]), ...columns.map((column) => {
    const value = column.values[row];
    if (value === null) return "--";
    const marks = marksOf(data.told(row, column), "\\dag");
    const shown = `$${plainFigure(value, column)}$${marks && `\\textsuperscript{${marks}}`}`;
    if (isReference(data, row) || data.places.has(row)) return shown;
    const { best, second } = leaders.get(column);
    return value === best ? `\\textbf{\\boldmath ${shown}}` : value === second ? `\\underline{${shown}}` : shown;
  })].join(" & ");
  const name = (column) => [...new Set([column.label, level.metric && column.name].filter(Boolean))].join(" ");
  const arrows = { higher: " $\\uparrow$", lower: " $\\downarrow$", neither: "" };
  return [
    `% ${latexComment(`${data.title}, revision ${data.revision}`)}; needs \\usepackage{booktabs}`,
    `% ${latexComment(columns.map((column) => `${column.named}: ${reading(column)}`).join("; "))}`,
    `\\begin{tabular}{l${"r".repeat(columns.length)}}`,
    "\\toprule",
    `${["Model", ...columns.map((column) => latex(name(column)) + arrows[column.direction])].join(" & ")} \\\\`,
    "\\midrule",
    ...data.references.map((row) => `${line(row)} \\\\`),
    ...(data.references.length ? ["\\midrule"] : []),
    ...rows.map((row) => `${line(row)} \\\\`),
    "\\bottomrule",
    "\\end{tabular}",
    "",
  ].join("\n");
}

const LATEX = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#", "%": "\\%", _: "\\_",
  "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
  κ: "$\\kappa$", α: "$\\alpha$", ρ: "$\\rho$", "–": "--", "−": "$-$", "\n": " ", "\r": " ",
};
const latex = (text) => text.replace(/[\\{}$&#%_^~<>|καρ–−\n\r]/g, (character) => LATEX[character]);
const latexComment = (text) => text.replace(/[\r\n]/g, " ");

/** BibTeX of the papers whose figures are on show; `papers` is [{urls, bibtex}]. */
export function toBibtex(data, arranged, papers) {
  const cited = new Set(shownRows(data, arranged).flatMap((row) =>
    data.origins[row].filter((origin) => origin.shown).map((origin) => origin.url)));
  return papers.filter(({ urls }) => urls.some((url) => cited.has(url))).map(({ bibtex }) => bibtex).join("\n\n");
}

/** Hand a file to the browser. */
export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
