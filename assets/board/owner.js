// What waits for review as a list of one line each, decided on by mouse or by key; Python writes what one line opens.

import { authored, button, el, firstShown, markup } from "./dom.js";

const KEYS = "Keys in the list: ↑ ↓ move, space chooses, Enter opens, A accepts, D declines, S chooses all of one account, "
  + "U takes your last decision back, / searches.";
const HEADS = ["Model", "Board", "Figure", "Place", "From", "Look at", "Handed in"];

/** Show what waits; `server` has the functions of leaderboard/pages/owner.py. */
export async function mountOwner(root, server) {
  await firstShown(root);
  let [lines, current, returning] = [[], null, null];
  let sending = Promise.resolve(); // decisions reach the server one after the other
  const chosen = new Set();
  const opened = new Map();  // digest -> the element below its line
  const undone = [];  // what each decision of this visit was about, the last at the end

  const head = el("h2", {});
  const search = el("input", { type: "search", class: "qb-search", "aria-label": "Search", placeholder: "Search", on: { input: draw } });
  const all = el("input", { type: "checkbox", "aria-label": "Choose all that are shown", on: { change: chooseAll } });
  const accept = button("Accept", () => decide("accept", targets()));
  const decline = button("Decline", () => decide("decline", targets(), reason.value));
  const reason = el("input", { class: "qb-search", "aria-label": "Reason, for all to read", placeholder: "Reason, for all to read", maxlength: 500 });
  const said = el("p", { class: "qb-status", role: "status" });
  const list = el("ul", { class: "qb-lines", "aria-label": "What waits for review", on: { keydown: pressed } });
  const [decided, state] = [el("div"), el("div")];
  const tools = el("div", { class: "qb-review-tools" },
    el("label", { class: "qb-choose-all" }, all, " all"), search, accept, reason, decline,
    button("Look again", look), said);
  const waits = el("section", {}, head, tools, el("p", { class: "qb-quiet qb-keys" }, KEYS),
    el("div", { class: "qb-line qb-heads", "aria-hidden": "true" }, el("span"), HEADS.map((name) => el("span", {}, name))), list);
  const leave = (event, act) => {
    if (event.key === "Enter") act();
    if (event.key === "Escape" || event.key === "Enter") { event.preventDefault(); focusCurrent(); }
  };
  search.addEventListener("keydown", (event) => leave(event, () => {}));
  reason.addEventListener("keydown", (event) => leave(event, () => decline.click()));
  decided.addEventListener("click", ({ target }) => {
    const digest = target.closest("[data-back]")?.dataset.back;
    if (digest) decide("back", [digest]);
  });
  root.replaceChildren(el("div", { class: "qb qb-page qb-review" }, waits, decided, state));
  await look();

  /** Ask what waits now; an answer from before a later decision is not shown. */
  async function look() {
    const before = sending;
    const told = await server.owner_look(null);
    if (sending !== before) return;
    if (told.refused) {
      root.replaceChildren(el("p", { role: "status" }, told.refused));
      return;
    }
    lines = told.waiting;
    if (lines.some(({ digest }) => digest === returning)) [current, returning] = [returning, null];
    decided.replaceChildren(markup(told.decided));
    state.replaceChildren(markup(told.state));
    draw();
  }

  function decide(decision, digests, why = "") {
    if (!digests.length) return;
    const rows = shown().map(({ digest }) => digest);
    const after = rows.slice(rows.indexOf(current)).find((digest) => !digests.includes(digest));
    current = after ?? rows.findLast((digest) => !digests.includes(digest));
    lines = lines.filter(({ digest }) => !digests.includes(digest));
    if (decision === "back") [returning] = digests;
    else undone.push(digests);
    for (const digest of digests) chosen.delete(digest);
    reason.value = "";
    draw();
    focusCurrent();
    const sent = sending = sending.then(() => server.owner_decide({ decision, of: digests, reason: why }))
      .catch(() => ({ refused: "The decision could not be sent, and may not have been made; look again." }))
      .then((answer) => { said.textContent = answer.said ?? answer.refused; });
    sent.then(() => sent === sending && look());
  }

  function shown() {
    const words = search.value.toLowerCase().split(/\s+/);
    return lines.filter((line) => words.every((word) => Object.values(line).join(" ").toLowerCase().includes(word)));
  }

  /** What a decision is about: what is chosen of the lines that are seen. */
  function targets() {
    return shown().map(({ digest }) => digest).filter((digest) => chosen.has(digest));
  }

  function chooseAll() {
    for (const { digest } of shown()) chosen[all.checked ? "add" : "delete"](digest);
    mark();
  }

  function chooseSource(source) {
    for (const line of shown()) if (line.source === source) chosen.add(line.digest);
    mark();
  }

  function draw() {
    const inside = list.contains(document.activeElement);
    const rows = shown();
    if (!rows.some(({ digest }) => digest === current)) current = rows[0]?.digest;
    head.textContent = lines.length ? `${lines.length} ${lines.length === 1 ? "submission" : "submissions"} for review`
      : "No submission is waiting for review";
    waits.classList.toggle("qb-none", !lines.length);
    list.replaceChildren(...rows.map(row));
    mark();
    if (inside) focusCurrent();
  }

  function row({ digest, model, board, figure, place, source, flags, at }) {
    const choose = el("input", { type: "checkbox", "aria-label": `Choose ${model} of ${source}`, on: {
      change: () => { chosen[choose.checked ? "add" : "delete"](digest); mark(); },
    } });
    const same = button(authored(source), () => chooseSource(source), { class: null, title: `Choose all of ${source}` });
    const name = button(authored(model), () => open(digest), { class: "qb-name" });
    return el("li", { data: { digest }, on: { focusin: () => { current = digest; mark(); } } },
      el("div", { class: "qb-line" }, choose, name, [board, figure, place].map((text) => el("span", { title: text }, authored(text))),
        same, el("span", { title: flags }, flags), el("span", {}, at)), opened.get(digest));
  }

  /** Say on the lines and on the buttons what is chosen; keys reach one line, as in every list. */
  function mark() {
    for (const line of list.children) {
      const { digest } = line.dataset;
      const [choose, ...others] = line.querySelectorAll(".qb-line > :is(input, button)");
      choose.checked = chosen.has(digest);
      for (const part of [choose, ...others]) part.tabIndex = digest === current ? 0 : -1;
      others[0].setAttribute("aria-expanded", String(opened.has(digest)));
      line.classList.toggle("qb-current", digest === current);
    }
    const number = targets().length;
    all.checked = number > 0 && number === list.children.length;
    for (const [one, label] of [[accept, "Accept"], [decline, "Decline"]]) {
      one.textContent = number ? `${label} ${number}` : label;
      one.disabled = !number;
    }
  }

  function focusCurrent() {
    list.querySelector(".qb-current input")?.focus();
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest(".qb-opened")) return;
    const rows = [...list.children];
    const at = rows.findIndex(({ dataset }) => dataset.digest === current);
    const move = (to) => rows[Math.max(0, Math.min(rows.length - 1, to))]?.querySelector("input").focus();
    const act = {
      arrowdown: () => move(at + 1), arrowup: () => move(at - 1), j: () => move(at + 1), k: () => move(at - 1),
      home: () => move(0), end: () => move(rows.length),
      a: () => decide("accept", targets().length ? targets() : [current]),
      d: () => { if (!targets().length) chosen.add(current); mark(); reason.focus(); },
      s: () => chooseSource(lines.find(({ digest }) => digest === current).source),
      u: () => decide("back", undone.pop() ?? []),
      "/": () => search.focus(),
      enter: event.target.matches("input") && (() => open(current)),
    }[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  async function open(digest) {
    if (opened.delete(digest)) {
      draw();
      return;
    }
    const below = el("div", { class: "qb-opened" }, "Loading…");
    opened.set(digest, below);
    draw();
    const told = await server.owner_open(digest).catch(() => ({ refused: "This could not be loaded; open it again." }));
    below.replaceChildren(...(told.refused ? [told.refused] : [markup(told.html),
      el("details", {}, el("summary", {}, "The file as it is stored"), el("pre", { tabindex: 0 }, told.file))]));
  }
}
