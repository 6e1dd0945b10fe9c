// Two texts or more: how far, which words, and a map.
import { $, announce, bars, el, fill, number, run, segments, showFault, sources, takeFiles } from "./core.js";
import { legend, scatter } from "./charts.js";

const place = $("#texts");
const result = $("#result");
let sheets = [];
let pairs = 0;

function addSheet(document_ = { name: "", text: "", author: null }) {
  const n = sheets.length + 1;
  const name = el("input", { type: "text", value: document_.name || `Text ${n}`, "aria-label": `Name of text ${n}`, maxlength: 200 });
  const text = el("textarea", { rows: 9, placeholder: "Paste a text, or drop a file on the page", "aria-label": `Text ${n}`, value: document_.text });
  const size = el("span", { class: "faint small" });
  const count = () => { size.textContent = text.value.trim() ? `${number(text.value.trim().split(/\s+/).length)} words` : ""; };
  text.addEventListener("input", count);
  count();
  const sheet = { name, text, author: document_.author };
  sheet.box = el("div", { class: "sheet card" }, name, text, el("div", { class: "sheet-foot" }, size,
    el("button", { type: "button", class: "quiet small", "aria-label": `Remove text ${n}`, onclick: () => { sheets = sheets.filter((one) => one !== sheet); sheet.box.remove(); while (sheets.length < 2) addSheet(); } }, "Remove")));
  sheets.push(sheet);
  place.append(sheet.box);
}

function take(documents) {
  for (const document_ of documents) {
    const free = sheets.find((sheet) => !sheet.text.value.trim());
    if (free) { free.name.value = document_.name; free.text.value = document_.text; free.author = document_.author; free.text.dispatchEvent(new Event("input")); } else addSheet(document_);
  }
}

async function compare(body = null) {
  const texts = sheets.filter((sheet) => sheet.text.value.trim()).map((sheet) => ({ name: sheet.name.value.trim() || "text", text: sheet.text.value, author: sheet.author || null }));
  if (!body && texts.length < 2) { showFault(result, { message: "two texts are needed", remedy: "paste or drop another one" }); return; }
  const method = $("#method").value;
  $("#go").disabled = true;
  try {
    const found = await run("compare", body ? { ...body, method } : { texts, method }, result);
    fill(result, found.values ? many(found, texts, body) : null, pair(found.pair));
    announce("Compared");
  } catch (fault) { showFault(result, fault); } finally { $("#go").disabled = false; }
}

const KINDS = { content: "content", name: "names", function: "function words", punctuation: "punctuation" };

/** One pair: the value in words, its yardstick if there is one, and the words behind it. */
function pair(found) {
  const lists = el("div", { class: "two" });
  const present = found.kinds.filter((part) => part.words.length).map((part) => [part.kind, KINDS[part.kind] ?? part.kind]);
  const show = (kind) => {
    const words = found.kinds.find((part) => part.kind === kind).words.map((one) => ({ word: one.word, value: one.value, near: kind === "punctuation" || /[\p{L}\p{N}]/u.test(one.neighbour ?? "") ? one.neighbour : null }));
    const side = (title, some, series) => el("div", {}, el("h3", {}, title), some.length ? bars(some.slice(0, 15), { series, format: (value) => number(Math.abs(value), 4) }) : el("p", { class: "faint" }, "None stands out."));
    const [apart, together] = [words.filter((one) => one.value > 0), words.filter((one) => one.value < 0)];
    lists.classList.toggle("two", together.length > 0);
    fill(lists, side("Set them apart", apart, "c1"), together.length ? side("Bring them together", together, "c0") : null);
  };
  if (present.length) show(present[0][0]);
  pairs += 1;
  return el("div", { class: "card result" },
    el("h2", {}, `${found.a} and ${found.b}`),
    el("p", { class: "figure" }, el("span", { class: "big" }, number(found.value, 3)), el("span", { class: "faint" }, ` nats from ${found.a} to ${found.b}`,
      found.interval ? `, 95 % interval ${number(found.interval[0], 3)} to ${number(found.interval[1], 3)}` : "")),
    yardstick(found),
    el("div", { class: "kinds" }, present.length > 1 ? segments(`kind-${pairs}`, "Which words", present, present[0][0], show) : null),
    lists,
    el("p", { class: "faint small next" }, `Method ${found.method}; ${number(found.tokens[0])} and ${number(found.tokens[1])} tokens used; vectors ${found.vectors}. “≈” names the near word of the other text that carried a match.`));
}

