// Known hands, an unknown text.
import { $, announce, ask, bars, el, fill, number, run, showFault, sourcePicker, takeFiles } from "./core.js";
import { lines, legend, shares } from "./charts.js";

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
    const found = await run("attribute", body, result);
    fill(result, answer(found.answers[0], found.left_out));
    announce("Answered");
  } catch (fault) { showFault(result, fault); } finally { $("#go").disabled = false; }
}

function answer(found, leftOut) {
  const ranked = Object.entries(found.chances).map(([name, value]) => ({ name, value })).sort((a, b) => b.value - a.value);
  if (found.none !== undefined && found.none !== null) ranked.push({ name: "none of these", value: found.none, series: "c1" });
  ranked.sort((a, b) => b.value - a.value);
  const first = ranked[0];
  const sure = first.value > 0.9 ? "most likely" : first.value > 0.6 ? "more likely than not" : "perhaps";
  const evidence = joined(found.evidence ?? []);
  const speaking = (some, series) => some.length ? bars(some.slice(0, 12).map((one) => ({ word: one.kind === "characters" ? `…${one.word}…` : one.word, value: Math.abs(one.value) })), { series }) : el("p", { class: "faint" }, "Nothing stands out.");
  return el("div", { class: "card result" },
    el("h2", {}, first.name === "none of these" ? `None of these, ${sure}` : `${first.name}, ${sure}`),
    leftOut.length ? el("p", { class: "small" }, `Left out of the known texts, because the unknown one is in it: ${leftOut.join(", ")}.`) : null,
    shares(ranked.slice(0, 10)),
    evidence.length ? el("div", { class: "two next" },
      el("div", {}, el("h3", {}, `Speaks for ${found.evidence_for}`), speaking(evidence.filter((one) => one.value > 0), "c0")),
      el("div", {}, el("h3", {}, `Speaks for ${found.evidence_against}`), speaking(evidence.filter((one) => one.value < 0), "c1"))) : null,
    quotes(found),
    found.rolling ? rolling(found.rolling) : el("p", { class: "faint small next" }, "To see the hands along the text, it has to have 1,000 words or more."),
    (found.notes ?? []).map((note) => el("p", { class: "faint small" }, note)));
}

/** A word can speak as a word and as a frequent word: what it says counts together. */
function joined(evidence) {
  const found = new Map();
  for (const one of evidence) {
    const key = `${one.kind === "characters"} ${one.word}`;
    found.set(key, { ...one, value: one.value + (found.get(key)?.value ?? 0) });
  }
  return [...found.values()].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

/** Where the strongest words stand in the unknown text, each passage once. */
function quotes(found) {
  const shown = [];
  const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const plain = (word) => word.length < 4; // "of" stands everywhere: rarer words show more
  const telling = (found.evidence ?? []).filter((some) => some.kind !== "characters" && /\p{L}/u.test(some.word));
  for (const one of [...telling.filter((some) => !plain(some.word)), ...telling.filter((some) => plain(some.word))]) {
    const passage = one.passages?.find((some) => !shown.some((other) => letters(other.passage).includes(letters(some)) || letters(some).includes(letters(other.passage))));
    if (passage && shown.length < 4) shown.push({ word: one.word, passage });
  }
  return shown.length ? el("div", { class: "next" }, el("h3", {}, "In the text"), shown.map((one) => el("p", { class: "said" }, "… ", lit(one), " …"))) : null;
}

function lit({ word, passage }) {
  const at = passage.search(new RegExp(`(?<!\\p{L})${word.replace(/[^\p{L}\p{N}]/gu, "\\$&")}(?!\\p{L})`, "iu"));
  return at < 0 ? passage : [passage.slice(0, at), el("mark", {}, passage.slice(at, at + word.length)), passage.slice(at + word.length)];
}

function rolling(found) {
  const series = found.authors.slice(0, 5).map((name, i) => ({ name, x: found.positions, y: found.chances[i] }));
  return el("div", {}, el("h3", { class: "next" }, "Along the text"), legend(series.map((one) => one.name)), (found.seams ?? []).map((seam) => el("p", { class: "small" }, `Near word ${number(seam.position)} the hand changes from ${seam.before} to ${seam.after} (${Math.round(100 * seam.probability)} %).`)), lines(series, { label: "Likelihood of each author along the text", xName: "word of the text", yName: "likelihood", height: 260 }),
    el("p", { class: "faint small" }, `Each point is a window of ${number(found.window)} words; the smaller the window, the more often it errs.`));
}

/** Did the writer of all the known texts write the unknown one? */
async function verify() {
  const texts = known.map((one) => one.text);
  if (!texts.length || !unknown.value.trim()) { showFault(result, { message: "a known and an unknown text are needed", remedy: "add texts by one author on the left, and paste the other on the right" }); return; }
  $("#same").disabled = true;
  try {
    const found = await run("verify", { known: texts, unknown: unknown.value }, result);
    const side = (some, series) => bars(some.slice(0, 12).map((one) => ({ word: one.word, value: Math.abs(one.value) })), { series });
    fill(result, el("div", { class: "card result" }, el("h2", {}, `One hand? ${found.decision}`),
      shares([{ name: "one hand", value: found.probability }, { name: "two hands", value: 1 - found.probability, series: "c1" }]),
      el("p", { class: "faint small next" }, `The evidence is ${number(found.likelihood_ratio, 2)} times as likely if one hand wrote both; ${number(found.tokens[0])} and ${number(found.tokens[1])} tokens, against ${number(found.impostors)} other hands (${found.reference}).`),
      el("div", { class: "two next" }, el("div", {}, el("h3", {}, "Speaks for one hand"), side(found.evidence.filter((one) => one.value > 0), "c0")), el("div", {}, el("h3", {}, "Speaks for two"), side(found.evidence.filter((one) => one.value < 0), "c1"))),
      (found.notes ?? []).map((note) => el("p", { class: "faint small" }, note))));
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
