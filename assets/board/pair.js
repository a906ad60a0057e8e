// Two photos beside each other: the slider between them, and scrolling in step at full size. The rest is live.css.

export function mountViewer(element) {
  element.addEventListener("input", ({ target }) => {
    if (target.matches(".qb-cut")) target.closest(".qb-viewer").style.setProperty("--cut", `${target.value}%`);
  });
  scrollInStep(element, ".qb-viewer figure");
}

/** Two figures beside each other show the same part, each in its own size. */
export function scrollInStep(element, figures) {
  element.addEventListener("scroll", ({ target }) => {
    if (!target.matches?.(figures)) return;
    const across = target.scrollLeft / Math.max(1, target.scrollWidth - target.clientWidth);
    const down = target.scrollTop / Math.max(1, target.scrollHeight - target.clientHeight);
    for (const other of target.parentElement.querySelectorAll("figure")) {
      if (other === target) continue;
      const left = Math.round(across * (other.scrollWidth - other.clientWidth));
      const top = Math.round(down * (other.scrollHeight - other.clientHeight));
      if (Math.abs(other.scrollLeft - left) > 1) other.scrollLeft = left;
      if (Math.abs(other.scrollTop - top) > 1) other.scrollTop = top;
    }
  }, true);
}
