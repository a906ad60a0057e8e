// One chart with its words: drawn by Plotly, read with the keyboard, saved as PNG, SVG and CSV.

import { csv, save } from "./download.js";
import { el, hiddenText } from "./dom.js";

const SCALE = 2;
const NAMES_NEED = 640;
/** Pixels: on a narrower chart the names beside the marks would cover each other. */
const PAPER = { light: "#ffffff", dark: "#14161b" };
let plotly;

/** Plotly, fetched once from the address of its script. */
export function loadPlotly(address) {
  plotly ??= new Promise((resolve, reject) => {
    document.head.append(el("script", {
      src: address,
      on: { load: () => resolve(window.Plotly), error: () => reject(new Error(`${address} could not be fetched`)) },
    }));
  });
  return plotly;
}

/**
 * Show a block (see `chart_block` in leaderboard/html/overview.py) in `place`.
 *
 * Resolves when the chart is drawn; its words, table and buttons are there at once.
 */
export async function mountChart(place, block, address, file) {
  const plot = el("div", { class: "qb-plot", id: `overview-${block.key}` });
  const said = el("p", { class: "qb-sr", role: "status" });
  const text = hiddenText(block.text);
  text.id = `overview-${block.key}-text`;
  const frame = el("div", {
    class: "qb-chart", tabindex: 0, role: "group", "aria-label": `${block.title}. Arrow keys go from mark to mark.`,
    "aria-describedby": text.id,
  }, plot);
  const tools = el("div", { class: "qb-chart-tools" });
  place.replaceChildren(markup(block.head), ...(block.figure ? [frame, said, text] : []), tools, markup(block.foot));
  const button = (name, act) => el("button", { type: "button", class: "qb-button", on: { click: act }, "aria-label": `${block.title}: save as ${name}` }, name);
  const saveCsv = button("CSV", () => save(`${file}.csv`, "text/csv;charset=utf-8", csv(block.rows)));
  tools.append(saveCsv);
  if (!block.figure) return;
  const library = await loadPlotly(address);
  const picture = (format) => button(format.toUpperCase(), () => savePicture(library, plot, format, file));
  tools.prepend(picture("png"), picture("svg"));
  const { data, layout } = fitted(block.figure, frame.clientWidth);
  await library.newPlot(plot, data, layout, { displayModeBar: false, responsive: !layout.width });
  readWithKeys(library, frame, plot, said);
  plot.on("plotly_click", ({ points }) => follow(points[0].customdata));
}

/** The page's own HTML, made and escaped by leaderboard/html. */
function markup(html) {
  const holder = el("div");
  holder.innerHTML = html;
  return holder;
}

/** Names go where there is no room for them; a figure with a width of its own scrolls instead. */
function fitted(figure, width) {
  const data = figure.data.map((trace) => (trace.meta === "names" && width < NAMES_NEED ? { ...trace, visible: false } : trace));
  return { data, layout: figure.layout };
}

/** Every mark that says something, from left to right; of one place, from the top down. */
function marks(plot) {
  const found = plot.data.flatMap((trace, curveNumber) => {
    if (!trace.customdata || !trace.x || trace.visible === false) return [];
    if (trace.type === "heatmap") {
      return trace.customdata.flatMap((row, y) => row.map((custom, x) => ({ curveNumber, pointNumber: [y, x], custom, at: [y, x] })));
    }
    return trace.customdata.map((custom, pointNumber) => ({ curveNumber, pointNumber, custom, at: [trace.x[pointNumber], -trace.y[pointNumber]] }));
  }).filter(({ custom }) => custom?.[0]);
  return found.sort((a, b) => (a.at[0] < b.at[0] ? -1 : a.at[0] > b.at[0] ? 1 : a.at[1] - b.at[1]));
}

function readWithKeys(library, frame, plot, said) {
  let place = -1;
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  frame.addEventListener("keydown", (event) => {
    const all = marks(plot);
    if (event.target !== frame || !all.length) return;
    if (event.key === "Enter" && all[place]) return follow(all[place].custom);
    if (event.key === "Escape") return leave();
    if (event.key === "Home") place = 0;
    else if (event.key === "End") place = all.length - 1;
    else if (event.key in steps) place = Math.max(0, Math.min(all.length - 1, place + steps[event.key]));
    else return;
    event.preventDefault();
    const { curveNumber, pointNumber, custom } = all[place];
    library.Fx.hover(plot, [{ curveNumber, pointNumber }]);
    said.textContent = plain(custom[0]);
  });
  frame.addEventListener("blur", leave);
  function leave() {
    library.Fx.unhover(plot);
    said.textContent = "";
  }
}

/** Marks lead to the view that their second text is the address of. */
function follow(custom) {
  if (custom?.[1]?.startsWith("?")) location.assign(custom[1]);
}

/** What plotly shows of its own markup. */
const plain = (text) => text.replaceAll("<br>", ". ").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

async function savePicture(library, plot, format, file) {
  const paper = document.documentElement.classList.contains("dark") || document.body.classList.contains("dark") ? PAPER.dark : PAPER.light;
  const { width, height } = plot._fullLayout;
  const figure = { data: plot.data, layout: { ...plot.layout, paper_bgcolor: paper } };
  const address = await library.toImage(figure, { format, width, height, scale: format === "png" ? SCALE : 1 });
  const picture = await (await fetch(address)).blob();
  save(`${file}.${format}`, picture.type, picture);
}
