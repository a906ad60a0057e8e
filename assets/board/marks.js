// The marks of a chart, in the order in which they are read, and what each says: what Plotly shows beside it.

const FIELD = /%\{([\w.]+)(?:\[(\d+)\])?(?::\.(\d)f)?\}/g;

/**
 * Every mark that says something: in rows from the top, on a radar axis by axis, else from left to right and then down.
 * Cells have a row and a column. `custom` is what it says and, where there is one, the address that it leads to.
 */
export function marks(plot) {
  const rows = plot.layout.yaxis?.tickvals && !plot.layout.xaxis?.tickvals;
  const down = plot.layout.yaxis?.range?.[0] > plot.layout.yaxis?.range?.[1] ? 1 : -1;
  const found = plot.data.flatMap((trace, curveNumber) => {
    if (trace.visible === false || trace.hoverinfo === "skip") return [];
    if (trace.type === "heatmap") {
      return trace.customdata.flatMap((cells, row) => cells.map((custom, column) =>
        ({ curveNumber, pointNumber: [row, column], subplot: "xy", custom, row, column, at: [row, column] })));
    }
    const polar = trace.type === "scatterpolar";
    const subplot = polar ? "polar" : (trace.xaxis ?? "x") + (trace.yaxis ?? "y");
    const count = (polar ? trace.r.length - 1 : trace.x.length); // a radar's last mark is its first
    const points = Array.from({ length: count }, (_, point) => {
      const [x, y] = polar ? [point, curveNumber] : [trace.x[point], trace.y[point]];
      const missing = polar ? trace.r[point] === null : x === null || y === null;
      const at = rows ? [y, x] : [trace.yaxis ?? "y", x, polar ? y : down * y];
      return { curveNumber, pointNumber: point, subplot, at, custom: missing ? null : [said(trace, point), address(trace, point)] };
    });
    return points.filter(({ custom }, i) => !i || custom?.[0] !== points[i - 1].custom?.[0]); // both ends of a line say the same
  }).filter(({ custom }) => custom?.[0]);
  return found.sort(({ at: a }, { at: b }) => {
    const place = a.findIndex((part, i) => part !== b[i]);
    return place < 0 ? 0 : a[place] < b[place] ? -1 : 1;
  });
}

/** What Plotly's own template makes of a point. */
function said(trace, point) {
  return (trace.hovertemplate ?? "").replace(/<extra>.*/, "").replace(FIELD, (_, name, part, digits) => {
    const value = name === "fullData.name" ? trace.name : trace[name]?.[point];
    const picked = part === undefined ? value : [value].flat()[part];
    return digits === undefined ? picked ?? "" : Number(picked).toFixed(digits);
  });
}

const address = (trace, point) => (Array.isArray(trace.customdata?.[point]) ? trace.customdata[point][1] : undefined);

const STEPS = { ArrowRight: [0, 1], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowUp: [-1, 0] };

/** The mark that a key leads to from `here`, or null for other keys; in a map, the next cell of the row or column. */
export function next(all, here, key) {
  if (key === "Home") return all[0];
  if (key === "End") return all.at(-1);
  if (!(key in STEPS)) return null;
  if (!here) return all[0];
  const [down, right] = STEPS[key];
  if (here.row === undefined) return all[Math.max(0, Math.min(all.length - 1, all.indexOf(here) + down + right))];
  const way = all.filter(({ row, column }) => (down ? column === here.column && (row - here.row) * down > 0
    : row === here.row && (column - here.column) * right > 0));
  const far = ({ row, column }) => Math.abs(row - here.row) + Math.abs(column - here.column);
  return way.reduce((near, mark) => (near && far(near) <= far(mark) ? near : mark), null) ?? here;
}

/** What plotly shows of its own markup. */
export const plain = (text) =>
  text.replaceAll("<br>", " ").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
