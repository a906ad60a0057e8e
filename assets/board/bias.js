// mountBias: the Bias page. Strips on habits of answering: a finding, charts and a table. Some have a choice.

import { mountChart } from "./chart.js";
import { el, firstShown, markup, radios } from "./dom.js";
import { asked, linkButton, whenReturned, writeOwn } from "./history.js";

/** Show the page in `root`. `load` has `bias()` (see bias_json in leaderboard/html/bias.py), `plotly` and `link` (see model.js). */
export async function mountBias(root, load) {
  await firstShown(root);
  const { introduction, groups } = await load.bias();
  const chosen = {};
  const places = groups.map(() => el("div"));
  root.classList.add("qb", "qb-page");
  root.replaceChildren(markup(introduction), el("div", { class: "qb-chart-tools" }, linkButton(load.link)), ...places);
  const remember = (step) => writeOwn(root, { tab: "bias", ...chosen }, step);
  whenReturned(root, "bias", restore, () => remember(false));
  await restore(asked());

  function restore(query) {
    return Promise.all(groups.map(({ name, label, choices }, place) => {
      const strips = el("div");
      const show = (key) => {
        chosen[name] = key === choices[0].key ? "" : key; // the usual choice needs no name in the address
        return draw(strips, choices.find((choice) => choice.key === key).strips);
      };
      const first = (choices.find(({ key }) => key === query.get(name)) ?? choices[0]).key;
      places[place].replaceChildren(radios(label, `bias-${name}`, choices.map((choice) => [choice.key, choice.label]), first, (key) => {
        show(key);
        remember(true);
      }), strips);
      return show(first);
    }));
  }

  function draw(place, strips) {
    const drawn = strips.map((strip) => ({ strip, plots: strip.charts.map(({ key }) => el("div", { id: `bias-${key}` })) }));
    place.replaceChildren(...drawn.flatMap(({ strip, plots }) => [markup(strip.head), el("div", { class: "qb-beside" }, plots), markup(strip.foot)]));
    return Promise.all(drawn.flatMap(({ strip, plots }) => strip.charts.map((chart, i) => mountChart(plots[i], chart, load.plotly, `bias-${chart.key}`))));
  }
}
