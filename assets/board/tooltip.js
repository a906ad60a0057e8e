// One tooltip for everything that carries `data-tip`: on hover, on focus, on touch; Escape closes it.

import { el } from "./dom.js";

/** Serve all of `root`. */
export function serveTooltips(root) {
  const tip = el("div", { role: "tooltip", class: "qb-tooltip", id: `qb-tip-${Math.random().toString(36).slice(2)}`, hidden: true });
  root.append(tip);
  let owner = null;
  let focused = false; // opened by the keyboard: stays while focus stays, though the page scrolls to it under the pointer

  function open(target, byFocus) {
    if (owner === target) return;
    close();
    [owner, focused] = [target, byFocus];
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    target.setAttribute("aria-describedby", tip.id);
    place();
  }

  function place() {
    const box = owner.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const below = box.bottom + 6 + height < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - 8))}px`;
    tip.style.top = `${below ? box.bottom + 6 : Math.max(8, box.top - height - 6)}px`;
  }

  function close() {
    owner?.removeAttribute("aria-describedby");
    [owner, focused] = [null, false];
    tip.hidden = true;
  }

  const tipped = (event) => event.target.closest?.("[data-tip]");
  root.addEventListener("pointerover", (event) => (tipped(event) ? open(tipped(event), false) : focused || close()));
  root.addEventListener("pointerleave", () => focused || close());
  root.addEventListener("focusin", (event) => (tipped(event)?.matches(":focus-visible") ? open(tipped(event), true) : close()));
  root.addEventListener("focusout", close);
  root.addEventListener("scroll", () => (focused ? place() : close()), { capture: true, passive: true });
  root.addEventListener("keydown", (event) => event.key === "Escape" && close());
}
