// A person compares photos two by two: the panel that shows a pair, takes the answer by key or button, and keeps it.

import { button, el, isShown } from "./dom.js";
import { scrollInStep } from "./pair.js";

const ANSWERS = [
  { letter: "f", sign: "←", text: "Left is better", stacked: "Upper", keys: ["ArrowLeft"] },
  { letter: "t", sign: "↓", text: "Equal", stacked: "Equal", keys: ["ArrowDown", "="] },
  { letter: "s", sign: "→", text: "Right is better", stacked: "Lower", keys: ["ArrowRight"] },
];
const AHEAD = 3;
/** Where the keys write or choose something else. */
const FIELDS = "input, textarea, select, [contenteditable], [role=listbox]";
/** Seconds that one answer counts at most: whoever goes away for a while is not slow. */
const LONGEST = 60;
/** Milliseconds after which a finger on a photo zooms instead of choosing it. */
const LONG_PRESS = 500;

/** What is answered so far, kept by the browser; of other questions than these nothing is read. */
export function keptIn(storage, name, key) {
  return {
    read() {
      const kept = JSON.parse(storage.getItem(name));
      return kept?.key === key ? kept : null;
    },
    write: (state) => storage.setItem(name, JSON.stringify({ ...state, key })),
    clear: () => storage.removeItem(name),
  };
}

/** The panel of the Tournament page, whenever its element gets one: the server knows the questions. */
export function mountPanel(element, server, watch, done) {
  watch("value", async () => {
    const panel = element.querySelector(".qb-person:empty");
    if (!panel) return;
    const plan = JSON.parse(panel.dataset.person);
    await mountPerson(panel, plan, {
      kept: keptIn(sessionStorage, "qb-person", `${plan.key} ${plan.rounds}`),
      questions: ({ photos, rounds, seed, answers }) => server.ask({ photos: photos.length, rounds, seed, answers }),
      done,
    });
  });
}

/**
 * Fill the panel and ask until everything is answered or the person stops.
 *
 * `plan` has the `photos` and what else the server needs to know the questions; `questions` gets it with the answers so
 * far, a letter each, and gives the pairs that are `shown` and how many there are in `total`; `done` gets the answers.
 */
