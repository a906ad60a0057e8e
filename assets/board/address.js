// Keeps the address in step with a page whose state is known to the server, and copies links to it.

import { isShown } from "./dom.js";
import { whenReturned, writeAddress } from "./history.js";
import { copy } from "./table.js";

const OWN_PARAMETERS = ["tab", "board", "metric", "model", "models", "radar", "chart", "pairs", "questions"];

/**
 * `tab` is its key, `props.value` {query, base}: the page's query, and where links start (null for this page's own address).
 * The element holds a button that copies the link. `open(query)` brings back what an address asks for.
 */
export function keepAddress(element, props, watch, open, tab) {
  let restoring = true; // what the visitor chooses is a step, what an address asks for is not
  const remember = () => {
    if (!Object.keys(props.value.query).length || !isShown(element)) return; // another tab is open
    const others = [...new URLSearchParams(location.search)].filter(([name]) => !OWN_PARAMETERS.includes(name));
    writeAddress(new URLSearchParams([...others, ...Object.entries(props.value.query)]), !restoring);
    restoring = false;
  };
  watch("value", remember);
  whenReturned(element, tab, (query) => {
    restoring = true;
    open(Object.fromEntries(query));
  }, remember); // the value may be known before the tab is open
  element.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const base = props.value.base ?? location.origin + location.pathname;
    button.textContent = await copy(`${base}?${new URLSearchParams(props.value.query)}`);
    setTimeout(() => { button.textContent = "Copy link"; }, 2000);
  });
}
