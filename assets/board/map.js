// The slider of a quality map, which keeps its place when the answers below it are drawn anew.

export function mountMap(element) {
  element.addEventListener("input", ({ target }) => {
    if (!target.matches(".qb-map input")) return;
    element.style.setProperty("--qb-map-strength", target.value / 100);
    target.setAttribute("aria-valuetext", `${target.value} %`);
  });
}
