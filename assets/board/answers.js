// mountAnswers: every answer to the questions of one set, of one to four models side by side. See leaderboard/analysis/answers.py.

import { csv, save } from "./download.js";
import { authored, button, chosenModels, el, fetching, firstShown, hiddenText, radios, safeLink, select, whenNear } from "./dom.js";
import { asked, linkButton, whenReturned, writeOwn } from "./history.js";
import { count } from "./text.js";

const MOST = 4;
const AT_ONCE = 40; // rows that are drawn, and as many more when their end is seen
const SIGNS = { r: ["✓", "right"], w: ["✗", "wrong"], u: ["?", "not read"], v: ["", ""], "-": ["–", "no answer"] };
const SHOWS = { wrong: "Wrong", unread: "Unreadable", differ: "Models differ", all: "All" };
const SAID = { wrong: " answered wrong", unread: " with an unreadable answer", differ: " on which the models differ", all: "" };

/**
 * Show the page in `root`. `load` has `index()` ([{key, title, task}]), `set(key)` (see answers_json), `photo(name)`, the
 * address of a photo of a demo set or null where there are none, and `link` (see model.js).
 */
export async function mountAnswers(root, load) {
  await firstShown(root);
  const sets = await load.index();
  let [view, data] = [null, null];
  let found = []; // places in `data.names` of what passes the filters
  const tasks = [...Map.groupBy(sets, ({ task }) => task)].map(([task, of]) => [task, of.map(({ key, title }) => [key, title])]);
  const choice = select("Questions", tasks, (of) => go({ of }), { class: "qb-select qb-board-choice" });
  const fetched = fetching(root, root, "These answers", choice);
  const search = el("input", { type: "search", class: "qb-search", placeholder: "Search", "aria-label": "Search answers", on: { input: () => change({ q: search.value }) } });
  const [chosen, filters, status, list] = ["models", "filters", "status", "list"].map((name) => el("div", { id: `answers-${name}` }));
  const end = el("div");
  const dialog = el("dialog", { class: "qb-dialog qb-answer", on: {
    close: () => view.item && change({ item: "" }),
    click: ({ target }) => target === dialog && dialog.close(),
    keydown: ({ key }) => ({ ArrowLeft: () => step(-1), ArrowRight: () => step(1) })[key]?.(),
  } });
  [chosen.className, filters.className, status.className, list.className, status.role] = ["qb-bar", "qb-bar", "qb-status", "qb-scroll", "status"];
  root.classList.add("qb", "qb-page", "qb-answers");
  whenNear(end, drawMore);
  whenReturned(root, "answers", restore, () => remember());
  await restore(asked());

  function restore(query) {
    const groups = Object.fromEntries([...query].filter(([name, value]) => name.startsWith("g.") && value).map(([name, value]) => [name.slice(2), value]));
    const get = (name) => query.get(name) ?? "";
    return go({ of: get("of"), by: get("by").split(",").filter(Boolean), show: get("show"), q: get("q"), item: get("item"), groups });
  }

  /** Show another set, or what an address asks for. */
  async function go({ of, by = [], show = "", q = "", item = "", groups = {} }) {
    const { key } = sets.find((one) => one.key === of) ?? sets[0];
    choice.value = key;
    await fetched(data?.key === key ? Promise.resolve(data) : load.set(key).then(prepared), (given) => {
      data = given;
      if (!root.contains(list)) draw();
      const known = by.map((id) => data.answerers.find((one) => one.id === id || one.model === id)?.id).filter(Boolean);
      search.value = q;
      view = { of: key, by: [...new Set(known.length ? known : [data.answerers[0].id])].slice(0, MOST), show, q, item, groups };
      change({});
    });
  }

  function draw() {
    root.replaceChildren(el("header", { class: "qb-header" }, el("h1", {}, "What did the models answer?"),
      el("p", {}, "Each row is one question: its right answer, and what each chosen model answered.")), choice, chosen,
      el("div", { class: "qb-bar" }, filters, search,
        button("CSV", download), linkButton(load.link)), status, list, end, dialog);
  }

  function asking() {
    return view.by.map((id) => data.answerers.find((one) => one.id === id));
  }

  /** What a visitor chooses; the address keeps it. */
  function change(patch) {
    view = { ...view, ...patch };
    const models = asking();
    const passing = placesThatPass(data, models, view);
    const shows = Object.keys(SHOWS).filter((key) => key === "all" || (data.graded && (key !== "differ" || models.length > 1)));
    const show = shows.includes(view.show) ? view.show : shows[0];
    const shown = Object.fromEntries(shows.map((key) => [key, passing.filter((place) => shownBy(key, models, place))]));
    found = shown[show];
    const kept = document.activeElement;
    drawModels(models);
    filters.replaceChildren(
      radios("Which answers", "answers-show", shows.map((key) => [key, `${SHOWS[key]} ${shown[key].length.toLocaleString("en")}`]), show, (key) => change({ show: key })),
      ...data.groups.filter(({ members }) => members.length > 1).map(({ key, label, members, titles }) =>
        select(label, [["", `${label}: all`], ...members.map((one) => [one, titles[one] ?? one])],
          (one) => change({ groups: { ...view.groups, [key]: one } }), { name: key }, view.groups[key])));
    if (!kept?.isConnected && kept?.name) root.querySelector(`[name="${kept.name}"]${kept.type === "radio" ? ":checked" : ""}`)?.focus();
    status.replaceChildren(...[`${found.length.toLocaleString("en")} of ${count(data.names.length, data.graded ? "question" : "photo")}${SAID[show]}`,
      data.graded && models.length > 1 && show !== "all" && show !== "differ" ? `, by ${models[0].name}` : "",
      show === "wrong" && shown.unread.length ? `; the answers to ${shown.unread.length} more are unreadable` : "",
      data.list ? [data.graded ? ". The questions are not kept here; they are in " : ". Photos and people's scores are not kept here; they are in ", safeLink(data.list.url, data.list.title)] : "", models[0].said || !models[0].url ? "" : [
        ". Only the letter that each reply was read as is kept here; the replies are at ", safeLink(models[0].url, "their source")], "."].flat());
    list.replaceChildren(found.length ? table(models) : el("p", { class: "qb-empty" }, "No answer passes these filters."));
    drawMore();
    open(models);
    remember();
  }

  function drawModels(models) {
    const others = data.answerers.filter(({ id }) => !view.by.includes(id));
    const named = (all) => all.map(({ id, name }) => [id, name]);
    const add = select("Add a model", [["", "Add a model"], ...named(others)], (id) => change({ by: [...view.by, id] }), { name: "add", disabled: models.length >= MOST });
    chosen.replaceChildren(el("div", { class: "qb-chips", role: "group", "aria-label": "Models, one to four" },
      chosenModels(named(models), 1, (id) => change({ by: view.by.filter((one) => one !== id) }))), others.length ? add : "");
  }

  function table(models) {
    const heads = [data.graded ? "Question" : "Photo", data.right && right(), ...models.map(({ name }) => authored(name))];
    return el("table", { class: "qb-data qb-replies" }, el("thead", {}, el("tr", {}, heads.filter(Boolean).map((head) => el("th", { scope: "col" }, head)))), el("tbody"));
  }

  function right() {
    return data.graded ? "Right" : "People";
  }

  function drawMore() {
    const body = list.querySelector("tbody");
    if (!body) return false;
    const models = asking();
    body.append(...found.slice(body.rows.length, body.rows.length + AT_ONCE).map((place) => el("tr", {},
      el("th", { scope: "row" }, button([photos(place, true), el("span", {}, titleOf(place), el("small", {}, data.told[place]))], () => change({ item: data.names[place] }), { class: null })),
      data.right && el("td", { "data-of": right() }, data.right[place]),
      models.map((by) => el("td", { "data-of": by.name }, verdict(by, place), by.said?.[place] && !by.read[place].endsWith(by.said[place]) && el("small", {}, by.said[place]))))));
    return body.rows.length < found.length;
  }

  function titleOf(place) {
    return data.questions?.[place] || data.images?.[place].join(", ") || data.names[place];
  }

  function photos(place, small) {
    return data.photos && data.images[place].slice(0, small ? 1 : 4).map((name) => load.photo(name)
      && el("img", { src: load.photo(name), alt: small ? "" : name, loading: "lazy" }));
  }

  /** One question, with what each model said in full. */
  function open(models) {
    const place = data.names.indexOf(view.item);
    if (place < 0) return dialog.open && dialog.close();
    const at = found.indexOf(place);
    const turn = (by, label) => button(label, () => step(by), { disabled: at < 0 || !(at + by in found) });
    dialog.replaceChildren(el("div", {},
      el("form", { method: "dialog" }, turn(-1, "‹ Previous"), " ", turn(1, "Next ›"), " ", el("button", { class: "qb-button" }, "Close")),
      el("h3", {}, titleOf(place)),
      el("p", { class: "qb-quiet" }, [data.questions && data.names[place], data.told[place]].filter(Boolean).join(" · ")),
      photos(place), data.options?.[place].length > 0 && el("p", {}, `Options: ${data.options[place].join(" · ")}`),
      data.right?.[place] && el("p", {}, `${right()}: ${data.right[place]}`),
      models.map((by) => el("section", {}, el("h4", {}, authored(by.name)), el("p", {}, verdict(by, place)),
        by.said?.[place] && el("blockquote", { dir: "auto" }, by.said[place]),
        by.reasons?.[place] && el("p", { class: "qb-quiet" }, by.reasons[place])))));
    dialog.setAttribute("aria-label", data.names[place]);
    if (!dialog.open) dialog.showModal();
    return undefined;
  }

  function step(by) {
    const next = found[found.indexOf(data.names.indexOf(view.item)) + by];
    if (next !== undefined) change({ item: data.names[next] });
  }

  function remember() {
    const { groups, by, ...own } = view ?? {};
    if (view) writeOwn(root, { tab: "answers", ...own, by: by.join(","), ...Object.fromEntries(Object.entries(groups).map(([name, value]) => [`g.${name}`, value])) });
  }

  function download() {
    const models = asking();
    const head = ["Name", "Question", ...data.groups.map(({ label }) => label), right()];
    const rows = found.map((place) => [data.names[place], data.questions?.[place] ?? "", ...data.groups.map(({ names, of }) => names[of[place]]), data.right?.[place] ?? "",
      ...models.flatMap((by) => [by.read[place], SIGNS[by.signs[place]][1], by.said?.[place] ?? "", by.reasons?.[place] ?? ""])]);
    save(`answers-${data.key}.csv`, "text/csv", csv([[...head, ...models.flatMap(({ name }) => [`${name}: read as`, `${name}: verdict`, `${name}: said`, `${name}: reason`])], ...rows]));
  }
}

