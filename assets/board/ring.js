// The names on a radar: a ring as large as leaves room for those of its axes, and each line named where nothing is covered.

import { plain } from "./marks.js";

const LINE = 15;
const KEY_LINE = 20;
const GAP = 8;
const EDGE = 2;
/** Pixels between two points at which a line is looked at. */
const SAMPLE = 3;
/** Pixels from a line to its name. */
const FAR = [9, 22, 38, 56];
const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]];
/** What a name may cost that stands at its line; a dearer one goes below the ring. */
const MOST_COST = 60;
const BOLD = 600;

const pen = document.createElement("canvas").getContext("2d");

/** A radar's figure with its names, for a chart of `width` pixels. */
export function fitRing({ data, layout }, width) {
  const { range, tickvals } = layout.polar.radialaxis;
  const axes = data[0].theta.slice(0, -1).map((text, i, { length }) => ({ ...sized(text, layout.font, BOLD), turn: (2 * Math.PI * i) / length }));
  const shown = data.map((trace) => ({ trace, ...sized(trace.text, layout.font) }));
  for (let rows = 0; ;) { // what finds no place at its line makes the ring smaller
    const ring = sizeRing(axes, width, layout.height - KEY_LINE * rows);
    const lines = shown.map((line) => ({ ...line, ...placed(line.trace, range, ring) }));
    const fixed = [
      ...axes.map((axis) => ({ text: axis.text, box: axisBox(axis, ring), font: { weight: BOLD } })),
      ...tickvals.map((value) => tick(value, range, ring, axes.length)),
    ];
    const names = nameLines(lines, fixed.map(({ box }) => box), ring);
    const key = inRows(lines.filter((_, i) => !names[i]), width, layout.font);
    if (key.length > rows) {
      rows = key.length;
      continue;
    }
    const b = ring.under + KEY_LINE * key.length;
    const at = (point) => paper(point, ring);
    return {
      data,
      layout: {
        ...layout,
        width,
        height: ring.above + 2 * ring.radius + b,
        margin: { l: ring.left, r: width - ring.left - 2 * ring.radius, t: ring.above, b },
        annotations: [
          ...fixed.map(({ text, box, font }) => ({ ...at(middle(box)), text, font, showarrow: false, borderpad: 0 })),
          ...lines.flatMap(({ trace }, i) => (names[i] ? [{ ...at(names[i].at), ...named(trace, names[i]) }] : [])),
          ...key.flatMap((row, i) => row.map(({ trace, x }) => ({
            ...at([x, ring.radius + ring.under + KEY_LINE * (i + 0.5)]), text: oneLine(coloured(trace)), showarrow: false, borderpad: 0, xanchor: "left",
          }))),
        ],
      },
    };
  }
}

const oneLine = (text) => text.replaceAll("<br>", " ");

function sized(text, font, weight = 400) {
  pen.font = `${weight} ${font.size}px ${font.family}`;
  const lines = text.split("<br>").map((line) => pen.measureText(plain(line)).width);
  return { text, width: Math.max(...lines) + 2, height: LINE * lines.length };
}

/** The largest ring that leaves the names of its axes whole. Points are from its middle, and y goes down. */
function sizeRing(axes, width, height) {
  const aside = axes.filter(({ turn }) => Math.abs(Math.sin(turn)) >= 0.1);
  const most = aside.map((axis) => (width / 2 - EDGE - axis.width) / Math.abs(Math.sin(axis.turn)) - GAP);
  const [above, under] = [1, -1].map((way) => GAP + EDGE + Math.max(...axes.map((axis) => (way * Math.cos(axis.turn) > 0.1 ? axis.height : 0))));
  const radius = Math.max(1, Math.floor(Math.min(...most, (height - above - under) / 2)));
  const left = Math.floor(width / 2 - radius);
  return { radius, left, above, under, bounds: [-radius - left + EDGE, -radius - above + EDGE, width - radius - left - EDGE, radius + under - EDGE] };
}

function axisBox({ turn, width, height }, { radius }) {
  const [x, y] = polar(radius + GAP, turn);
  const left = Math.abs(Math.sin(turn)) < 0.1 ? x - width / 2 : x > 0 ? x : x - width;
  return boxOf(left, y - (height * (1 + Math.cos(turn))) / 2, width, height);
}

/** A value of the scale, between the first axis and the second. */
function tick(value, [low, high], { radius }, axes) {
  const [x, y] = polar((radius * (value - low)) / (high - low), Math.PI / axes);
  const text = String(Number(value.toPrecision(6))).replace("-", "−");
  const width = pen.measureText(text).width;
  return { text, font: { size: 10 }, box: boxOf(x - width / 2, y - 6, width, 12) };
}

const polar = (far, turn) => [far * Math.sin(turn), -far * Math.cos(turn)];
const boxOf = (left, top, width, height) => [left, top, left + width, top + height];
const middle = ([left, top, right, bottom]) => [(left + right) / 2, (top + bottom) / 2];
const mix = ([ax, ay], [bx, by], share) => [ax + (bx - ax) * share, ay + (by - ay) * share];
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
const holds = ([left, top, right, bottom], [x, y]) => x > left && x < right && y > top && y < bottom;
const near = ([ax, ay], [bx, by], reach) => Math.abs(ax - bx) < reach && Math.abs(ay - by) < reach;
const count = (points, wanted) => points.reduce((sum, point) => sum + wanted(point), 0);

