// One history for all pages: what is chosen on a page is a step that Back undoes, and so is going to another page.

import { isShown, linkCopier, whenShown } from "./dom.js";
import { OWN_PARAMETERS, tabOf } from "./view.js";

/** The query of the address. */
export const asked = () => new URLSearchParams(location.search);

/** Put a query into the address: as a step, or in place of the one that is there, unless that is another page's. */
export function writeAddress(query, step = false) {
  const search = query.size ? `?${query}` : "";
  if (search === location.search) return;
  const state = [history.state, "", (search || location.pathname) + location.hash];
  if (step || tabOf(asked()) !== tabOf(query)) history.pushState(...state);
  else history.replaceState(...state);
}

/** Put what the page in `root` shows into the address, beside what is not ours; what is empty needs no word. */
export function writeOwn(root, own, step = false) {
  if (!isShown(root)) return; // its data came after the visitor had gone: the address belongs to another tab
  const others = [...asked()].filter(([name]) => !OWN_PARAMETERS.test(name));
  writeAddress(new URLSearchParams([...others, ...Object.entries(own).filter(([, value]) => value)]), step);
}

/** A button that copies the link to what is shown; links start at `base`, null for this page's own address. */
export const linkButton = (base) => linkCopier(() => `${base ?? location.origin + location.pathname}${location.search}`);

/**
 * Keep a page in step with the address: `restore(query)` once Back or Forward has led to its tab and it is seen,
 * `opened()` when its tab is opened otherwise.
 */
export function whenReturned(root, tab, restore, opened) {
  let waiting = false;
  window.addEventListener("popstate", () => {
    if (tabOf(asked()) !== tab) return;
    if (isShown(root)) restore(asked());
    else waiting = true;
  });
  whenShown(root, () => {
    if (!waiting) return opened();
    waiting = false;
    return restore(asked());
  });
}
