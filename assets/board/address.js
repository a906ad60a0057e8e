// Keeps the address in step with a page whose state is known to the server, and copies links to it.

import { isShown, whenShown } from "./dom.js";
import { copy } from "./table.js";

const OWN_PARAMETERS = ["tab", "board", "metric", "model", "models", "radar"];

/**
 * `props.value` is {query, base}: the page's query, and where links start (null for this page's own address).
 * The element holds a button that copies the link.
 */
export function keepAddress(element, props, watch) {
  const remember = () => {
    if (!Object.keys(props.value.query).length || !isShown(element)) return; // another tab is open
    const others = [...new URLSearchParams(location.search)].filter(([name]) => !OWN_PARAMETERS.includes(name));
    history.replaceState(history.state, "", `?${new URLSearchParams([...others, ...Object.entries(props.value.query)])}`);
  };
  watch("value", remember);
  whenShown(element, remember); // the value may be known before the tab is open
  element.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const base = props.value.base ?? location.origin + location.pathname;
    button.textContent = await copy(`${base}?${new URLSearchParams(props.value.query)}`);
    setTimeout(() => { button.textContent = "Copy link"; }, 2000);
  });
}
