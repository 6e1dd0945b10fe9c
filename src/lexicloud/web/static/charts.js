// Small charts in SVG, drawn from plain numbers; colours and fonts come from the style sheet.
import { el, number } from "./core.js";

const NS = "http://www.w3.org/2000/svg";

/** Whether the screen is small: a chart is then drawn narrower, so that its letters stay readable. */
const small = () => matchMedia("(max-width: 44rem)").matches;
const sheet = () => (small() ? 480 : matchMedia("(max-width: 62rem)").matches ? 720 : 960);

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Return a frame with axes, and the functions that place a point. */
function frame({
  label,
  x,
  y,
  width = sheet(),
  height = small() ? 340 : 420,
  left = 56,
  bottom = 44,
  right = 16,
  xName = "",
  yName = "",
  top = yName ? 30 : 12,
  logX = false,
  logY = false,
  xTicks,
  yTicks,
}) {
  const across = scale(x, [left, width - right], logX);
  const up = scale(y, [height - bottom, top], logY);
  const made = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const tick of yTicks ?? ticks(y, logY)) {
    made.append(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: up(tick), y2: up(tick) }),
      svg("text", { x: left - 8, y: up(tick) + 4, "text-anchor": "end" }, shown(tick)),
    );
  }
  for (const tick of xTicks ?? ticks(x, logX))
    made.append(
      svg(
        "text",
        { x: across(tick), y: height - bottom + 18, "text-anchor": "middle" },
        shown(tick, xName === "year"),
      ),
    );
  made.append(
    svg("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, xName),
    svg("text", { x: 12, y: 14, "text-anchor": "start", class: "unit" }, yName),
  );
  return { made, across, up };
}

function scale([from, to], [start, end], log) {
  const f = log ? Math.log10 : (value) => value;
  const span = f(to) - f(from) || 1;
  return (value) => start + ((f(Math.max(value, log ? 1e-12 : -Infinity)) - f(from)) / span) * (end - start);
}

function ticks([from, to], log) {
  if (log) {
    const found = [];
    for (let power = Math.ceil(Math.log10(from)); power <= Math.log10(to) + 1e-9; power += 1) found.push(10 ** power);
    return found;
  }
  const rough = (to - from || 1) / (small() ? 3 : 5);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough);
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to + step * 1e-6; at += step)
    found.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  return found;
}

const shown = (value, plain = false) =>
  plain ? String(value) : Math.abs(value) >= 10000 ? `${number(value / 1000)}k` : number(value, 4, true);

export function legend(names) {
  return el(
    "ul",
    { class: "legend" },
    names.map((name, i) => {
      const mark = svg(
        "svg",
        { viewBox: "0 0 10 10", "aria-hidden": "true" },
        svg("circle", { class: "dot", cx: 5, cy: 5, r: 5 }),
      );
      return el("li", { class: `c${i % 8}` }, mark, name);
    }),
  );
}

/** Lines over numbers: series = [{name, x, y}]. */
export function lines(series, options) {
  const xs = series.flatMap((one) => one.x);
  const ys = series.flatMap((one) => one.y).filter((value) => value !== null);
  const low = options.logY ? Math.min(...ys.filter((value) => value > 0)) : Math.min(0, ...ys);
  const { made, across, up } = frame({
    x: [Math.min(...xs), Math.max(...xs)],
    y: [low, Math.max(...ys) * (options.logY ? 1.3 : 1.05) || 1],
    ...options,
  });
  series.forEach((one, i) => {
    const group = svg("g", { class: `c${(one.colour ?? i) % 8}` });
    const points = one.x.map((x, j) => [across(x), up(one.y[j])]);
    if (one.dots)
      for (const [j, [x, y]] of points.entries())
        group.append(
          svg(
            "circle",
            { class: "dot", cx: x, cy: y, r: 3 },
            svg("title", {}, one.titles?.[j] ?? `${one.x[j]}: ${number(one.y[j], 2)}`),
          ),
        );
    else
      group.append(
        svg("path", { class: "line", d: points.map(([x, y], j) => `${j ? "L" : "M"}${x} ${y}`).join("") }),
      );
    made.append(group);
  });
  return made;
}

/** The places of a name: above its point, below it, to the right, to the left. */
const sides = (x, y, wide, high) => [
  { x, y: y - 8, anchor: "middle", box: [x - wide / 2, y - 5 - high, x + wide / 2, y - 5] },
  { x, y: y + 4 + high, anchor: "middle", box: [x - wide / 2, y + 5, x + wide / 2, y + 6 + high] },
  { x: x + 8, y: y + 4, anchor: "start", box: [x + 5, y - 7, x + 8 + wide, y + 8] },
  { x: x - 8, y: y + 4, anchor: "end", box: [x - 8 - wide, y - 7, x - 5, y + 8] },
];

