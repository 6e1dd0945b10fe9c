// A table, two keys a row.
import { $, $$, announce, el, fill, number, run, showFault, takeFiles } from "./core.js";

const SHOWN = 60; // rows drawn at a time: those that teach most come first
let rows = []; // {text, label, guess, probability, none, reasons}
let labels = [];
let order = [];

function begin(documents) {
  rows = documents.map((one) => ({ text: one.text.trim(), label: one.author || null })).filter((row) => row.text);
  if (!rows.length) return;
  labels = [...new Set(rows.map((row) => row.label).filter(Boolean))].slice(0, 9);
  $("#labels").value = labels.join(", ");
  order = rows.map((_, i) => i).sort((a, b) => Boolean(rows[a].label) - Boolean(rows[b].label) || a - b);
  $("#start").hidden = true;
  $("#work").hidden = false;
  draw();
  if (!labels.length) $("#labels").focus();
}

function draw(focus = null) {
  const done = rows.filter((row) => row.label).length;
  $("#state").textContent = `${number(done)} of ${number(rows.length)} rows labelled.`;
  fill($("#rows"), order.slice(0, SHOWN).map((i, place) => line(i, place)));
  if (focus !== null) $$(".line")[Math.min(focus, $$(".line").length - 1)]?.focus();
}

function line(i, place) {
  const row = rows[i];
  const guess = row.said ?? "";
  return el("li", { class: `line card${row.label ? " done" : ""}`, tabindex: 0, "data-i": i, "data-place": place },
    el("p", { class: "said", dir: "auto" }, row.text),
    row.reasons ? el("p", { class: "why" }, row.reasons.map((word) => el("span", { class: "reason" }, el("span", { class: "own" }, word.word), word.near?.length ? ` near ${[].concat(word.near).slice(0, 2).join(", ")}` : ""))) : null,
    el("div", { class: "foot" }, el("span", { class: "whose" }, row.label ? el("strong", {}, row.label) : guess ? ["guess: ", el("strong", {}, guess)] : "no label yet"),
      el("span", { class: "does" }, labels.map((label, n) => el("button", { type: "button", class: `small${row.label === label ? " main" : ""}`, "aria-pressed": String(row.label === label), onclick: () => set(i, label, place) }, label, el("kbd", { "aria-hidden": "true" }, String(n + 1)))))));
}

function set(i, label, place) {
  rows[i].label = label;
  announce(label ? `Labelled ${label}` : "Cleared");
  draw(label ? place + 1 : place);
}

addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || $("#work").hidden || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  // Without a row in focus, the first that has no label is meant.
  const item = event.target.closest(".line") ?? (/^[0-9]$/.test(event.key) ? $(".line:not(.done)") : null);
  if (!item) return;
  const [i, place] = [Number(item.dataset.i), Number(item.dataset.place)];
  const lines = $$(".line");
  if (/^[1-9]$/.test(event.key) && labels[event.key - 1]) { event.preventDefault(); set(i, labels[event.key - 1], place); }
  else if (event.key === "0") { event.preventDefault(); set(i, null, place); }
  else if (event.key === "Enter" && event.target === item && rows[i].guess) { event.preventDefault(); set(i, rows[i].guess, place); }
  else if (event.key === "ArrowDown") { event.preventDefault(); lines[Math.min(place + 1, lines.length - 1)].focus(); }
  else if (event.key === "ArrowUp") { event.preventDefault(); lines[Math.max(place - 1, 0)].focus(); }
});

async function guess() {
  $("#guess").disabled = true;
  try {
    const explain = order.slice(0, 30);
    const { result: found } = await run("label", { rows: rows.map(({ text, label }) => ({ text, label })), next: 20, explain }, $("#trouble"));
    found.rows.forEach((row, i) => {
      const { guess, probability } = found.guesses[i];
      Object.assign(rows[row], { guess, probability, said: found.said[i], reasons: null });
    });
    for (const [i, reason] of Object.entries(found.reasons)) rows[i].reasons = reason.words.filter((word) => word.adds > 0 && (word.kind ?? "content") === "content").slice(0, 5);
    const next = new Set(found.next);
    const rest = found.rows.filter((i) => !next.has(i)).sort((a, b) => (rows[a].probability ?? 0) - (rows[b].probability ?? 0));
    order = [...found.next, ...rest, ...rows.map((_, i) => i).filter((i) => rows[i].label)];
    draw(0);
    announce("Guessed. The rows that teach most come first.");
  } catch (fault) { showFault($("#trouble"), fault); } finally { $("#guess").disabled = false; }
}

function save() {
  const quoted = (value) => `"${String(value ?? "").replaceAll('"', '""')}"`;
  const lines = ["text,label,guess,probability", ...rows.map((row) => [row.text, row.label, row.guess, row.probability].map(quoted).join(","))];
  const link = el("a", { href: URL.createObjectURL(new Blob([lines.join("\n")], { type: "text/csv" })), download: "labels.csv" });
  link.click();
  URL.revokeObjectURL(link.href);
}

$("#labels").addEventListener("change", (event) => { labels = [...new Set(event.target.value.split(",").map((label) => label.trim()).filter(Boolean))].slice(0, 9); draw(); });
$("#labels").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.target.blur(); draw(0); } });
$("#guess").addEventListener("click", guess);
$("#save").addEventListener("click", save);
$("#use").addEventListener("click", () => begin($("#paste").value.split("\n").map((text) => ({ text, author: null }))));
takeFiles(begin, $("#files"));
