// Known hands, an unknown text.
import { $, announce, ask, el, fill, number, run, showFault, sourcePicker, takeFiles } from "./core.js";
import { lines, legend } from "./charts.js";
import { say } from "./say.js";

const result = $("#result");
const unknown = $("#unknown");
let known = []; // {name, text, author}
let source = null;

function guess(name) { const at = name.indexOf("_"); return at > 0 ? name.slice(0, at) : ""; }

function take(documents, target) {
  if (target === unknown) { unknown.value = documents.map((one) => one.text).join("\n\n"); count(); return; }
  known.push(...documents.map((one) => ({ name: one.name, text: one.text, author: one.author || guess(one.name) })));
  $("#source").value = "";
  source = null;
  draw();
  drawTries();
}

function draw() {
  $("#same").hidden = !known.length;
  if (source) {
    const n = source.authors.length;
    fill($("#known"), el("p", {}, n > 1 ? `${number(source.texts.length)} texts by ${number(n)} authors.` : "These texts name no authors. Add texts of your own."), n > 1 ? el("p", { class: "faint small" }, source.authors.slice(0, 60).join(" · ")) : null);
    return;
  }
  if (!known.length) { fill($("#known"), el("p", { class: "invite" }, "No texts yet.")); return; }
  fill($("#known"), el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "Text"), el("th", {}, "Author"), el("th", { class: "number" }, "Words"), el("th", {}, el("span", { class: "unseen" }, "Remove")))),
    el("tbody", {}, known.map((one) => el("tr", {}, el("td", {}, one.name), el("td", {}, el("input", { type: "text", value: one.author, "aria-label": `Author of ${one.name}`, maxlength: 200, onchange: (event) => { one.author = event.target.value.trim(); } })),
      el("td", { class: "number" }, number(one.text.split(/\s+/).length)), el("td", {}, el("button", { type: "button", class: "quiet small", "aria-label": `Remove ${one.name}`, onclick: () => { known = known.filter((other) => other !== one); draw(); } }, "✕"))))))));
}

function count() {
  const n = unknown.value.trim() ? unknown.value.trim().split(/\s+/).length : 0;
  $("#size").textContent = n ? `${number(n)} words${n < 300 ? ". Under about 300 words, take every answer with care" : ""}` : "";
}

async function attribute() {
  const body = { unknown: [{ name: "unknown", text: unknown.value }], rolling: true };
  if (!unknown.value.trim()) { showFault(result, { message: "there is no unknown text", remedy: "paste one on the right" }); return; }
  if (source) body.source = source.id; else body.known = known.map((one) => ({ ...one, author: one.author || null }));
  $("#go").disabled = true;
  try {
    const { result: found, say: words } = await run("attribute", body, result);
    const along = found.along.filter(Boolean).map(rolling);
    fill(result, el("div", { class: "card result" }, say(words), along));
    announce("Answered");
  } catch (fault) { showFault(result, fault); } finally { $("#go").disabled = false; }
}

function rolling(found) {
  const series = found.references.map((name, i) => ({ name, x: found.positions, y: found.values[i] }));
  return el("div", {}, legend(series.map((one) => one.name)), lines(series, {
    label: "Likelihood of each author along the text", xName: "word of the text", yName: "likelihood", height: 260 }));
}

/** Did the writer of all the known texts write the unknown one? */
async function verify() {
  const texts = known.map((one) => one.text);
  if (!texts.length || !unknown.value.trim()) { showFault(result, { message: "a known and an unknown text are needed", remedy: "add texts by one author on the left, and paste the other on the right" }); return; }
  $("#same").disabled = true;
  try {
    const { say: words } = await run("verify", { known: texts, unknown: unknown.value }, result);
    fill(result, el("div", { class: "card result" }, say(words)));
    announce("Answered");
  } catch (fault) { showFault(result, fault); } finally { $("#same").disabled = false; }
}

unknown.addEventListener("input", count);
$("#same").addEventListener("click", verify);
$("#go").addEventListener("click", attribute);
takeFiles(take, $("#files"));
/** A text of the collection can be taken as the unknown one; it is then left out of the known. */
const TRIES = ["1863 Lincoln", "1905 Roosevelt", "1985 Reagan"];
function drawTries() {
  const some = source?.kind === "demo" ? TRIES.filter((name) => source.texts.includes(name)) : (source?.authors.length ?? 0) > 1 ? source.texts.slice(0, 3) : [];
  fill($("#tries"), ...(some.length ? ["Or take ", some.flatMap((name, i) => [i ? (i === some.length - 1 ? " or " : ", ") : "", el("button", { type: "button", class: "link", onclick: () => taken(name) }, name)]), ", which is then not among the known texts."] : []));
}
async function taken(name) {
  try { unknown.value = (await ask(`sources/${encodeURIComponent(source.id)}/text?name=${encodeURIComponent(name)}`)).text; count(); } catch (fault) { showFault(result, fault); }
}

sourcePicker($("#source"), (chosen) => { source = chosen; if (chosen) known = []; draw(); drawTries(); }, { key: "who" }).catch((fault) => showFault(result, fault));
count();
