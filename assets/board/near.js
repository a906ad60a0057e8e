// What an empty search may have meant: models of this and other boards by the words searched for, or by near names.

import { termsOf } from "./data.js";
import { authored, button, el } from "./dom.js";

const NEAR = 0.6;
const MOST = 3;

/**
 * At most three of `models` (see listed_models in leaderboard/analysis/model.py) that a search means, nearest first.
 * Returns {near, found}; `near` says that their names are merely near.
 */
export function meant(models, search) {
  const terms = termsOf(search);
  const ranked = models.filter(({ reference }) => !reference)
    .map((model) => ({ model, like: likeness(plain(search), plain(model.name)) })).sort((a, b) => b.like - a.like);
  const exact = ranked.filter(({ model: { id, name, maker } }) => terms.every((term) => `${id} ${name} ${maker}`.toLowerCase().includes(term)));
  const chosen = exact.length ? exact : ranked.filter(({ like }) => like >= NEAR);
  return { near: !exact.length, found: chosen.slice(0, MOST).map(({ model }) => model) };
}

const plain = (name) => name.toLowerCase().replace(/[^\p{L}\p{N}+]/gu, "");

/** Share of two names that is the same signs in the same order: of their longest common subsequence. */
function likeness(one, other) {
  let row = new Array(other.length + 1).fill(0);
  for (const sign of one) {
    const next = [0];
    for (let i = 0; i < other.length; i += 1) next.push(sign === other[i] ? row[i] + 1 : Math.max(row[i + 1], next[i]));
    row = next;
  }
  return (2 * row.at(-1)) / (one.length + other.length || 1);
}

/**
 * Where what was meant stands: a button searches for a model of this board, links lead to others.
 *
 * `boards` are the index's; `address(board, name)` is the link to a board where a name is searched for.
 */
export const places = (found, here, boards, address, onSearch) =>
  el("ul", { class: "qb-meant" }, found.map(({ name, boards: keys }) => el("li", {},
    keys.includes(here) ? button(authored(name), () => onSearch(name), { class: "qb-plain" }) : [authored(name), ": "],
    !keys.includes(here) && boards.filter(({ key }) => keys.includes(key)).flatMap(({ key, title }, i) =>
      [i > 0 && " · ", el("a", { href: address(key, name) }, title)]))));
