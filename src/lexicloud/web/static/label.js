// Labelling a table by keys. Rows and labels are on the shelf, so that a reload loses nothing.
import { $, $$, announce, button, counted, el, fill, number, options, recall, remember, showFault } from "./core.js";
import { ask, attempt, run } from "./server.js";
import { go, onBack, state } from "./address.js";
import * as store from "./shelf.js";
import { columnChoices, openShelf } from "./shelfbox.js";
import { allLabels, labelsOf, openFirst, pieces, table } from "./rows.js";
import { saveCsv } from "./take.js";
import { say } from "./say.js";

const SHOWN = 60; // rows drawn at a time; those worth labelling most come first
const KEYS = 9;
const PASTED = "pasted rows";
let file = null;
let rows = []; // {id, text, label, row, guess, probability, said, why}
let labels = [];
let order = [];

// ---- which rows

function drawTables() {
  const { texts, tables } = store.shelf();
  const n = (name) => texts.filter((text) => text.file === name).length;
  const files = Object.keys(tables).filter(n);
  const begins = (name, shown) => button(shown, () => begin(name));
  fill(
    $("#tables"),
    texts.length
      ? [
          el("h2", {}, "On your shelf"),
          el(
            "p",
            { class: "row" },
            files.map((name) => begins(name, `${name} · ${counted(n(name), "row")}`)),
            begins("", `All ${counted(texts.length, "text")}`),
          ),
        ]
      : null,
  );
}

async function begin(name, push = true) {
  const found = await store.rows(name ? { file: name } : {});
  if (!found.length) return;
  file = name;
  // A label given in the meantime is not on the shelf yet.
  const labelOf = ({ id, author }) => (unsaved.has(id) ? unsaved.get(id) : author);
  rows = found.map((one) => ({ id: one.id, text: one.text, label: labelOf(one), row: one.row, name: one.name }));
  labels = allLabels(recall(`labels:${file}`, ""), rows);
  $("#labels").value = labels.join(", ");
  order = openFirst(rows);
  go({ file: name || "all" }, { push });
  $("#start").hidden = true;
  $("#work").hidden = false;
  fill($("#said"));
  drawColumns();
  draw();
  if (!labels.length) $("#labels").focus();
}

/** Which columns of the table hold the text, the label and the id. */
function drawColumns() {
  const read = store.shelf().tables[file];
  $("#file").textContent = file || "All texts of your shelf";
  if (!read || read.columns.length < 2) {
    fill($("#columns"));
    return;
  }
  const take = (given) =>
    attempt($("#trouble"), async () => {
      await store.takeColumns(given);
      begin(file, false);
    });
  fill($("#columns"), columnChoices(file, read, ["text", "label", "id"], take));
}

// ---- drawing

function draw(focus = null) {
  const done = rows.filter((row) => row.label).length;
  $("#state").textContent =
    `${number(done)} of ${number(rows.length)} rows labelled, ${counted(labels.length, "label")}. ` +
    (rows.length > SHOWN ? `The first ${SHOWN} are shown.` : "");
  fill($("#rows"), order.slice(0, SHOWN).map(line));
  if (focus !== null) $$(".line")[Math.min(focus, $$(".line").length - 1)]?.focus();
}

function line(i, place) {
  const row = rows[i];
  const whose = row.label
    ? el("strong", {}, row.label)
    : row.said
      ? ["guess: ", el("strong", {}, row.said)]
      : "no label yet";
  return el(
    "li",
    { class: `line card${row.label ? " done" : ""}`, tabindex: 0, "data-i": i, "data-place": place },
    el("p", { class: "said", dir: "auto" }, row.text),
    row.why ? el("p", { class: "why" }, row.why) : null,
    el(
      "div",
      { class: "foot" },
      el("span", { class: "whose" }, whose, file ? el("span", { class: "faint" }, ` · ${row.name}`) : null),
      el("span", { class: "does" }, labels.length > KEYS ? chooser(i, place) : buttons(i, place)),
    ),
  );
}

const buttons = (i, place) =>
  labels.map((label, n) => {
    const on = rows[i].label === label;
    const shown = [label, el("kbd", { "aria-hidden": "true" }, String(n + 1))];
    const look = { class: `small${on ? " main" : ""}`, "aria-pressed": String(on) };
    return button(shown, () => set(i, label, place), look);
  });

/** A list of all labels, where there are more labels than keys. */
const chooser = (i, place) =>
  el(
    "select",
    { "aria-label": "Label", onchange: (event) => set(i, event.target.value || null, place) },
    options(
      [["", "no label"], ...labels.map((label, n) => [label, n < KEYS ? `${n + 1} ${label}` : label])],
      rows[i].label ?? "",
    ),
  );

// ---- labelling