/** Named points, the first axis logarithmic: points = [{x, y, name, series, title}]; earlier ones are named first. */
export function scatter(points, { label, xName, yName, height = small() ? 480 : 560 }) {
  const range = (key) => [Math.min(...points.map((one) => one[key])), Math.max(...points.map((one) => one[key]))];
  const [[left, right], [low, high]] = [range("x"), range("y")];
  const pad = 0.06 * (high - low || 1);
  const { made, across, up } = frame({
    label,
    xName,
    yName,
    height,
    logX: true,
    x: [left / 1.3, right * 1.6],
    y: [Math.min(0, low - pad), Math.max(0, high + pad)],
  });
  const width = made.viewBox.baseVal.width;
  const places = points.map((one) => [across(one.x), up(one.y)]);
  const taken = places.map(([x, y]) => [x - 3, y - 3, x + 3, y + 3]);
  const isFree = (box, i) =>
    box[0] > 58 &&
    box[2] < width &&
    box[3] < height - 44 &&
    taken.every(
      (other, j) => j === i || box[2] < other[0] || box[0] > other[2] || box[3] < other[1] || box[1] > other[3],
    );
  points.forEach((one, i) => {
    const [x, y] = places[i];
    const [letter, line] = small() ? [9, 19] : [7.2, 15];
    const side = sides(x, y, one.name.length * letter, line).find(({ box }) => isFree(box, i));
    const dot = svg("circle", { class: "dot", cx: x, cy: y, r: 3, opacity: 0.8 }, svg("title", {}, one.title));
    const name = side && svg("text", { class: "name", x: side.x, y: side.y, "text-anchor": side.anchor }, one.name);
    made.append(svg("g", { class: `c${one.series % 8}` }, dot, name));
    if (side) taken.push(side.box);
  });
  return made;
}

const [ROW, NAMES, BARS, VALUES] = [22, 200, 420, 110]; // of a drawing of bars: a row's height, and its columns

/** Draw blocks of bars, one below the other: pages show them as lists, and a saved picture needs a drawing. */
export function barsChart(blocks) {
  const parts = [];
  let y = 0;
  const write = (shown, x, look) => parts.push(svg("text", { x, y: y + 15, ...look }, shown));
  const list = (title, some, series) => {
    if (!some.length) return;
    if (title) {
      write(title, NAMES, { class: "name", "font-weight": 600 });
      y += ROW;
    }
    for (const bar of some) {
      const width = Math.max(1, BARS * Math.abs(bar.length));
      write(bar.name, NAMES - 8, { class: "name", "text-anchor": "end" });
      parts.push(svg("rect", { class: `dot ${series}`, x: NAMES, y: y + 4, width, height: 14 }));
      write(bar.value, NAMES + width + 6, {});
      y += ROW;
    }
    y += ROW / 2;
  };
  for (const { bars, title, right, left } of blocks) {
    const below = bars.filter((bar) => bar.length < 0);
    if (below.length) {
      const above = bars.filter((bar) => bar.length > 0);
      list(right, above, "c1");
      list(left, below, "c0");
    } else list(title, bars, "c0");
  }
  const label = blocks.map((block) => block.title || block.right).join(", ");
  const box = `0 0 ${NAMES + BARS + VALUES} ${y}`;
  return svg("svg", { class: "chart", viewBox: box, role: "img", "aria-label": label }, parts);
}

/** Draw values as dots on the lines of their intervals, a row each, beside a dashed line. */
export function intervals(rows, { label, line }) {
  const ends = rows.flatMap(({ value, low, high }) => [low ?? value, high ?? value, line]);
  const width = sheet();
  const high = ROW * rows.length;
  const across = scale([Math.min(...ends), Math.max(...ends)], [NAMES + 8, width - 8]);
  const box = `0 0 ${width} ${high}`;
  const made = svg("svg", { class: "chart", viewBox: box, role: "img", "aria-label": label });
  made.append(svg("line", { class: "grid", x1: across(line), x2: across(line), y1: 0, y2: high }));
  rows.forEach((row, i) => {
    const y = ROW * (i + 0.5);
    const reach = row.low === null ? null : { x1: across(row.low), x2: across(row.high), y1: y, y2: y };
    made.append(
      svg("text", { class: "name", x: NAMES - 8, y: y + 4, "text-anchor": "end" }, row.name),
      ...(reach ? [svg("line", { class: "line c0", ...reach })] : []),
      svg("circle", { class: "dot c0", cx: across(row.value), cy: y, r: 5 }),
    );
  });
  return made;
}
