// One chart with its words: drawn by Plotly, read with the keyboard, saved as PNG, SVG and CSV.

import { csv, save } from "./download.js";
import { button, el, hiddenText, isShown, loadScript, markup, questioned } from "./dom.js";
import { marks, next, plain } from "./marks.js";
import { fitRing } from "./ring.js";

/** Of a chart of models beside each other; the first is shown until the other is chosen. */
export const FORMS = { radar: "Radar", dots: "Dots with intervals" };

const SCALE = 2;
/** Pixels: on a narrower chart the names beside the marks would cover each other. */
const NAMES_NEED = 800;
let plotly; // fetched once

/** The place of a chart, which the keyboard reads mark by mark, what that says, and the buttons beside it. */
function framed(title, more = {}, id = null) {
  const plot = el("div", { class: "qb-plot", id });
  const frame = el("div", { class: "qb-chart", tabindex: 0, role: "group", "aria-label": `${title}. Arrow keys go from mark to mark.`, ...more }, plot);
  return { plot, frame, said: el("p", { class: "qb-sr", role: "status" }), tools: el("div", { class: "qb-chart-tools" }) };
}

const saving = (title, name, act) => button(name, act, { "aria-label": `${title}: save as ${name}` });

const pictures = (library, plot, title, file) =>
  ["png", "svg"].map((format) => saving(title, format.toUpperCase(), () => savePicture(library, plot, format, file)));

/**
 * Show a block (see leaderboard/html/chart_block.py) in `place`.
 *
 * Resolves when the chart is drawn; its words, table and buttons are there at once.
 */
export async function mountChart(place, block, address, file) {
  const text = hiddenText(block.text);
  text.id = `overview-${block.key}-text`;
  const parts = framed(block.title, { "aria-busy": "true", "aria-describedby": text.id }, `overview-${block.key}`);
  const { frame, said, tools } = parts;
  place.replaceChildren(markup(block.head), ...(block.figure ? [frame, said, text] : []), tools, markup(block.foot));
  if (block.rows.length) tools.append(saving(block.title, "CSV", () => save(`${file}.csv`, "text/csv;charset=utf-8", csv(block.rows))));
  if (!block.figure) return;
  const again = () => draw(parts, block, address, block.title, file);
  onWidth(frame, again);
  await again();
  frame.removeAttribute("aria-busy");
}

/**
 * Keep `element` showing the chart that `props.value` holds (see `plotted` in leaderboard/pages/widgets.py).
 *
 * The chart changes in place, so that whoever reads it with the keyboard stays where they are.
 */
export function keepChart(element, props, watch, { plotly: address, title }) {
  const parts = framed(title);
  const { frame, said, tools } = parts;
  element.querySelector(".qb-root").replaceChildren(el("div", { class: "qb" }, frame, said, tools));
  const file = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const now = () => props.value?.figure && isShown(frame) && draw(parts, props.value, address, title, file);
  let drawn = Promise.resolve();
  const again = () => { drawn = drawn.then(now).catch(console.error); };
  watch("value", again);
  onWidth(frame, again);
  again();
}

/** Act whenever a frame that is seen has another width than before: one that is not seen has none. */
function onWidth(frame, act) {
  let width = frame.clientWidth;
  new ResizeObserver(() => {
    if (!frame.clientWidth || frame.clientWidth === width) return;
    width = frame.clientWidth;
    act();
  }).observe(frame);
}

/** Draw a figure, or draw it anew: it has changed, or its frame has another width. */
async function draw({ plot, frame, said, tools }, { figure, terms }, address, title, file) {
  const { data, layout } = fitted(figure, frame.clientWidth);
  plot.style.minHeight = `${layout.height ?? 0}px`; // what stands below does not move once it is drawn
  plotly ??= loadScript(address);
  await plotly;
  const library = window.Plotly;
  const isFirst = !plot.layout;
  await library.react(plot, data, { ...layout, width: layout.width ?? frame.clientWidth }, { displayModeBar: false });
  if (isFirst) {
    tools.prepend(...pictures(library, plot, title, file));
    readWithKeys(library, frame, plot, said);
    followClicks(library, plot, said);
  }
  tools.querySelectorAll(".qb-term").forEach((term) => term.remove());
  tools.prepend(...terms.map(questioned));
}

/** Names go where there is no room for them; a figure with a width of its own scrolls instead. */
function fitted(figure, width) {
  if (figure.data[0]?.type === "scatterpolar") return fitRing(figure, width);
  const data = figure.data.map((trace) => (trace.meta === "names" && width < NAMES_NEED ? { ...trace, visible: false } : trace));
  return { data, layout: figure.layout };
}

function readWithKeys(library, frame, plot, said) {
  let here = null;
  frame.addEventListener("keydown", (event) => {
    if (event.target !== frame) return;
    const all = marks(plot); // they may be others than when it was last read
    here = all.find((mark) => here && String([mark.curveNumber, mark.pointNumber]) === String([here.curveNumber, here.pointNumber])) ?? null;
    if (!all.length) return;
    if (event.key === "Enter") return here && follow(here.custom);
    if (event.key === "Escape") return leave();
    const reached = next(all, here, event.key);
    if (!reached) return;
    here = reached;
    event.preventDefault();
    bringIntoView(frame, plot, here);
    library.Fx.hover(plot, [{ curveNumber: here.curveNumber, pointNumber: here.pointNumber }], here.subplot);
    said.textContent = plain(here.custom[0]);
  });
  frame.addEventListener("blur", leave);
  function leave() {
    here = null;
    library.Fx.unhover(plot);
    said.textContent = "";
  }
}

const EDGE = 96;

/** A map may be larger than the window. */
function bringIntoView(frame, plot, { row, column }) {
  if (row === undefined) return;
  const { xaxis, yaxis, margin } = plot._fullLayout;
  const x = margin.l + xaxis.l2p(column);
  if (x < frame.scrollLeft + EDGE || x > frame.scrollLeft + frame.clientWidth - EDGE) frame.scrollLeft = x - frame.clientWidth / 2;
  const y = frame.getBoundingClientRect().top + margin.t + yaxis.l2p(row);
  if (y < EDGE || y > innerHeight - EDGE) scrollBy(0, y - innerHeight / 2);
}

/** A click follows a mark; a finger cannot hover, so its first tap names the mark and the next follows it. */
function followClicks(library, plot, said) {
  let named = null; // what was named when the finger came down; null for a mouse
  plot.addEventListener("pointerdown", ({ pointerType }) => { named = pointerType === "touch" ? said.textContent : null; }, true);
  plot.on("plotly_click", ({ points: [{ customdata, curveNumber, pointNumber }] }) => {
    const name = plain(customdata?.[0] ?? "");
    if (named === null || named === name) return follow(customdata);
    library.Fx.hover(plot, [{ curveNumber, pointNumber }]);
    said.textContent = name;
  });
}

/** Marks lead to the view that their second text is the address of. */
function follow(custom) {
  if (custom?.[1]?.startsWith("?")) location.assign(custom[1]);
}

async function savePicture(library, plot, format, file) {
  const paper = getComputedStyle(plot.closest(".qb")).backgroundColor;
  const { width, height } = plot._fullLayout;
  const figure = { data: plot.data, layout: { ...plot.layout, paper_bgcolor: paper } };
  const address = await library.toImage(figure, { format, width, height, scale: format === "png" ? SCALE : 1 });
  const picture = await (await fetch(address)).blob();
  save(`${file}.${format}`, picture.type, picture);
}