export async function mountPerson(panel, plan, { kept, questions, done, stop = "Stop" }) {
  const state = { seed: plan.seed, answers: "", seconds: 0, ...kept.read() };
  let shown = [];
  let total = 0;
  let turn = 0;
  let since = null;
  const question = plan.question ?? "Which photo looks better?";

  const status = el("span", { role: "status" });
  const progress = el("div", { class: "qb-done" });
  const images = ["Left or upper photo", "Right or lower photo"].map((alt) => el("img", { alt, draggable: "false" }));
  const photos = el("div", { class: "qb-photos" }, images.map((image) => el("figure", { tabindex: "0" }, image)));
  const buttons = ANSWERS.map(({ letter, sign, text, stacked }) =>
    button([el("kbd", {}, sign), el("span", {}, text), el("span", { class: "qb-stacked" }, stacked)], () => answer(letter), { class: "qb-button qb-answer", data: { letter } }));
  const back = button("Back one step", goBack);
  const zoom = button("", () => zoomTo(!isFull()));
  const halt = button(stop, end);
  panel.append(
    el("div", { class: "qb-header" }, el("h2", { dir: "auto" }, question), status), progress, photos,
    el("div", { class: "qb-answers" }, buttons), el("div", { class: "qb-person-foot" }, back, zoom, halt,
      el("p", { class: "qb-touch" }, "Tap the better photo; hold one to zoom.")));
  panel.tabIndex = -1;
  panel.setAttribute("role", "group");
  panel.setAttribute("aria-label", question);

  scrollInStep(panel, ".qb-photos figure");
  onPhotos();
  const sized = new ResizeObserver(fit);
  sized.observe(photos);
  document.addEventListener("keydown", onKey);
  await ask();
  panel.scrollIntoView({ block: "start" });
  panel.focus({ preventScroll: true });

  /** A click zooms; on a touch screen a tap chooses the photo and a long press zooms, until the next tap. */
  function onPhotos() {
    let [holding, held] = [0, false];
    const release = () => clearTimeout(holding);
    photos.addEventListener("pointerdown", (event) => {
      held = false;
      if (event.pointerType !== "touch" || event.target.tagName !== "IMG" || isFull()) return;
      holding = setTimeout(() => { held = true; zoomTo(true, event); }, LONG_PRESS);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) photos.addEventListener(end, release);
    photos.addEventListener("contextmenu", (event) => { if (event.pointerType === "touch") event.preventDefault(); });
    photos.addEventListener("click", (event) => {
      if (event.target.tagName !== "IMG" || held) return;
      if (event.pointerType !== "touch" || isFull()) zoomTo(!isFull(), event);
      else answer(event.target === images[0] ? "f" : "s");
    });
  }

  function onKey(event) {
    if (!panel.isConnected) {
      document.removeEventListener("keydown", onKey);
      sized.disconnect();
      return;
    }
    if (event.target.closest(FIELDS) || !isShown(panel) || event.ctrlKey || event.metaKey || event.altKey) return;
    const chosen = ANSWERS.find(({ keys }) => keys.includes(event.key));
    if (chosen && !event.repeat) answer(chosen.letter);
    else if (event.key === "Backspace") goBack();
    else if (event.key === "z" && !zoom.hidden) zoomTo(!isFull());
    else if (!chosen) return;
    event.preventDefault();
  }

  function answer(letter) {
    if (since === null) return;  // nobody answers what is not seen yet
    state.seconds += Math.min(LONGEST, (performance.now() - since) / 1000);
    state.answers += letter;
    kept.write(state);
    ask();
  }

  function goBack() {
    if (!state.answers || since === null) return;
    state.answers = state.answers.slice(0, -1);
    shown = [];  // what came after may have followed from this answer
    kept.write(state);
    ask();
  }

  async function ask() {
    const own = ++turn;
    since = null;
    panel.setAttribute("aria-busy", "true");
    try {
      if (state.answers.length >= shown.length && !(total && state.answers.length >= total)) {
        ({ shown, total } = await questions({ ...plan, ...state }));
      }
      if (state.answers.length >= total) {
        end();
        return;
      }
      for (const [side, place] of shown[state.answers.length].entries()) images[side].src = plan.photos[place].url;
      await Promise.all(images.map((image) => image.decode()));
    } catch (fault) {
      console.error(fault);
      status.textContent = "The next pair could not be loaded; your answers are kept. Reload the page to go on.";
      return;
    }
    if (own !== turn) return;
    status.textContent = `${state.answers.length + 1} of ${total}`;
    progress.style.setProperty("--share", state.answers.length / total);
    back.setAttribute("aria-disabled", String(!state.answers));
    zoomTo(false);
    panel.setAttribute("aria-busy", "false");
    since = performance.now();
    const next = shown.slice(state.answers.length + 1, state.answers.length + 1 + AHEAD);
    for (const place of next.flat()) new Image().src = plan.photos[place].url;
  }

  function end() {
    turn += 1;
    since = null;
    kept.clear();
    document.removeEventListener("keydown", onKey);
    done({ key: plan.key, seed: state.seed, answers: state.answers, seconds: state.seconds });
  }

  function isFull() {
    return photos.classList.contains("qb-full");
  }

  /** Both photos at their own size or as large as both fit, around the place that was clicked. */
  function zoomTo(full, { target, offsetX = 0, offsetY = 0 } = {}) {
    const at = target ? [offsetX / target.clientWidth, offsetY / target.clientHeight] : [0.5, 0.5];
    photos.classList.toggle("qb-full", full);
    fit();
    if (!full) return;
    for (const pane of photos.children) {
      pane.scrollLeft = at[0] * pane.scrollWidth - pane.clientWidth / 2;
      pane.scrollTop = at[1] * pane.scrollHeight - pane.clientHeight / 2;
    }
  }

  /** The same zoom for both: the larger photo fits, and neither is larger than it is. */
  function fit() {
    const scales = images.map((image) => {
      const pane = image.parentElement;
      return Math.min(pane.clientWidth / image.naturalWidth, pane.clientHeight / image.naturalHeight);
    });
    const fitting = Math.min(1, ...scales.filter((scale) => scale > 0));
    const scale = isFull() ? 1 : fitting;
    for (const image of images) image.style.width = `${Math.max(1, Math.floor(image.naturalWidth * scale))}px`;
    zoom.hidden = fitting >= 1;
    zoom.textContent = isFull() ? "Whole photos" : "Zoom to 100\u00a0%";
    zoom.setAttribute("aria-pressed", String(isFull()));
  }
}