function between(from, to) {
  const steps = Math.max(1, Math.round(Math.hypot(to[0] - from[0], to[1] - from[1]) / SAMPLE));
  return Array.from({ length: steps }, (_, i) => mix(from, to, i / steps));
}

/** The vertices of a trace in pixels, the middles of its edges, and points all along it. */
function placed({ r }, [low, high], { radius }) {
  const ends = Array.from(r, (value, i) => (value === null ? null : polar((radius * (value - low)) / (high - low), (2 * Math.PI * i) / (r.length - 1))));
  const edges = ends.slice(1).map((to, i) => [ends[i], to]).filter(([from, to]) => from && to);
  return { vertices: ends.slice(0, -1).filter(Boolean), middles: edges.map(([from, to]) => mix(from, to, 0.5)), along: edges.flatMap(([from, to]) => between(from, to)) };
}

/** For each line where its name goes, or null where there is no room. Models, which come last, choose first. */
function nameLines(lines, fixed, { bounds }) {
  const taken = [...fixed];
  const leads = [];
  return lines.toReversed().map((line) => {
    const others = lines.filter((other) => other !== line);
    const free = [...line.vertices, ...line.middles].flatMap((at, i) => FAR.flatMap((far) => SIDES.map((side) => candidate(line, at, side, far, i >= line.vertices.length))))
      .filter(({ at, from, box }) => box[0] >= bounds[0] && box[1] >= bounds[1] && box[2] <= bounds[2] && box[3] <= bounds[3]
        && !taken.some((other) => overlap(box, other)) && !leads.some((point) => holds(box, point))
        && !between(at, from).some((point) => taken.some((other) => holds(other, point))));
    const best = cheapest(free, line, others, lines.flatMap(({ vertices }) => vertices));
    if (!best) return null;
    taken.push(best.box);
    leads.push(...between(best.at, best.from));
    return best;
  }).toReversed();
}

/** A place for a name: tied to the point `at`, to one side of it and so `far` from it. */
function candidate({ width, height }, at, side, far, onEdge) {
  const [x, y] = side;
  const away = x && y ? far * Math.SQRT1_2 : far;
  const from = [at[0] + away * x, at[1] + away * y];
  return { at, from, side, onEdge, box: boxOf(from[0] - (width * (1 - x)) / 2, from[1] - (height * (1 - y)) / 2, width, height), cost: far * 0.4 + onEdge * 6 };
}

/** The place whose name covers and whose lead crosses least, and is nearest to what it names alone. */
function cheapest(places, line, others, vertices) {
  let [best, least] = [null, MOST_COST];
  for (const place of places) {
    const { at, from, box } = place;
    const inBox = (point) => holds(box, point);
    let cost = place.cost + SAMPLE * 0.5 * count(line.along, inBox);
    const roomy = [box[0] - 4, box[1] - 4, box[2] + 4, box[3] + 4];
    if (cost < least) cost += 25 * count(vertices, (point) => holds(roomy, point));
    const lead = between(at, from).slice(2);
    const strip = [Math.min(at[0], from[0]) - SAMPLE, Math.min(at[1], from[1]) - SAMPLE, Math.max(at[0], from[0]) + SAMPLE, Math.max(at[1], from[1]) + SAMPLE];
    for (const { along } of others) {
      if (cost >= least) break;
      cost += SAMPLE * 0.8 * count(along, inBox);
      cost += 12 * along.some((point) => near(point, at, 6)) + 12 * along.some((point) => holds(strip, point) && lead.some((other) => near(point, other, SAMPLE)));
    }
    if (cost < least) [best, least] = [place, cost];
  }
  return best;
}

const paper = ([x, y], { radius }) => ({ xref: "paper", yref: "paper", x: 0.5 + x / (2 * radius), y: 0.5 - y / (2 * radius), xanchor: "center", yanchor: "middle" });

function named(trace, { at, from, side: [x, y], onEdge }) {
  return {
    text: coloured(trace), ax: from[0] - at[0], ay: from[1] - at[1], borderpad: 0, align: x > 0 ? "left" : x < 0 ? "right" : "center",
    xanchor: x > 0 ? "left" : x < 0 ? "right" : "center", yanchor: y > 0 ? "top" : y < 0 ? "bottom" : "middle",
    showarrow: true, arrowhead: 0, arrowwidth: 1, arrowcolor: trace.line.color, standoff: onEdge ? 0 : 4,
  };
}

/** A name with the mark before it in the colour of its line. */
const coloured = ({ text, line }) => text.replace(/^(\S) /, `<span style="color: ${line.color}">$1</span> `);

/** Lines that are named below the ring, in as many columns as fit, each with where it starts. */
function inRows(lines, width, font) {
  const widest = Math.max(1, ...lines.map(({ text }) => sized(oneLine(text), font).width + 16));
  const columns = Math.max(1, Math.min(lines.length, Math.floor(width / widest)));
  return Array.from({ length: Math.ceil(lines.length / columns) }, (_, row) =>
    lines.slice(row * columns, (row + 1) * columns).map((line, column) => ({ ...line, x: (column - columns / 2) * widest })));
}
