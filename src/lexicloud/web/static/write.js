// The writer's page: when a sentence ends, other sentences are suggested for it.
import { $, $$, announce, button, copied, el, fill, recall, remember } from "./core.js";
import { segments, showFault, tabs, toast } from "./core.js";
import { ask, attempt, run } from "./server.js";
import { editor, forgetDraft, insert, keepDraft, locate, reflect, restoreDraft, sentence, undo } from "./editor.js";
import { isFinished, words } from "./sentences.js";
import { card, face, owned, unfold } from "./suggestion.js";
import { sourcePicker } from "./sources.js";
import { openShelf } from "./shelfbox.js";

const PAUSE = 650; // milliseconds after the last key before an unfinished sentence is searched for, too
const METHODS = {
  related: "Related",
  setcover: "Set cover",
  average: "Averages",
  wmd: "Word Mover",
  bm25: "BM25",
  jaccard: "Jaccard",
  levenshtein: "Letters",
};
const { text } = editor;
const list = $("#list");
let settings = { look: "mixed", mood: "any", length: "any", level: "any", ...recall("write", {}) };
let kept = recall("kept", []);
let tab = "found";
let found = [];
let asked = "";
let flight = null;
let pause = null;
let picker = null;

const source = () => picker?.current()?.id ?? null;
const isKept = (suggestion) => kept.some((one) => one.text === suggestion.text);

$("#tune").addEventListener("click", ({ currentTarget: tune }) =>
  tune.setAttribute("aria-expanded", String(tune.getAttribute("aria-expanded") !== "true")),
);

// ---- asking

function changed(event) {
  const own = locate();
  $("#tries").hidden = Boolean(text.value);
  keepDraft();
  clearTimeout(pause);
  if (own !== asked && words(own).length >= 2) {
    if (isFinished(own)) suggest(own, event?.timeStamp ?? null);
    else if (words(own).length >= 3) pause = setTimeout(() => suggest(own), PAUSE);
  }
  reflect();
}

/** Ask for suggestions; `since` is the time of the key that ended the sentence. */
async function suggest(own, since = null) {
  asked = own;
  editor.marked = true;
  if (tab === "beside") {
    beside();
    return;
  }
  if (!(await isReady())) return;
  flight?.abort();
  flight = new AbortController();
  const mine = flight;
  list.classList.add("stale");
  try {
    const body = { sentence: own, source: source(), ...settings };
    const { result: answer } = await ask("suggest", { signal: flight.signal, body });
    found = answer.suggestions;
    fill(
      $("#trouble"),
      answer.notes.map((note) => el("p", { class: "faint small" }, note)),
    );
    draw();
    reflect();
    if (since !== null) measured(since);
    announce(found.length ? `${found.length} suggestions` : "No suggestions");
  } catch (fault) {
    if (fault.name === "AbortError") return;
    if (fault.status === 503 && /prepared/.test(fault.message)) later();
    else showFault($("#trouble"), fault);
  } finally {
    if (flight === mine) list.classList.remove("stale");
  }
}

/** Record how long it took, after the next frame, when the suggestions are on the screen. */
function measured(since) {
  requestAnimationFrame(() =>
    setTimeout(() => performance.measure("lexicloud:suggestions", { start: since, end: performance.now() })),
  );
}

/** Tell whether the source can be searched: the shelf is indexed first, other sources are asked again later. */
let preparing = null;
async function isReady() {
  const state = picker?.current()?.state;
  if (state === "preparing") {
    later();
    return false;
  }
  if (state !== "changed") return true;
  preparing ??= run("shelf/prepare", {}, $("#trouble"))
    .then(() => picker.refresh())
    .finally(() => {
      preparing = null;
    });
  return Boolean(await attempt($("#trouble"), () => preparing.then(() => true)));
}

/** Ask again in a moment, while the texts are still being read. */
function later() {
  fill(
    $("#trouble"),
    el("p", { class: "faint" }, "Reading the texts for the first time. Suggestions come in a moment …"),
  );
  asked = "";
  clearTimeout(pause);
  pause = setTimeout(() => changed(), 500);
}

function again() {
  const own = sentence();
  if (words(own).length >= 2) suggest(own);
}

// ---- suggestions

const INVITE = "Sentences that answer yours will stand here, each with the words that called it.";
const NOTHING = "Nothing answers this sentence. Try other words, or other texts.";
const shown = (suggestion, i) => card(suggestion, i, does, isKept(suggestion));

function draw() {
  $("#keys").hidden = !found.length;
  $("#sheet-count").textContent = found.length ? `(${found.length})` : "";
  if (!found.length) fill(list, el("p", { class: "invite" }, asked ? NOTHING : INVITE));
  else fill(list, el("ol", { class: "cards" }, found.map(shown)));
}

const does = {
  insert(suggestion) {
    const quiet = asked;
    insert(suggestion.text);
    asked = quiet;
    announce("Inserted");
    toast("Inserted", { name: "Undo", run: takeBack });
  },
  async take(suggestion) {
    await copied(suggestion.text);
    announce("Copied");
  },
  keep(suggestion, heart = null) {
    const there = isKept(suggestion);
    const { text: said, author, title } = suggestion;
    const one = { text: said, author, title, matches: [], highlights: [] };
    setKept(there ? kept.filter((other) => other.text !== said) : [...kept, one].slice(-200));
    if (heart) face(heart, !there);
    announce(there ? "No longer kept" : "Kept");
  },
};

function takeBack() {
  undo();
  changed();
}

// ---- methods side by side

