// Saving an answer: as text, as a table, as a picture, or in print.
import { $, announce, button, copied, el } from "./core.js";
import { barsChart } from "./charts.js";
import { csv, rowsOf } from "./csv.js";

export function save(name, data, type) {
  const link = el("a", { href: URL.createObjectURL(new Blob([data], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const saveCsv = (name, rows) => save(`${name}.csv`, `\ufeff${csv(rows)}`, "text/csv");

const PICTURE = "svg.chart, .lexmap";
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font", "opacity", "text-anchor"];

/** Return a drawing on its own, with the styles of the style sheet written into it. */
function alone(drawing) {
  const made = drawing.cloneNode(true);
  const [from, to] = [
    [drawing, ...drawing.querySelectorAll("*")],
    [made, ...made.querySelectorAll("*")],
  ];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) to[i].style.setProperty(name, style.getPropertyValue(name));
  });
  const { width, height } = drawing.viewBox.baseVal;
  made.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  made.setAttribute("width", width);
  made.setAttribute("height", height);
  made.style.background = getComputedStyle(document.body).backgroundColor;
  return { text: new XMLSerializer().serializeToString(made), width, height };
}

/**
 * Return the picture of a card as SVG: a chart as it is, a map drawn again with its regions, names and marks, or else
 * its bars, drawn in the card for as long as their styles are read.
 */
function asSvg(inside, bars) {
  const drawing = $(PICTURE, inside);
  if (drawing) return drawing.map?.svg() ?? alone(drawing);
  const made = inside.appendChild(barsChart(bars));
  const found = alone(made);
  made.remove();
  return found;
}

function png({ text, width, height }, name) {
  const picture = new Image();
  picture.onload = () => {
    const canvas = el("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(picture, 0, 0, 2 * width, 2 * height);
    canvas.toBlob((blob) => save(`${name}.png`, blob, "image/png"));
  };
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

/** Print one card and nothing else. */
function print(card) {
  card.classList.add("to-print");
  document.body.classList.add("printing");
  window.print();
  document.body.classList.remove("printing");
  card.classList.remove("to-print");
}

/** Return a card with an answer and buttons to save it. */
export function answerCard(name, blocks, ...children) {
  const inside = el("div", { class: "answer" }, children);
  const way = (shown, label, act) => button(shown, act, { class: "quiet small", "aria-label": label });
  const bars = blocks.filter((block) => block.block === "bars");
  const picture = () => asSvg(inside, bars);
  const rows = rowsOf(blocks);
  const card = el(
    "div",
    { class: "card result" },
    inside,
    el(
      "div",
      { class: "takeaway", role: "group", "aria-label": "Take this away" },
      way("Copy", "Copy this answer", () => copied(inside.innerText.trim()).then(() => announce("Copied"))),
      rows.length ? way("CSV", "Save the tables as CSV", () => saveCsv(name, rows)) : null,
      bars.length || $(PICTURE, inside)
        ? [
            way("SVG", "Save the picture as SVG", () => save(`${name}.svg`, picture().text, "image/svg+xml")),
            way("PNG", "Save the picture as PNG", () => png(picture(), name)),
          ]
        : null,
      way("Print", "Print this answer", () => print(card)),
    ),
  );
  return card;
}
