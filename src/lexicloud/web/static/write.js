// The writer's page: a sentence ends, others answer it.
import { $, $$, announce, ask, copy, el, fill, number, recall, remember, run, segments, showFault, sourcePicker, tabs, takeFiles, toast } from "./core.js";

const text = $("#text");
const mirror = $("#mirror");
const list = $("#list");
const TRIES = ["The farmers suffer from drought and falling prices.", "Our ships were attacked on the high seas.", "I dreamed of a house by the sea where nobody was afraid."];
const PAUSE = 650; // milliseconds of silence after which an unfinished sentence is looked at, too
const METHODS = { related: "Related", setcover: "Set cover", average: "Averages", wmd: "Word Mover", bm25: "BM25", jaccard: "Jaccard", levenshtein: "Letters" };

let settings = { look: "mixed", mood: "any", length: "any", ...recall("write", {}) };
let kept = recall("kept", []);
let tab = "found";
let found = [];
let asked = "";
let current = { start: 0, end: 0 };
let flight = null;
let pause = null;
let picker = null;

// ---- which sentence

const END = /[.!?…]["'”’)\]]*(?=\s|$)|\n\s*\n/g;

function sentenceAt(value, caret) {
  let start = 0;
  for (const end of value.matchAll(END)) {
    const stop = end.index + end[0].length;
    // Right behind a full stop the sentence that it ends is meant.
    if (stop >= caret || !value.slice(stop, caret).trim()) return trimmed(value, start, stop);
    start = stop;
  }
  return trimmed(value, start, value.length);
}

function trimmed(value, start, end) {
  while (start < end && /\s/.test(value[start])) start += 1;
  while (end > start && /\s/.test(value[end - 1])) end -= 1;
  return { start, end };
}

const words = (value) => value.match(/[\p{L}\p{N}’'-]+/gu) ?? [];

// ---- the mirror behind the text: marks the sentence that is answered, and its words

function reflect(lit = new Set()) {
  const value = text.value;
  const own = value.slice(current.start, current.end);
  const pieces = own.split(/([\p{L}\p{N}’'-]+)/u).map((piece, i) =>
    i % 2 && lit.has(piece.toLowerCase().replace("’", "'")) ? el("b", {}, piece) : piece);
  fill(mirror, value.slice(0, current.start), own && asked ? el("span", { class: "asked" }, pieces) : own, `${value.slice(current.end)}\n`);
  text.style.height = "auto";
  text.style.height = `${Math.max(mirror.offsetHeight, text.scrollHeight)}px`;
}

// ---- asking

function changed(event) {
  current = sentenceAt(text.value, text.selectionStart);
  $("#count").textContent = text.value.trim() ? `${number(words(text.value).length)} words` : "";
  $("#tries").hidden = Boolean(text.value);
  if ($("#draft").checked) remember("draft", text.value);
  const own = text.value.slice(current.start, current.end);
  const finished = /[.!?…]["'”’)\]]*$/.test(own);
  clearTimeout(pause);
  if (own !== asked && words(own).length >= 2) {
    if (finished) suggest(own, event?.timeStamp ?? null);
    else if (words(own).length >= 3) pause = setTimeout(() => suggest(own), PAUSE);
  }
  reflect();
}

/** Ask for suggestions; `since` is when the key was pressed that ended the sentence. */
async function suggest(sentence, since = null) {
  asked = sentence;
  if (tab === "beside") return beside();
  if (picker?.current()?.state === "preparing") { later(); return; }
  flight?.abort();
  flight = new AbortController();
  const mine = flight;
  list.classList.add("stale");
  try {
    const { result: answer } = await ask("suggest", { signal: flight.signal, body: { sentence, source: picker?.current()?.id ?? null, ...settings } });
    found = answer.suggestions;
    fill($("#trouble"), answer.notes.map((note) => el("p", { class: "faint small" }, note)));
    draw();
    reflect();
    // Behind the next frame: what was drawn is on the screen by then.
    if (since !== null) requestAnimationFrame(() => setTimeout(() => performance.measure("lexicloud:suggestions", { start: since, end: performance.now() })));
    announce(found.length ? `${found.length} suggestions` : "No suggestions");
  } catch (fault) {
    if (fault.name === "AbortError") return;
    if (fault.status === 503 && /prepared/.test(fault.message)) { later(); return; }
    showFault($("#trouble"), fault);
  } finally { if (flight === mine) list.classList.remove("stale"); }
}

/** The texts are still being read: look again in a moment. */
function later() {
  fill($("#trouble"), el("p", { class: "faint" }, "Reading the texts for the first time. Suggestions come in a moment …"));
  asked = "";
  clearTimeout(pause);
  pause = setTimeout(() => changed(), 500);
}

function again() { const own = text.value.slice(current.start, current.end); if (words(own).length >= 2) suggest(own); }

// ---- suggestions

function draw() {
  $("#keys").hidden = !found.length;
  if (!found.length) {
    fill(list, el("p", { class: "invite" }, asked ? "Nothing answers this sentence. Try other words, or another collection." : "Sentences that answer yours will stand here, each with the words that called it."));
    return;
  }
  fill(list, el("ol", { class: "cards" }, found.map((suggestion, i) => card(suggestion, i))));
}

function card(suggestion, i, { insertable = true } = {}) {
  const isKept = () => kept.some((one) => one.text === suggestion.text);
  const heart = el("button", { type: "button", class: "quiet small icon", onclick: () => keep(suggestion, heart) });
  face(heart, isKept());
  const made = el("li", { class: "suggestion", tabindex: -1, "data-i": i },
    el("p", { class: "said", dir: "auto" }, marked(suggestion)),
    reasons(suggestion),
    el("div", { class: "foot" },
      el("span", { class: "whose" }, suggestion.author ? el("strong", {}, suggestion.author) : null, suggestion.author && suggestion.title ? " · " : "", suggestion.title ?? ""),
      el("span", { class: "does" },
        insertable ? el("button", { type: "button", class: "small insert", onclick: () => insert(suggestion) }, "Insert", i < 9 ? el("kbd", { "aria-hidden": "true" }, String(i + 1)) : null) : null,
        el("button", { type: "button", class: "quiet small", onclick: () => take(suggestion) }, "Copy"),
        heart,
        suggestion.before || suggestion.after ? el("button", { type: "button", class: "quiet small", "aria-expanded": "false", onclick: (event) => unfold(made, suggestion, event.currentTarget) }, "Around") : null)));
  return made;
}

/** The matches that say most: the heaviest, or where weights are parts of a distance the nearest words. */
const telling = (suggestion) => [...suggestion.matches].sort(["average", "wmd", "interleaved"].includes(suggestion.method)
  ? (a, b) => (a.distance ?? 0) - (b.distance ?? 0) : (a, b) => Math.abs(b.adds) - Math.abs(a.adds)).slice(0, 6);

/** A suggestion's text, its matched words marked; pointing at one shows which of the writer's it answers. */
function marked(suggestion) {
  const letters = [...suggestion.text];
  const byWord = new Map(telling(suggestion).reverse().map((match) => [match.word, match]));
  const pieces = [];
  let end = 0;
  for (const [start, stop] of suggestion.highlights) {
    const shown = letters.slice(start, stop).join("");
    const match = byWord.get(shown.toLowerCase().replace("’", "'"));
    pieces.push(letters.slice(end, start).join(""));
    pieces.push(match ? el("mark", { title: reason(match), "data-of": owned(match), onpointerenter: () => light(suggestion, match.word), onpointerleave: () => reflect() }, shown) : shown);
    end = stop;
  }
  pieces.push(letters.slice(end).join(""));
  return pieces;
}

/** The word of the query that led to a matched one: itself, where no other is named. */
const owned = (match) => match.near ?? match.word;

function reason(match) {
  return owned(match) === match.word ? `your word “${match.word}”` : `answers your word “${owned(match)}”`;
}

function light(suggestion, word) {
  reflect(new Set(suggestion.matches.filter((match) => match.word === word).map((match) => owned(match))));
}

/** The reasons in one line: your word → theirs. Each can be reached with the keyboard. */
function reasons(suggestion) {
  const seen = new Map();
  for (const match of telling(suggestion)) {
    if (!match.word || !owned(match) || match.word.startsWith("(") || owned(match).startsWith("(")) continue; // "(all words)" is no word
    if (!seen.has(owned(match))) seen.set(owned(match), []);
    if (!seen.get(owned(match)).includes(match.word)) seen.get(owned(match)).push(match.word);
  }
  const shown = [...seen].slice(0, 5);
  if (!shown.length) return null;
  return el("p", { class: "why" }, el("span", { class: "unseen" }, "Because: "), shown.map(([own, others]) =>
    el("span", { class: "reason", onpointerenter: () => reflect(new Set([own])), onpointerleave: () => reflect() },
      el("span", { class: "own" }, own), others.length === 1 && others[0] === own ? "" : [" → ", others.slice(0, 3).join(", ")])));
}

function face(heart, on) {
  heart.textContent = on ? "♥" : "♡";
  heart.setAttribute("aria-pressed", String(on));
  heart.setAttribute("aria-label", on ? "Kept" : "Keep");
  heart.title = on ? "Kept in this browser" : "Keep in this browser";
}

function insert(suggestion) {
  const before = text.value.slice(0, current.end);
  text.focus();
  text.setSelectionRange(current.end, current.end);
  const glue = before && !/\s$/.test(before) ? " " : "";
  const quiet = asked;
  // Through the browser's own editing, so that its undo knows of it.
  if (!document.execCommand("insertText", false, glue + suggestion.text)) text.setRangeText(glue + suggestion.text, current.end, current.end, "end");
  asked = quiet;
  announce("Inserted");
  toast("Inserted", { name: "Undo", run: undo });
}

function undo() { text.focus(); document.execCommand("undo"); changed(); }

async function take(suggestion) { await copy(suggestion.text); announce("Copied"); toast("Copied"); }

function keep(suggestion, heart = null) {
  const there = kept.some((one) => one.text === suggestion.text);
  kept = there ? kept.filter((one) => one.text !== suggestion.text)
    : [...kept, { text: suggestion.text, author: suggestion.author, title: suggestion.title, matches: [], highlights: [] }].slice(-200);
  remember("kept", kept.length ? kept : null);
  if (heart) face(heart, !there);
  announce(there ? "No longer kept" : "Kept");
  drawKept();
}

function unfold(item, suggestion, button) {
  const there = $(".around", item);
  button?.setAttribute("aria-expanded", String(!there));
  if (there) { for (const one of $$(".around", item)) one.remove(); return; }
  const said = $(".said", item);
  if (suggestion.before?.length) said.before(el("p", { class: "around" }, suggestion.before.join(" ")));
  said.after(el("p", { class: "around" }, suggestion.after?.length ? suggestion.after.join(" ") : "The text ends here."));
}

// ---- methods side by side

async function beside() {
  const place = $("#beside");
  const own = text.value.slice(current.start, current.end);
  if (words(own).length < 2) { fill(place, el("p", { class: "invite" }, "Write a sentence: every method answers it in a column of its own.")); return; }
  asked = own;
  reflect();
  const columns = Object.entries(METHODS).map(([method, name]) => ({ method, name, place: el("div", { class: "column" }, el("h2", {}, name), el("p", { class: "faint small" }, "…")) }));
  fill(place, el("div", { class: "columns", tabindex: 0, role: "group", "aria-label": "Methods side by side" }, columns.map((column) => column.place)));
  await Promise.all(columns.map(async ({ method, name, place: column }) => {
    try {
      const { result: answer } = await ask("search", { body: { query: own, source: picker?.current()?.id ?? null, method, top: 4, context: 1 } });
      fill(column, el("h2", {}, name), el("ol", { class: "cards plain" }, answer.suggestions.map((suggestion, i) => card(suggestion, 10 + i))));
    } catch (fault) { showFault(column, fault); }
  }));
}

// ---- kept

function drawKept() {
  $("#kept-count").textContent = kept.length ? `(${kept.length})` : "";
  const place = $("#kept");
  if (!kept.length) { fill(place, el("p", { class: "invite" }, "Sentences you keep stay here, in this browser.")); return; }
  fill(place,
    el("ol", { class: "cards" }, kept.map((suggestion, i) => card(suggestion, 20 + i))),
    el("p", { class: "row" },
      el("button", { type: "button", onclick: async () => { await copy(kept.map((one) => `${one.text}\n(${[one.author, one.title].filter(Boolean).join(", ")})`).join("\n\n")); toast("Copied all"); } }, "Copy all"),
      el("button", { type: "button", class: "quiet", onclick: () => { const old = kept; kept = []; remember("kept", null); drawKept(); toast("Emptied", { name: "Undo", run: () => { kept = old; remember("kept", kept); drawKept(); } }); } }, "Empty")));
}

// ---- keys

text.addEventListener("input", changed);
text.addEventListener("click", () => { const now = sentenceAt(text.value, text.selectionStart); if (now.start !== current.start) changed(); });
text.addEventListener("keyup", (event) => { if (/^(Arrow|Home|End|Page)/.test(event.key)) changed(); });
addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey) return;
  const place = /^Digit([1-9])$/.exec(event.code);
  if (place && found[place[1] - 1]) { event.preventDefault(); insert(found[place[1] - 1]); }
  if (event.key === "ArrowDown" && found.length) { event.preventDefault(); $(".suggestion", list)?.focus(); }
});
list.addEventListener("keydown", (event) => {
  const item = event.target.closest(".suggestion");
  if (!item || event.altKey || event.ctrlKey || event.metaKey || (event.target !== item && /^(Enter| )$/.test(event.key))) return;
  const items = $$(".suggestion", list);
  const suggestion = found[item.dataset.i];
  const act = {
    ArrowDown: () => items[(items.indexOf(item) + 1) % items.length].focus(),
    ArrowUp: () => items[(items.indexOf(item) - 1 + items.length) % items.length].focus(),
    Enter: () => insert(suggestion), c: () => take(suggestion), k: () => keep(suggestion, $("[aria-pressed]", item)),
    x: () => unfold(item, suggestion, $("[aria-expanded]", item)), Escape: () => text.focus(),
  }[event.key];
  if (act) { event.preventDefault(); act(); }
});
list.addEventListener("focusin", (event) => {
  const item = event.target.closest(".suggestion");
  if (item) reflect(new Set(found[item.dataset.i]?.matches.map((match) => owned(match))));
});

// ---- the rest of the page

fill($("#look"), segments("look", "How to look", [["mixed", "Mixed"], ["close", "Close"], ["surprising", "Surprising"]], settings.look, (value) => set("look", value)));
for (const name of ["mood", "length"]) {
  $(`#${name}`).value = settings[name];
  $(`#${name}`).addEventListener("change", (event) => set(name, event.target.value));
}
function set(name, value) { settings = { ...settings, [name]: value }; remember("write", settings); again(); }

fill($("#tries"), el("p", { class: "faint small" }, "Or begin with one of these:"), TRIES.map((sentence) =>
  el("button", { type: "button", class: "try", onclick: () => { text.value = sentence; text.focus(); text.setSelectionRange(sentence.length, sentence.length); changed(); } }, sentence)));

$("#draft").checked = recall("draft", null) !== null;
$("#draft").addEventListener("change", (event) => remember("draft", event.target.checked ? text.value : null));
$("#undo").addEventListener("click", undo);
$("#copy-all").addEventListener("click", async () => { await copy(text.value); toast("Copied"); });

async function addTexts(documents) {
  const title = documents.length === 1 ? documents[0].name : `Your ${documents.length} texts`;
  try {
    const source = await run("sources", { title, texts: documents }, $("#trouble"));
    await picker.refresh(source.id);
    remember("source", source.id);
    toast(`${title}: ${number(source.sentences)} sentences`);
    $("#forget").hidden = false;
    again();
  } catch (fault) { showFault($("#trouble"), fault); }
}
takeFiles(addTexts, $("#add"));
$("#forget").addEventListener("click", async () => {
  const source = picker.current();
  await ask(`sources/${encodeURIComponent(source.id)}`, { method: "DELETE" });
  toast(`${source.title} was forgotten`);
  await picker.refresh();
  $("#forget").hidden = picker.current()?.kind !== "texts";
  again();
});

tabs($(".tabs"), "found", (name) => { tab = name; $(".write").classList.toggle("across", name === "beside"); reflect(); if (name === "beside") beside(); if (name === "found" && text.value) { asked = ""; again(); } });
drawKept();
draw();
text.value = recall("draft", "") ?? "";
sourcePicker($("#source"), (source, asked_for) => { $("#forget").hidden = source?.kind !== "texts"; if (asked_for) again(); })
  .then((made) => { picker = made; if (text.value) changed(); }).catch((fault) => showFault($("#trouble"), fault));
changed();
addEventListener("resize", () => reflect());
