// Draws the blocks of results as they come; nothing is added, decided or rounded here.
import { button, counted, el, marked } from "./core.js";
import "./map.js";

const FOLDED = 15; // how many rows of a long table are shown at first
const LONG = 20;

const ROLES = { answer: "lead", sure: "sure", why: "", note: "notice", title: "title" };

function sentence(block) {
  return block.role === "title" ? el("h3", {}, block.text) : el("p", { class: ROLES[block.role] }, block.text);
}

function facts(block) {
  return el(
    "dl",
    { class: "facts" },
    block.items.map(([name, fact]) => el("div", {}, el("dt", {}, name), el("dd", {}, fact))),
  );
}

function table(block, does) {
  const side = (i) => (block.numeric.includes(i) ? "number" : null);
  const head = el(
    "tr",
    {},
    block.columns.map((name, i) => el("th", { scope: "col", class: side(i) }, name)),
  );
  const rows = block.rows.map((row, n) =>
    el(
      "tr",
      { class: block.best.includes(n) ? "best" : null },
      row.map((cell, i) =>
        el(
          i ? "td" : "th",
          { scope: i ? null : "row", class: side(i), dir: side(i) ? null : "auto" },
          !i && does?.word && /^words?$/.test(block.columns[0]) ? word(cell, does) : cell,
        ),
      ),
    ),
  );
  const body = el("tbody", {}, rows.length > LONG ? rows.slice(0, FOLDED) : rows);
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": block.title || "Table" },
    el("table", {}, el("thead", {}, head), body),
    rows.length > LONG ? unfold(body, rows) : null,
    block.more ? el("p", { class: "faint small" }, block.more) : null,
  );
}

/** A button that shows the rest of a long table; a print shows all of it. */
function unfold(body, rows) {
  const all = () => {
    body.append(...rows.slice(FOLDED));
    more.remove();
    removeEventListener("beforeprint", all);
  };
  const more = button(`Show all ${counted(rows.length, "row")}`, all, { class: "small more-rows" });
  addEventListener("beforeprint", all);
  return more;
}

const word = (name, does) =>
  does?.word
    ? button(name, () => does.word(name.split(" ≈ ")[0]), { class: "link word", title: `Look up ${name}` })
    : el("span", { class: "word", dir: "auto", title: name }, name);

/** Bars to both sides of zero, with the meaning of each side above. */
function bars(block, does) {
  const both = block.bars.some((bar) => bar.length < 0);
  const list = (some, series) =>
    el(
      "ul",
      { class: "bars" },
      some.map((one) => {
        const bar = el("div", { class: "bar" });
        bar.style.width = `${100 * Math.abs(one.length)}%`;
        const more = one.cells.map((cell, i) => `${block.columns[i]}: ${cell}`).join(", ");
        return el(
          "li",
          { class: series, title: more || null },
          word(one.name, does),
          el("span", { "aria-hidden": "true" }, bar),
          el("span", { class: "value" }, one.value),
        );
      }),
    );
  if (!both) return list(block.bars, "c0");
  const side = (name, series, sign) => {
    const some = block.bars.filter((bar) => sign * bar.length > 0);
    return el("div", {}, el("h4", {}, name), list(some, series));
  };
  return el("div", { class: "two" }, side(block.right, "c1", 1), side(block.left, "c0", -1));
}

function passages(block, does) {
  const read = (item, i) => [" · ", button("Read on", () => does.passage(item, i), { class: "link" })];
  const below = (item, i) => {
    const said = [item.source, item.remark].filter(Boolean).join(" · ");
    return said ? el("div", { class: "faint small" }, said, does?.passage ? read(item, i) : null) : null;
  };
  const line = (item, i) => el("li", { dir: "auto" }, marked(item.text, item.marks), below(item, i));
  return el("ol", { class: "passages" }, block.items.map(line));
}

/** A map that can be moved, searched and clicked; map.js is the same file as in report pages and notebooks. */
function map(block, _does, said) {
  const place = el("div", { class: "lexmap" });
  queueMicrotask(() => {
    place.map = window.lexicloudMap.draw(place, block);
  });
  // How well the map fits, unless a sentence above says so.
  const caption = block.caption && !said.has(block.caption) ? el("figcaption", { class: "sure" }, block.caption) : null;
  return el("figure", { class: "lexmap-figure" }, place, caption);
}

/** Blocks that are opened on demand. */
function folded(block, does) {
  return el("details", { open: block.opened }, el("summary", {}, block.summary), say(block.blocks, does));
}

const DRAW = { sentence, facts, table, bars, passages, map, folded };

/**
 * Draw blocks. The page draws figures itself, from the result: `drawing` is placed after the sentences that answer.
 * `does.word(word)` and `does.passage(item, place)` are called for clicks on words and passages.
 */
export function say(blocks, does = {}, drawing = null) {
  const shown = blocks.filter((block) => DRAW[block.block]);
  const first = shown.findIndex((block) => block.block !== "sentence" || block.role === "title");
  const said = new Set(shown.filter((block) => block.block === "sentence").map((block) => block.text));
  const drawn = (block) => [
    block.title && block.block !== "sentence" ? el("h3", {}, block.title) : null,
    DRAW[block.block](block, does, said),
  ];
  const at = first < 0 ? shown.length : first;
  return [shown.slice(0, at).map(drawn), drawing, shown.slice(at).map(drawn)].flat(3);
}
