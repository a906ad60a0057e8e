// Filters that one click sets and takes back: the questions that people ask most.

import { button, el } from "./dom.js";
import { GENERAL } from "./text.js";

/** Billions of parameters of what is called 8B; `SMALL` of leaderboard/analysis/overview.py. */
const SMALL = [null, 8.9];

/** What each chip sets, and what takes it back; `useful` says whether the board has rows on both sides of it. */
const CHIPS = [
  {
    label: "open, up to 8B",
    tip: "Shows models with public weights and less than 9 billion parameters (models called 8B may have a little more than 8). Models of unknown size are hidden.",
    on: ({ weights, size }) => weights === "open" && size[0] === null && size[1] === SMALL[1],
    set: () => ({ weights: "open", size: SMALL }),
    clear: () => ({ weights: "", size: [null, null] }),
    useful: ({ models, ranked }) => split(ranked, (row) => models.open[row] === true && models.parameters[row] <= SMALL[1]
      && models.parameters[row] !== null),
  },
  {
    label: "not trained on these data",
    tip: "Hides models that were trained on any of the data shown, if their sources say so.",
    on: ({ untrained }) => untrained,
    set: () => ({ untrained: true }),
    clear: () => ({ untrained: false }),
    useful: ({ trained, columns }) => trained.length > 0 || columns.some((column) => column.in_training),
  },
  {
    label: "no known training on quality",
    tip: "Hides models that were tuned for low-level vision or trained on ratings, if a source says so.",
    on: ({ facets }) => facets.class === GENERAL,
    set: ({ facets }) => ({ facets: { ...facets, class: GENERAL } }),
    clear: ({ facets: { class: _, ...others } }) => ({ facets: others }),
    useful: ({ models, ranked }) => split(ranked, (row) => models.class[row] === GENERAL),
  },
  {
    label: "show all sources",
    tip: "If several sources print a model's figures, each gets its own row below the one that ranks.",
    on: ({ allSources }) => allSources,
    set: () => ({ allSources: true }),
    clear: () => ({ allSources: false }),
    useful: ({ sourceRows }) => sourceRows.size > 0,
  },
];

const split = (rows, passes) => {
  const passing = rows.filter(passes).length;
  return passing > 0 && passing < rows.length;
};

/** Chips for one board; returns {element, update(view)}. */
export function makeChips(data, change) {
  let view;
  const chips = CHIPS.filter(({ useful }) => useful(data)).map((chip) => ({
    chip,
    element: button(chip.label, () => change(chip.on(view) ? chip.clear(view) : chip.set(view)), { class: "qb-chip", data: { tip: chip.tip } }),
  }));
  return {
    element: chips.length ? el("div", { class: "qb-chips", role: "group", "aria-label": "Quick filters" }, chips.map(({ element }) => element)) : "",
    update(next) {
      view = next;
      for (const { chip, element } of chips) element.setAttribute("aria-pressed", chip.on(view));
    },
  };
}
