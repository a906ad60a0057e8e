// One tooltip for everything that carries `data-tip`: on hover, on focus, on a click or tap; Escape closes it.

import { el } from "./dom.js";

/** What does something else when it is tapped or clicked, and needs no tip for that. */
const ACTS = { touch: "a[href], button:not(.qb-sort)", mouse: "a[href], button, input" };

/** Serve the whole document. */
export function serveTooltips() {
  const tip = el("div", { role: "tooltip", class: "qb-tooltip", id: "qb-tip", hidden: true });
  document.body.append(el("div", { class: "qb" }, tip));
  let owner = null;
  let held = 0; // 1 by the keyboard: stays though the page scrolls under the pointer; 2 by a click or a tap: though it goes elsewhere
  let pointer = null; // what was used last: "mouse", "touch", or null for the keyboard

  function open(target, holding) {
    if (owner !== target) close();
    held = Math.max(held, holding);
    if (owner === target) return;
    owner = target;
    tip.textContent = target.dataset.tip.replaceAll(" %", "\u00a0%");
    tip.hidden = false;
    target.setAttribute("aria-describedby", tip.id);
    place();
  }

  function place() {
    if (!owner.isConnected) return; // drawn anew by the tap, in the same place
    const box = owner.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const below = box.bottom + 6 + height < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - 8))}px`;
    tip.style.top = `${below ? box.bottom + 6 : Math.max(8, box.top - height - 6)}px`;
  }

  function close() {
    owner?.removeAttribute("aria-describedby");
    [owner, held] = [null, 0];
    tip.hidden = true;
  }

  const tipped = (event) => event.target.closest?.("[data-tip]");
  const hovers = (event) => event.pointerType !== "touch";
  document.addEventListener("pointerover", (event) => hovers(event) && held < 2 && (tipped(event) ? open(tipped(event), 0) : held || close()));
  document.documentElement.addEventListener("pointerleave", (event) => hovers(event) && (held || close()));
  document.addEventListener("pointerdown", onDown, true);
  document.addEventListener("click", onClick, true); // before the click draws anything anew
  document.addEventListener("focusin", (event) => (tipped(event)?.matches(":focus-visible") ? open(tipped(event), 1) : pointer || close()));
  document.addEventListener("focusout", () => pointer || close());
  document.addEventListener("scroll", () => owner && (held ? place() : close()), { capture: true, passive: true });
  document.addEventListener("keydown", (event) => {
    pointer = null;
    if (event.key === "Escape") close();
  });

  function onDown(event) {
    pointer = hovers(event) ? "mouse" : "touch";
    if (owner && tipped(event) !== owner) close();
  }

  function onClick(event) {
    if (!pointer) return;
    const target = tipped(event);
    if (target && !(target === owner && held === 2) && !target.matches(ACTS[pointer])) open(target, 2);
    else close();
  }
}
