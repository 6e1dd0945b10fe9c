// Two texts or more: how far apart they are, by which words, and a map.
import { $, announce, button, el, fill, number, options, segments } from "./core.js";
import { attempt, run } from "./server.js";
import { go, onBack, state } from "./address.js";
import { chosen as chosenTexts, onShelf } from "./shelf.js";
import { openShelf } from "./shelfbox.js";
import { sourcePicker } from "./sources.js";
import { pieces } from "./rows.js";
import { textList } from "./pick.js";
import { answerCard } from "./take.js";
import { say } from "./say.js";

const result = $("#result");
let sheets = [];
let way = "typed";
let picker = null;

// ---- typed texts

function addSheet() {
  const n = sheets.length + 1;
  const name = el("input", { type: "text", value: `Text ${n}`, "aria-label": `Name of text ${n}`, maxlength: 200 });
  const text = el("textarea", { rows: 9, placeholder: "Paste a text", "aria-label": `Text ${n}` });
  const size = el("span", { class: "faint small" });
  text.addEventListener("input", () => {
    size.textContent = text.value.trim() ? `${number(text.value.trim().split(/\s+/).length)} words` : "";
  });
  const sheet = { name, text };
  const drop = () => {
    sheets = sheets.filter((one) => one !== sheet);
    sheet.box.remove();
    while (sheets.length < 2) addSheet();
  };
  sheet.box = el(
    "div",
    { class: "sheet card" },
    name,
    text,
    el(
      "div",
      { class: "sheet-foot" },
      size,
      button("Remove", drop, { class: "quiet small", "aria-label": `Remove text ${n}` }),
    ),
  );
  sheets.push(sheet);
  $("#texts").append(sheet.box);
}

const typed = () =>
  sheets
    .filter((sheet) => sheet.text.value.trim())
    .map((sheet) => ({ name: sheet.name.value.trim() || "text", text: sheet.text.value }));

// ---- two ways to bring them

const LISTED = 100; // words of each kind: of a text that is much shorter than the other there are few among the first
const WAYS = [
  ["typed", "Paste them"],
  ["chosen", "Choose from your texts"],
];
function setWay(value) {
  way = value;
  fill($("#way"), segments("way", "Where the texts come from", WAYS, way, setWay));
  $("#typed").hidden = $("#more").hidden = way !== "typed";
  $("#chosen").hidden = way === "typed";
}

const ticks = textList($("#ticks"), { changed: () => {} });

/** The texts ticked at first: the chosen texts of the shelf; none of other sources. */
function drawTicks(source, names = null) {
  const usual = source?.kind === "shelf" ? chosenTexts().map((text) => text.name) : [];
  ticks.show(source, names ?? usual);
}

// ---- asking

function compare({ names = null, push = true } = {}) {
  if (way === "typed" && !names) return answerTo({ texts: typed() });
  const asked = { source: picker.current()?.id, names: names ?? ticks.names(), method: $("#method").value };
  go(asked, { push });
  return answerTo({ source: asked.source, names: asked.names });
}

function answerTo(body, place = result) {
  async function answered() {
    const asked = { ...body, method: $("#method").value, top: LISTED };
    const { result: found, say: words } = await run("compare", asked, place);
    fill(place, answerCard("comparison", words, say(words)), found.matrix ? twoOf(found, body) : null);
    announce("Compared");
  }
  return attempt(place, answered, $("#go"));
}

/** Return a row to choose any two of the texts and compare them. */
function twoOf(found, body) {
  const names = found.names;
  const choice = (label, chosen) => el("select", { "aria-label": label }, options(names, chosen));
  const [a, b] = [choice("First text", found.pair.a), choice("Second text", found.pair.b)];
  const pair = el("div");
  const look = () => {
    const two = [a.value, b.value];
    if (body.names) answerTo({ ...body, names: two }, pair);
    else answerTo({ texts: two.map((name) => body.texts.find((text) => text.name === name)) }, pair);
  };
  return [
    el(
      "div",
      { class: "row two-of" },
      el("label", {}, "Compare", a),
      el("label", {}, "with", b),
      button("Look at these two", look),
    ),
    pair,
  ];
}

// ---- the page

addSheet();
addSheet();
setWay("typed");
$("#more").addEventListener("click", () => {
  addSheet();
  sheets.at(-1).name.focus();
});
$("#go").addEventListener("click", () => compare());
$(".open-shelf").addEventListener("click", openShelf);

/** Do what the address asks for. */
function follow(asked, push = false) {
  if (!asked.names) {
    fill(result);
    return;
  }
  setWay("chosen");
  if (asked.method) $("#method").value = asked.method;
  const names = [].concat(asked.names);
  drawTicks(picker.current(), names);
  compare({ names, push });
}
onBack(async (asked) => {
  if (asked.source) await picker.set(asked.source, false);
  follow(asked);
});
onShelf((shelf, changed) => {
  if (changed && shelf.texts.length > 1 && !typed().length) setWay("chosen");
});

const EXAMPLES = [
  ["Lincoln in 1863 and Roosevelt in 1941", "1863 Lincoln, 1941 Roosevelt"],
  [
    "eight presidents",
    "1790 Washington, 1801 Jefferson, 1863 Lincoln, 1905 Roosevelt, " +
      "1934 Roosevelt, 1962 Kennedy, 1985 Reagan, 2010 Obama",
  ],
];
function drawExamples(all) {
  const demo = all.find((source) => source.kind === "demo");
  if (!demo) return;
  const show = (names) => async () => {
    setWay("chosen");
    await picker.set(demo.id);
    drawTicks(picker.current(), names);
    compare({ names });
  };
  fill(
    $("#tries"),
    "Or look at ",
    EXAMPLES.flatMap(([name, names], i) => [
      i ? " or " : "",
      button(name, show(pieces(names, ",")), { class: "link" }),
    ]),
    ".",
  );
}

/** The texts that the address names stay ticked, even if the shelf changes. */
const named = (source) => (state().names && state().source === source?.id ? [].concat(state().names) : null);

const choose = (source) => drawTicks(source, named(source));
attempt(result, async () => {
  picker = await sourcePicker($("#source"), choose, { wanted: state().source });
  drawExamples(picker.all());
  if (state().names) follow(state());
});
