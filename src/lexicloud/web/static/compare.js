// Two texts or more: how far, which words, and a map.
import { $, announce, el, fill, number, run, showFault, sources, takeFiles } from "./core.js";
import { say } from "./say.js";

const place = $("#texts");
const result = $("#result");
let sheets = [];

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
    const { result: found, say: words } = await run("compare", body ? { ...body, method } : { texts, method }, result);
    fill(result, found.matrix ? twoOf(found, texts, body) : null, el("div", { class: "card result" }, say(words)));
    announce("Compared");
  } catch (fault) { showFault(result, fault); } finally { $("#go").disabled = false; }
}

/** A way to look at any two of several texts; the map of all comes with the answer. */
function twoOf(found, texts, body) {
  const names = found.names;
  const choice = (label, chosen) => el("select", { "aria-label": label },
    names.map((name, i) => el("option", { value: i, selected: name === chosen }, name)));
  const [a, b] = [choice("First text", found.pair.a), choice("Second text", found.pair.b)];
  const look = () => {
    const two = [a.value, b.value];
    if (body) compare({ ...body, names: two.map((i) => names[i]) }); else compareTwo(texts[two[0]], texts[two[1]]);
  };
  return el("div", { class: "card result" }, el("p", { class: "row" }, "Compare ", a, " with ", b, " ",
      el("button", { type: "button", class: "small", onclick: look }, "Look at these two")));
}

async function compareTwo(a, b) {
  try {
    const box = el("div", { class: "card result" });
    result.append(box);
    const { say: words } = await run("compare", { texts: [a, b], method: $("#method").value }, box);
    fill(box, say(words));
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
