// mountBoards: the Leaderboard page. Chooses a board, fetches its payload once, keeps the address in step.

import { el, explained, fetching, isShown, questioned, select } from "./dom.js";
import { asked, whenReturned, writeAddress } from "./history.js";
import { mountTable } from "./table.js";
import { count } from "./text.js";
import { boardQuery, DEFAULT_VIEW, fromQuery } from "./view.js";

/**
 * Show all boards in `root`.
 *
 * `index` (see Snapshot.index in leaderboard/snapshot.py) lists the boards; `load(key)` resolves to the payload of one.
 */
export async function mountBoards(root, index, load) {
  const answers = {};
  let pending, current;
  const title = el("h1");
  const groups = el("nav", { class: "qb-groups", "aria-label": "Kinds of board" });
  const sentence = el("p", { class: "qb-sentence" });
  const holder = el("div");
  const others = { boards: index.boards, models: () => once("models") };
  const first = fromQuery(asked());
  const choice = makeChoice(index.boards, first.board, (board) => show({ ...DEFAULT_VIEW, board }, true));
  const fetched = fetching(holder, holder, "This board", choice);
  root.classList.add("qb");
  root.replaceChildren(
    groups,
    el("header", { class: "qb-header" }, title,
      el("p", { class: "qb-quiet" }, `${count(index.models, "model")} on all boards · data as of ${index.as_of}`)),
    sentence, holder, footer(index.problems));

  whenReturned(root, "leaderboard", (query) => show(known(fromQuery(query))), () => current && write());
  await show(known(first));

  function known(view) {
    return index.boards.some(({ key }) => key === view.board) ? view : { ...view, board: index.boards[0].key };
  }

  /** Each is asked for once; a failed answer is not kept. */
  function once(key) {
    return answers[key] ??= load(key).catch((fault) => { delete answers[key]; throw fault; });
  }

  /** `step` is whether Back leads to what was shown before. */
  async function show(view, step = false) {
    const chosenByHand = document.activeElement === choice;
    choice.value = view.board;
    describe(view.board);
    await fetched(once(view.board), (payload) => {
      const place = el("div");
      holder.replaceChildren(place);
      const shown = mountTable(place, payload, { view, onView: remember, address, papers: index.papers, leading: choice, others });
      if (chosenByHand) choice.focus();
      remember(shown, step);
    });
  }

  function describe(key) {
    const board = index.boards.find((listed) => listed.key === key);
    const anchor = board.method.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    title.textContent = board.question || board.title;
    groups.replaceChildren(...grouped(index.boards).map(([group, [first]]) => el("a", {
      href: `?${queryOf({ ...DEFAULT_VIEW, board: first.key })}`, "aria-current": group === board.group?.[0] ? "true" : null, data: { tip: first.group[1] },
    }, group)));
    sentence.replaceChildren(...board.told.map((part) => (typeof part === "string" ? part : explained(part))),
      ...board.terms.flatMap((term) => [" ", questioned(term)]),
      ...(index.about ? [" ", el("a", { href: `${index.about}#${anchor}` }, "How it is measured")] : []));
  }

  /** Steps at once; not every keystroke, for browsers limit how often an address may change. */
  function remember(view, step = false) {
    current = view;
    clearTimeout(pending);
    if (step) write(true);
    else pending = setTimeout(write, 150);
  }

  function write(step = false) {
    if (!isShown(root)) return; // the address belongs to another tab
    writeAddress(queryOf(current, asked()), step);
  }

  function address(view) {
    return `${index.link ?? location.origin + location.pathname}?${queryOf(view)}`;
  }

  /** The first board needs no name in the address. */
  function queryOf(view, others) {
    return boardQuery({ ...view, board: view.board === index.boards[0].key ? "" : view.board }, others);
  }
}

/** Boards by the titles of their groups, of which the first is the one to begin with. */
const grouped = (boards) => [...Map.groupBy(boards.filter(({ group }) => group), ({ group: [title] }) => title)];

/** A choice of boards by what they answer, in groups by what a person wants; empty ones only if asked for. */
export function makeChoice(boards, asked, onChange) {
  const offered = boards.filter(({ key, empty }) => !empty || key === asked || key === boards[0].key);
  const option = ({ key, title, question }, place) => [key, `${question ? `${question} · ${title}` : title}${place === 0 ? " (recommended)" : ""}`];
  const groups = grouped(offered).map(([title, members]) => [`${title}: ${members[0].group[1]}`, members.map(option)]);
  return select("Board", [...groups, ...offered.filter(({ group }) => !group).map((board) => option(board))], onChange, { class: "qb-select qb-board-choice" });
}

function footer(problems) {
  if (!problems.length) return "";
  return el("details", { class: "qb-problems" },
    el("summary", {}, `${count(problems.length, "record")} could not be read`),
    el("ul", {}, problems.map(({ where, reason }) => el("li", {}, el("code", {}, where), ` ${reason}`))));
}