/** How an answer was read, with a sign and a word for whether it is right. */
function verdict(by, place) {
  const [sign, word] = SIGNS[by.signs[place]];
  return el(by.signs[place] === "w" ? "strong" : "span", {}, sign && el("span", { "aria-hidden": true }, `${sign} `),
    by.read[place] || word, by.read[place] && hiddenText(` ${word}`));
}

/** A set with what its filters look through, worked out once. */
function prepared(data) {
  const groups = data.groups.map((one) => ({ ...one, members: [...new Set(one.names.join(", ").split(", "))].filter(Boolean).sort() }));
  const told = data.names.map((_, place) => groups.map(({ names, titles, of }) => titles[names[of[place]]] ?? names[of[place]]).filter(Boolean).join(" · "));
  return {
    ...data,
    groups,
    told,
    graded: data.answerers.some(({ signs }) => /[rwu]/.test(signs)),
    searched: data.names.map((name, place) => [name, data.questions?.[place], data.options?.[place].join(" "), told[place]].join("\n").toLowerCase()),
    answerers: data.answerers.map((by) => ({ ...by, searched: by.said?.map((text) => text.toLowerCase()) })),
  };
}

/** Places of the questions that the search finds, here or in what one of the models said, and that are of the groups. */
function placesThatPass(data, models, { q, groups }) {
  const terms = q.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = data.groups.filter(({ key, members }) => members.includes(groups[key]))
    .map(({ key, names, of }) => ({ of, passing: names.map((name) => name.split(", ").includes(groups[key])) }));
  return data.names.map((_, place) => place).filter((place) =>
    wanted.every(({ of, passing }) => passing[of[place]])
    && terms.every((term) => data.searched[place].includes(term) || models.some(({ searched }) => searched?.[place].includes(term))));
}

const shownBy = (show, models, place) => show === "all"
  || (show === "differ" ? new Set(models.map(({ read }) => read[place])).size > 1 : models[0].signs[place] === show[0]);
