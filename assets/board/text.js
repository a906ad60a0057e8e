// How figures, columns and sources are worded.

export const MARKS = {
  paper: { mark: "▣", words: "printed in a paper" },
  rescored: { mark: "◉", words: "re-scored here from raw responses" },
  live: { mark: "●", words: "run live here" },
  "self-reported": { mark: "◔", words: "self-reported" },
};
/** The class of a model that nothing says was trained on quality; see leaderboard/tables/classes.py. */
export const GENERAL = "training on quality not mentioned";
export const FACTS = {
  class: "Class", asked: "How it was asked", reporter: "Printed by", kind: "Kind", language: "Language model", vision: "Vision encoder",
};

const BETTER = { higher: "higher is better", lower: "lower is better", neither: "neither high nor low is better" };
export const ARROWS = { higher: "↑", lower: "↓", neither: "" };

/** A stored value as people read it, with a true minus sign. */
export const figure = (value, column) => plainFigure(value, column).replace("-", "−");

/** The same in characters every program reads. */
export function plainFigure(value, { scale, decimals }) {
  const text = (value * scale).toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** How far a figure is from the one that is shown, as both are displayed. */
export function difference(value, shown, column) {
  const apart = Number(plainFigure(value, column)) - Number(plainFigure(shown, column));
  if (Number(apart.toFixed(column.decimals)) === 0) return "the same";
  return `${apart > 0 ? "+" : "−"}${Math.abs(apart).toFixed(column.decimals)}`;
}

/** Half the width of an interval. */
export const halfWidth = (low, high, column) => `±${(((high - low) / 2) * column.scale).toFixed(column.half_decimals)}`;

/** Unit and direction, for people who cannot see the arrow. */
export const reading = ({ unit, direction }) => [unit, BETTER[direction]].filter(Boolean).join(", ");

/** The same as a sentence. */
export function readingSentence(column) {
  const text = reading({ ...column, unit: column.unit && `in ${column.unit}` });
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** What the figures on show are, and the marks beside them, in parts: text, and names of metrics with what they mean. */
export function legend({ kinds, ranked, references, meanings }, { columns, ranking, ranges }) {
  const readings = new Map();
  for (const column of columns) {
    const names = readings.get(reading(column)) ?? new Map();
    readings.set(reading(column), names.set([column.name, column.words].filter(Boolean).join(" "), meanings[column.metric]));
  }
  const parts = [];
  if (ranking?.low) parts.push("± half of the 95\u00a0% interval; point at or tap another figure to see its interval");
  if (ranges) parts.push("spread: the ranks possible at 95\u00a0% confidence");
  if (columns.some((column) => column.flagged)) parts.push("† has a remark: click or tap the figure");
  if (columns.some((column) => column.trained)) parts.push("ᵗ trained on this dataset");
  if (columns.some((column) => column.seen)) parts.push("ⁱ trained on these images, without their scores");
  if (columns.some((column) => column.in_training)) parts.push("◌ grey columns: the data may have been in training, so they do not rank");
  parts.push("– no figure");
  const present = Object.keys(MARKS).filter((kind) => [...ranked, ...references].some((row) => kinds[row].includes(kind)));
  parts.push(...present.map((kind) => `${MARKS[kind].mark} ${MARKS[kind].words}`));
  const named = [...readings].flatMap(([text, names]) => [...[...names].flatMap((name, i) => (i ? [", ", name] : [name])), `: ${text} · `]);
  return [...named, `${parts.join(" · ")}.`];
}

/** Size in billions of parameters, e.g. 7B, 0.4B. */
export const size = (billions) => (billions === null ? "" : `${Number(billions.toPrecision(3))}B`);
export const weights = (open) => (open === null ? "" : open ? "open" : "closed");
export const count = (number, singular, plural = `${singular}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? singular : plural}`;

/** a, b and c. */
export const listed = (items) => (items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`);