function yardstick(found) {
  const yard = found.yardstick;
  if (!yard) return null;
  const percent = (share) => `${Math.round(100 * share)} %`;
  const stands = yard.standing ? ` Among reference pairs of this length, it is nearer than ${percent(yard.standing.different_hands)} of pairs by different hands, and farther apart than ${percent(1 - yard.standing.one_hand)} of pairs by one hand.` : "";
  return el("p", { class: "yard" }, `Two texts of these lengths from one source would be ${number(yard.same_source, 3)} apart; these are ${number(Math.abs(yard.excess), 3)} ${yard.excess >= 0 ? "farther" : "nearer"}.${stands}`);
}

function many(found, texts, body) {
  const labels = [...new Set(found.labels.filter(Boolean))];
  const coloured = labels.length > 1 && labels.length <= 8 && labels.length < found.names.length; // a colour for each hand that wrote several
  const points = found.names.map((name, i) => ({ x: found.points[i][0], y: found.points[i][1], name, series: coloured ? Math.max(0, labels.indexOf(found.labels[i])) : 0, size: 6 }));
  const order = found.names.map((_, i) => i);
  const off = found.distances.flatMap((row, i) => row.filter((_, j) => j !== i));
  const [low, high] = [Math.min(...off), Math.max(...off)];
  const cell = (i, j) => {
    if (i === j) return el("td", { class: "self" });
    const value = found.distances[i][j];
    const button = el("button", { type: "button", class: "cell", "aria-label": `${found.names[i]} and ${found.names[j]}: ${number(value, 2)}`, onclick: () => {
      if (body) compare({ ...body, names: [found.names[i], found.names[j]] });
      else compareTwo(texts[i], texts[j]);
    } }, number(value, 2));
    button.style.setProperty("--near", `${Math.round(100 * (high > low ? 1 - (value - low) / (high - low) : 1))}%`);
    return el("td", {}, button);
  };
  return el("div", {},
    el("div", { class: "card result" }, el("h2", {}, "The map"), el("p", {}, "Nearest to each other: ", el("strong", {}, `${found.nearest.a} and ${found.nearest.b}`), ". Texts that stand close together on the map use words alike."),
      coloured ? legend(labels) : null, scatter(points, { label: "Map of the texts", height: 420 })),
    el("div", { class: "card result" }, el("h2", {}, "All pairs"), el("p", { class: "faint small" }, "The stronger the colour, the nearer. Distances allow for texts that are near to everything; the nearest pair has 0. Choose a pair to see its words."),
      el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "All pairs" }, el("table", { class: "pairs" },
        el("thead", {}, el("tr", {}, el("td"), order.map((j) => el("th", { scope: "col" }, found.names[j])))),
        el("tbody", {}, order.map((i) => el("tr", {}, el("th", { scope: "row" }, found.names[i]), order.map((j) => cell(i, j)))))))),
    el("h2", { class: "next" }, "The nearest pair"));
}

async function compareTwo(a, b) {
  try {
    const box = el("div");
    result.append(box);
    const found = await run("compare", { texts: [a, b], method: $("#method").value }, box);
    box.append(pair(found.pair));
    box.scrollIntoView({ block: "start" });
  } catch (fault) { showFault(result, fault); }
}

addSheet(); addSheet();
$("#more").addEventListener("click", () => { addSheet(); sheets.at(-1).name.focus(); });
$("#go").addEventListener("click", () => compare());
takeFiles(take, $("#files"));

(async () => {
  const demo = (await sources()).find((source) => source.kind === "demo");
  if (!demo) return;
  const examples = [["Lincoln in 1863 and Roosevelt in 1941", ["1863 Lincoln", "1941 Roosevelt"]], ["eight presidents", ["1790 Washington", "1801 Jefferson", "1863 Lincoln", "1905 Roosevelt", "1934 Roosevelt", "1962 Kennedy", "1985 Reagan", "2010 Obama"]]];
  fill($("#tries"), "Or look at ", examples.flatMap(([name, names], i) => [i ? " or " : "", el("button", { type: "button", class: "link", onclick: () => compare({ source: demo.id, names }) }, name)]), ".");
})().catch(() => {});
