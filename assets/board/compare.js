// mountCompare: the Compare page. Two to six models of one board: who is chosen, a chart in several forms, tables.

import { makeChoice } from "./board.js";
import { FORMS, mountChart } from "./chart.js";
import { chosenModels, el, fetching, firstShown, markup, radios } from "./dom.js";
import { asked, linkButton, whenReturned, writeOwn } from "./history.js";
import { fromQuery } from "./view.js";

const MODES = { above: "Chance subtracted", raw: "As it is" };

/**
 * Show the page in `root`.
 *
 * `load` has `index()` (see Snapshot.index), `comparison({board, models, metric})` (see comparison_page in
 * leaderboard/html/compare.py, or {missing}; without models those of the best), `plotly` and `link` (see model.js).
 */
export async function mountCompare(root, load) {
  await firstShown(root);
  const { boards } = await load.index();
  let view = viewOf(asked()); // what is asked for
  let found = null; // what is shown
  const choice = makeChoice(boards, view.board, (board) => change({ board }));
  const offered = el("datalist", { id: "compare-offered" });
  const add = el("input", { class: "qb-search", list: offered.id, "aria-label": "Add a model", placeholder: "Add a model", autocomplete: "off", on: {
    input: ({ inputType }) => inputType !== "insertReplacementText" || addModel(), // chosen from the list
    keydown: ({ key }) => key !== "Enter" || addModel(),
  } });
  const [title, chosen, notice, controls, plot, differences, figures] = ["title", "models", "notice", "controls", "plot", "differences", "figures"]
    .map((name) => el("div", { id: `compare-${name}` }));
  const fetched = fetching(root, plot, "This comparison");
  chosen.classList.add("qb-chips");
  controls.classList.add("qb-bar");
  root.classList.add("qb", "qb-page");
  whenReturned(root, "compare", (query) => show(viewOf(query)), () => found && view.models && remember());
  await show(view);

  function viewOf(query) {
    const { board, models, metric } = fromQuery(query);
    const of = (values, value) => (value in values ? value : "");
    const known = boards.some(({ key }) => key === board) ? board : boards[0].key;
    return { board: known, models: models.length ? models : null, metric, mode: of(MODES, query.get("radar")), form: of(FORMS, query.get("chart")) };
  }

  /** What the visitor chooses is a step that Back takes back. */
  const change = (patch) => show({ ...view, ...patch }, true);

  async function show(next, step = false) {
    view = next;
    const { board, models, metric } = view;
    choice.value = board;
    await fetched(load.comparison({ board, models, metric }).finally(drawFrame), (answer) => {
      found = answer;
      view = { ...view, models: found.chosen, metric: found.metric };
      remember(step);
      return draw();
    });
  }

  function drawFrame() {
    if (root.contains(choice)) return;
    root.replaceChildren(title, choice, el("div", { class: "qb-bar", role: "group", "aria-label": "Models, two to six" }, chosen, add, offered), notice,
      controls, el("div", { class: "qb-beside" }, plot, differences), figures);
  }

  function draw() {
    const kept = document.activeElement;
    const names = new Map(found.offered);
    title.innerHTML = found.title; // all made and escaped by leaderboard/html
    notice.innerHTML = found.notice;
    differences.innerHTML = found.differences;
    figures.innerHTML = found.figures;
    chosen.replaceChildren(...chosenModels(found.chosen.map((id) => [id, names.get(id)]), 0, (id) => change({ models: view.models.filter((one) => one !== id) })));
    add.disabled = found.chosen.length >= found.most;
    offered.replaceChildren(...found.offered.filter(([id]) => !found.chosen.includes(id)).map(([, name]) => el("option", { value: name })));
    const modes = [...new Set(found.charts.map(({ mode }) => mode))];
    const forms = [...new Set(found.charts.map(({ key }) => key))];
    const pick = (name, labels, keys, own) => radios(labels[0], `compare-${name}`, keys.map((key) => [key, labels[1][key]]), keys.includes(view[own]) ? view[own] : keys[0], (key) => {
      view = { ...view, [own]: key };
      remember(true);
      drawChart();
    });
    controls.replaceChildren(
      radios("Figure", "compare-metric", found.metrics, found.metric, (metric) => change({ metric })),
      pick("mode", ["Chart", MODES], modes, "mode"), pick("form", ["Drawn as", FORMS], forms, "form"), linkButton(load.link));
    if (!kept.isConnected) (root.querySelector(`input[name="${kept.name}"]:checked`) ?? add).focus();
    return drawChart();
  }

  async function drawChart() {
    const { charts } = found;
    if (!charts.length) return plot.replaceChildren(markup(found.instead));
    const of = (list, own, name) => list.filter((chart) => list.every((one) => one[name] !== view[own]) || chart[name] === view[own]);
    const [chart] = of(of(charts, "mode", "mode"), "form", "key");
    return mountChart(plot, chart, load.plotly, `compare-${view.board}-${chart.key}`);
  }

  function addModel() {
    const typed = add.value.trim().toLowerCase();
    const others = found.offered.filter(([id]) => !view.models.includes(id));
    const [id] = others.find(([, name]) => name.toLowerCase() === typed) ?? others.find(([, name]) => typed && name.toLowerCase().includes(typed)) ?? [];
    if (!id) return;
    add.value = "";
    change({ models: [...view.models, id] });
  }

  /** Of what is usual the address says nothing. */
  function remember(step = false) {
    const { mode, key } = found.charts[0] ?? {};
    writeOwn(root, {
      tab: "compare",
      board: view.board,
      metric: found.metrics.length ? view.metric : "",
      models: view.models.join(","),
      radar: view.mode !== mode && view.mode,
      chart: view.form !== key && view.form,
    }, step);
  }
}
