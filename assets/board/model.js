// mountModel: the page of one model. Its permalink is ?tab=model&model=ID.

import { FORMS, mountChart } from "./chart.js";
import { authored, copyWithin, el, fetching, firstShown, markup, radios, select } from "./dom.js";
import { asked, linkButton, whenReturned, writeOwn } from "./history.js";
import { count } from "./text.js";

/**
 * Show one model in `root`.
 *
 * `load` has `index()` ([{id, name, maker or "", kind, reference}]), `model(id)` (see model_json in leaderboard/html/model.py, or
 * {missing}), `plotly`, the address of its script, and `link`, where links start (null for this page's own address).
 */
export async function mountModel(root, load) {
  await firstShown(root);
  const models = await load.index();
  const choice = select("Model", [["", "Choose a model"], ...models.map(({ id, name }) => [id, name])], go, { class: "qb-select qb-board-choice" });
  const page = el("div");
  const fetched = fetching(root, page, "This model");
  root.classList.add("qb", "qb-page", "qb-model-page");
  root.replaceChildren(el("div", { class: "qb-bar" }, choice, linkButton(load.link)), page);
  copyWithin(root);
  whenReturned(root, "model", () => show(named()), () => {
    if (named() && named() !== choice.value) show(named());
    else if (choice.value) write(root, choice.value);
  });
  await show(named());

  async function show(id) {
    choice.value = id;
    await fetched(id ? load.model(id) : Promise.resolve(null), async (found) => {
      if (!found) return page.replaceChildren(directory(models));
      choice.value = found.id; // the address may name it otherwise
      const block = el("section", { class: "qb-block" });
      page.replaceChildren(markup(found.head), block, markup(found.rest));
      return drawn(block, found, found.charts.find(({ key }) => key === askedForm()) ?? found.charts[0]);
    });
  }

  /** One of a model's charts, and the choice among them. */
  async function drawn(block, found, chart) {
    if (!chart) return;
    const place = el("div");
    block.replaceChildren(radios("Drawn as", "model-form", found.charts.map(({ key }) => [key, FORMS[key]]), chart.key, (key) => {
      write(root, found.id, false, key);
      draw(found.charts.find((one) => one.key === key));
    }), place);
    const draw = (one) => mountChart(place, one, load.plotly, `${found.id.replace(/[^\w.-]+/g, "-")}-${one.key}`);
    await draw(chart);
  }

  function go(id) {
    write(root, id, true);
    show(id);
  }
}

const NO_MAKER = "Maker not recorded";

/** All models by who made them, for whoever has not chosen one. */
function directory(models) {
  const groups = [...Map.groupBy(models, ({ maker }) => maker || NO_MAKER)]
    .sort(([a], [b]) => (a === NO_MAKER) - (b === NO_MAKER) || a.localeCompare(b, "en"));
  return el("div", { class: "qb-directory" },
    el("h1", {}, "All models"),
    el("p", { class: "qb-finding" }, `${count(models.filter(({ reference }) => !reference).length, "model")}, by who made them. Of each: facts with sources, figures and ranks on all boards, habits, and how to run it.`),
    groups.map(([maker, made]) => el("section", {}, el("h3", {}, authored(maker)), el("ul", {}, made.map(({ id, name }) =>
      el("li", {}, el("a", { href: `?${new URLSearchParams({ tab: "model", model: id })}` }, authored(name))))))));
}

/** The model that the address names. */
const named = () => asked().get("model") ?? "";

const askedForm = () => asked().get("chart") ?? "radar";

const write = (root, id, step = false, form = askedForm()) => writeOwn(root, { tab: "model", model: id, chart: form === "dots" ? form : "" }, step);
