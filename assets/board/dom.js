// Elements made by hand: whatever an author wrote becomes a text node, never markup.

/** Make an element. `on` holds listeners, `data` data attributes; strings among the children become text. */
export function el(tag, { on = {}, data = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "checked" || name === "value") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const [name, value] of Object.entries(data)) if (value != null) element.dataset[name] = value;
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A button; `act` is told of clicks. */
export const button = (label, act = null, more = {}) => el("button", { type: "button", class: "qb-button", ...more, on: { click: act } }, label);

/** A closed list of [value, label], or of [heading, such a list]; `choose(value)` is told of another. */
export const select = (label, choices, choose, more = {}, chosen = null) =>
  el("select", { "aria-label": label, class: "qb-select", ...more, on: { change: ({ target }) => choose(target.value) } }, options(choices, chosen));

const options = (choices, chosen) => choices.map(([key, label]) => (Array.isArray(label)
  ? el("optgroup", { label: key }, options(label, chosen))
  : el("option", { value: key, selected: key === chosen }, label)));

/** Models that are chosen, as [id, name], each with a button that takes it away; `fewest` of them stay. */
export const chosenModels = (models, fewest, remove) => models.map(([id, name]) =>
  button([authored(name), models.length > fewest && " ×"], () => remove(id), { class: "qb-chip", "aria-label": `Remove ${name}`, disabled: models.length <= fewest }));

/** Text for screen readers only. */
export const hiddenText = (text) => el("span", { class: "qb-sr" }, text);

/** A link, if the address is one a browser may open. */
export function safeLink(address, text) {
  return /^https?:\/\//i.test(address)
    ? el("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, text)
    : document.createTextNode(text);
}

/** An author's name: any script, any direction, any length. */
export const authored = (text, attributes = {}) => el("bdi", { dir: "auto", ...attributes }, text);

/** A word of the field with its meaning (see leaderboard/tables/terms.py), told on hover, on focus and on a tap. */
export const explained = ([term, meaning], text = term) => el("span", { class: "qb-term", tabindex: 0, data: { tip: meaning } }, text);

/** The same where the word itself cannot carry it: in a picture, or in a closed list. */
export const questioned = (term) => explained(term, `What is ${term[0]}?`);

/** Whether an element is on an open tab. */
export const isShown = (element) => element.offsetParent !== null;

/** Resolves when a script of this address has run. */
export const loadScript = (src) => new Promise((resolve, reject) => {
  document.head.append(el("script", { src, on: { load: resolve, error: () => reject(new Error(`${src} could not be fetched`)) } }));
});

/** Act now if the element is shown, and whenever its tab is opened. */
export const whenShown = (element, act) => new IntersectionObserver(() => isShown(element) && act()).observe(element);

/** Resolves when the element is seen first. */
export const firstShown = (element) => new Promise((resolve) => { whenShown(element, resolve); });

/** Call `more` whenever the end of a list comes near the window, and again while it stays there, until there is no more. */
export function whenNear(end, more) {
  const watch = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting || !more()) return;
    watch.unobserve(end); // what is observed anew is told of at once
    watch.observe(end);
  }, { rootMargin: "1000px" });
  watch.observe(end);
}

/**
 * Returns fetched(answer, show): `root` is busy until the answer comes, which is shown unless another was asked for since.
 *
 * Of an answer that does not come, or only says what is `missing`, `place` says so, below what is `kept` there.
 */
export function fetching(root, place, what, ...kept) {
  let last;
  return async function fetched(answer, show) {
    last = answer;
    root.setAttribute("aria-busy", "true");
    const found = await answer.catch(() => ({ missing: `${what} could not be fetched. Reload the page to try again.` }));
    if (last !== answer) return undefined;
    root.removeAttribute("aria-busy");
    return found?.missing ? place.replaceChildren(...kept, el("p", { class: "qb-empty", role: "alert" }, found.missing)) : show(found);
  };
}

/** One of a few, as [key, label]; `choose(key)` is told of another. Empty where there is nothing to choose. */
export const radios = (legend, name, choices, chosen, choose) => (choices.length < 2 ? "" : el("fieldset", { class: "qb-forms", id: name },
  el("legend", { class: "qb-sr" }, legend),
  choices.map(([key, label]) => el("label", {},
    el("input", { type: "radio", name, value: key, checked: key === chosen, on: { change: () => choose(key) } }), label))));

/** The page's own HTML, made and escaped by leaderboard/html. */
export function markup(html) {
  const holder = el("div");
  holder.innerHTML = html;
  return holder;
}

/** Copy to the clipboard, also where the page has no right to it; whether that went well. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el("textarea", { class: "qb-sr", value: text });
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}

/** Copy, and say on the button for a moment how it went. */
async function copyBy(pressed, text, done, failed) {
  pressed.dataset.label ??= pressed.textContent;
  pressed.textContent = await copy(text) ? done : failed;
  setTimeout(() => { pressed.textContent = pressed.dataset.label; }, 2000);
}

/** Let buttons within an element copy what they hold, or the whole address of a link. */
export function copyWithin(element) {
  element.addEventListener("click", ({ target }) => {
    const pressed = target.closest("[data-copy], [data-copy-link]");
    if (!pressed) return;
    const { copy: held, copyLink } = pressed.dataset;
    copyBy(pressed, held ?? new URL(copyLink, location.href).href, "Copied", "Select and copy it by hand");
  });
}

/** A button that copies what `link()` gives then. */
export const linkCopier = (link) => button("Copy link", ({ target }) => copyBy(target, link(), "Link copied", "Copy the address bar"));