let waiting = null;
const unsaved = new Map(); // id → label
function set(i, label, place) {
  rows[i].label = label;
  unsaved.set(rows[i].id, label);
  clearTimeout(waiting);
  waiting = setTimeout(keep, 500);
  announce(label ? `Labelled ${label}` : "Cleared");
  draw(label ? place + 1 : place);
}

/** Put new labels on the shelf, all rows of one label at once. */
async function keep() {
  const byLabel = new Map();
  for (const [id, label] of unsaved) byLabel.set(label, [...(byLabel.get(label) ?? []), id]);
  unsaved.clear();
  for (const [author, ids] of byLabel) {
    await store.change(ids, { author }).catch((fault) => showFault($("#trouble"), fault));
  }
}
addEventListener("pagehide", () => {
  // labels that are not on the shelf yet are sent when the page is left
  for (const [id, author] of unsaved) {
    fetch("/api/v1/shelf/change", {
      method: "POST",
      keepalive: true,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ids: [id], author }),
    });
  }
});

addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.closest("dialog");
  if (event.altKey || event.ctrlKey || event.metaKey || $("#work").hidden || typing) return;
  // Without a row in focus, the key is for the first row that has no label.
  const item = event.target.closest(".line") ?? (/^[0-9]$/.test(event.key) ? $(".line:not(.done)") : null);
  if (!item) return;
  const [i, place] = [Number(item.dataset.i), Number(item.dataset.place)];
  const step = (n) => $$(".line")[Math.max(0, Math.min(place + n, $$(".line").length - 1))].focus();
  const digit = /^[1-9]$/.test(event.key) ? labels[event.key - 1] : null;
  const act = digit
    ? () => set(i, digit, place)
    : {
        0: () => set(i, null, place),
        ArrowDown: () => step(1),
        ArrowUp: () => step(-1),
        Enter: event.target === item && rows[i].guess ? () => set(i, rows[i].guess, place) : null,
      }[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

// ---- guessing

async function guess() {
  const body = { rows: rows.map(({ text, label }) => ({ text, label })), next: 20, explain: order.slice(0, 30) };
  const { result: found, say: words } = await run("label", body, $("#trouble"));
  found.rows.forEach((row, i) => {
    const { guess: label, probability } = found.guesses[i];
    Object.assign(rows[row], { guess: label, probability, said: found.said[i], why: null });
  });
  for (const [i, reason] of Object.entries(found.reasons)) rows[i].why = reason.sentence;
  const next = new Set(found.next);
  const least = (a, b) => (rows[a].probability ?? 0) - (rows[b].probability ?? 0);
  order = [...found.next, ...found.rows.filter((i) => !next.has(i)).sort(least), ...rows.keys()].filter(first);
  fill($("#said"), say(words));
  draw(0);
  announce("Guessed. The rows that teach most come first.");
}
const first = (value, i, all) => all.indexOf(value) === i;

function saveTable() {
  const read = store.shelf().tables[file];
  const columns = read?.columns ?? [];
  const whole = rows.map((row) => ({
    ...row,
    row: { ...row.row, [read?.text ?? "text"]: row.text, ...(read?.name ? { [read.name]: row.name } : {}) },
  }));
  saveCsv(`${(file || "labels").replace(/\.\w+$/, "")}-labelled`, table(whole, columns));
}

// ---- the page

$("#labels").addEventListener("change", (event) => {
  labels = allLabels(event.target.value, rows);
  remember(`labels:${file}`, labelsOf(event.target.value).join(", "));
  draw();
});
$("#labels").addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.target.blur();
    draw(0);
  }
});
$("#guess").addEventListener("click", () => attempt($("#trouble"), guess, $("#guess")));
$("#save").addEventListener("click", saveTable);
$("#other").addEventListener("click", () => {
  go({});
  start();
});
$(".open-shelf").addEventListener("click", openShelf);
$("#use").addEventListener("click", async () => {
  const typed = pieces($("#paste").value, "\n");
  const texts = typed.map((text, i) => ({ name: `row ${i + 1}`, text, file: PASTED, row: { text } }));
  if (!texts.length) return;
  await attempt($("#trouble"), async () => {
    await store.put(texts, { file: PASTED, text: "text", label: "", columns: ["text"] });
    begin(PASTED);
  });
});

function start() {
  $("#start").hidden = false;
  $("#work").hidden = true;
  drawTables();
}
const follow = (asked) => (asked.file ? begin(asked.file === "all" ? "" : asked.file, false) : start());
onBack(follow);
let known = 0;
store.onShelf((shelf, changed) => {
  drawTables();
  // A table that is brought to this page is the one to label.
  const read = store.reading.findLast?.((one) => one.state === "done" && one.ids?.length && shelf.tables[one.path]);
  if (changed && shelf.texts.length > known && !$("#start").hidden && read) begin(read.path);
  known = shelf.texts.length;
});
ask("shelf")
  .then(() => follow(state()))
  .catch((fault) => showFault($("#trouble"), fault));