async function beside() {
  const place = $("#beside");
  const own = locate();
  if (words(own).length < 2) {
    fill(place, el("p", { class: "invite" }, "Write a sentence: every method answers it in a column of its own."));
    return;
  }
  asked = own;
  editor.marked = true;
  reflect();
  if (!(await isReady())) return;
  const columns = Object.entries(METHODS).map(([method, name]) => ({
    method,
    name,
    place: el("div", { class: "column" }, el("h2", {}, name), el("p", { class: "faint small" }, "…")),
  }));
  fill(
    place,
    el(
      "div",
      { class: "columns", tabindex: 0, role: "group", "aria-label": "Methods side by side" },
      columns.map((column) => column.place),
    ),
  );
  await Promise.all(columns.map((column) => answered(own, column)));
}

const answered = (own, { method, name, place }) =>
  attempt(place, async () => {
    const body = { query: own, source: source(), method, top: 4, context: 1, syntax: false };
    const { result: answer } = await ask("search", { body });
    const cards = answer.suggestions.map((one, i) => shown(one, 10 + i));
    fill(place, el("h2", {}, name), el("ol", { class: "cards plain" }, cards));
  });

// ---- kept

function setKept(now) {
  kept = now;
  remember("kept", kept.length ? kept : null);
  drawKept();
}

function drawKept() {
  $("#kept-count").textContent = kept.length ? `(${kept.length})` : "";
  if (!kept.length) {
    fill($("#kept"), el("p", { class: "invite" }, "Sentences you keep stay here, in this browser."));
    return;
  }
  const all = kept.map((one) => `${one.text}\n(${[one.author, one.title].filter(Boolean).join(", ")})`).join("\n\n");
  const empty = () => {
    const old = kept;
    setKept([]);
    toast("Emptied", { name: "Undo", run: () => setKept(old) });
  };
  fill(
    $("#kept"),
    el(
      "ol",
      { class: "cards" },
      kept.map((one, i) => shown(one, 20 + i)),
    ),
    el(
      "p",
      { class: "row" },
      button("Copy all", () => copied(all, "Copied all")),
      button("Empty", empty, { class: "quiet" }),
    ),
  );
}

// ---- keys

text.addEventListener("input", changed);
const moved = () => {
  const old = editor.current.start;
  locate();
  if (editor.current.start !== old) changed();
};
text.addEventListener("click", moved);
text.addEventListener("keyup", (event) => {
  if (/^(Arrow|Home|End|Page)/.test(event.key)) moved();
});
addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey) return;
  const place = /^Digit([1-9])$/.exec(event.code);
  if (place && found[place[1] - 1]) {
    event.preventDefault();
    does.insert(found[place[1] - 1]);
  }
  if (event.key === "ArrowDown" && found.length) {
    event.preventDefault();
    $(".suggestion", list)?.focus();
  }
});
list.addEventListener("keydown", (event) => {
  const item = event.target.closest(".suggestion");
  const inside = event.target !== item && /^(Enter| )$/.test(event.key);
  if (!item || event.altKey || event.ctrlKey || event.metaKey || inside) return;
  const items = $$(".suggestion", list);
  const suggestion = found[item.dataset.i];
  const step = (n) => items[(items.indexOf(item) + n + items.length) % items.length].focus();
  const act = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Enter: () => does.insert(suggestion),
    c: () => does.take(suggestion),
    k: () => does.keep(suggestion, $("[aria-pressed]", item)),
    x: () => unfold(item, suggestion, $("[aria-expanded]", item)),
    Escape: () => text.focus(),
  }[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
list.addEventListener("focusin", (event) => {
  const item = event.target.closest(".suggestion");
  if (item) reflect(new Set(found[item.dataset.i]?.matches.map(owned)));
});

// ---- the rest of the page

function set(name, value) {
  settings = { ...settings, [name]: value };
  remember("write", settings);
  again();
}
const LOOKS = [
  ["mixed", "Mixed"],
  ["close", "Close"],
  ["surprising", "Surprising"],
];
fill(
  $("#look"),
  segments("look", "How to look", LOOKS, settings.look, (value) => set("look", value)),
);
for (const name of ["mood", "length", "level"]) {
  $(`#${name}`).value = settings[name];
  $(`#${name}`).addEventListener("change", (event) => set(name, event.target.value));
}

/** Show example sentences from the chosen texts. */
function drawTries(examples) {
  const begin = (said) => () => {
    text.value = said;
    text.focus();
    text.setSelectionRange(said.length, said.length);
    changed();
  };
  fill(
    $("#tries"),
    examples.length ? el("p", { class: "faint small" }, "Or begin with one of these:") : null,
    examples.map((said) => button(said, begin(said), { class: "try" })),
  );
}

$("#undo").addEventListener("click", takeBack);
$("#copy-all").addEventListener("click", () => copied(text.value));
$("#add").addEventListener("click", openShelf);
$("#forget-draft").addEventListener("click", () => {
  const back = forgetDraft();
  asked = "";
  found = [];
  draw();
  changed();
  toast("Your draft was forgotten", {
    name: "Undo",
    run: () => {
      back();
      changed();
    },
  });
});
$("#sheet").addEventListener("click", () => {
  const open = $(".write").classList.toggle("sheet-open");
  $("#sheet").setAttribute("aria-expanded", String(open));
});

tabs($(".tabs"), "found", (name) => {
  tab = name;
  $(".write").classList.toggle("across", name === "beside");
  reflect();
  if (name === "beside") beside();
  if (name === "found" && text.value) {
    asked = "";
    again();
  }
});
drawKept();
draw();
restoreDraft();
const choose = (chosen, byHand) => {
  drawTries(chosen?.examples ?? []);
  if (!byHand) return;
  asked = "";
  again();
};
attempt($("#trouble"), async () => {
  picker = await sourcePicker($("#source"), choose);
  if (text.value) changed();
});
changed();
