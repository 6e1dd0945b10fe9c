// A collection from seven sides.
import { $, bars, el, fill, number, remember, run, showFault, sourcePicker, tabs, takeFiles, toast } from "./core.js";
import { legend, lines, scatter } from "./charts.js";

let source = null;
let picker = null;
let tab = "keywords";
const drawn = {}; // what each tab shows already, so that coming back costs nothing
const PARTS = ["noun", "verb", "adjective", "adverb", "pronoun", "other"];

const form = (name) => $(`#${name} form`);
const value = (name, field) => form(name).elements[field].value;

async function show(name, body, draw, { always = false } = {}) {
  if (!source || source.state !== "ready") return;
  const asked = JSON.stringify([source.id, body]);
  if (drawn[name] === asked && !always) return;
  drawn[name] = asked;
  const out = $(`#${name} .out`);
  try {
    const found = await run(`explore/${name}`, { source: source.id, ...body }, out);
    if (drawn[name] === asked) fill(out, draw(found));
  } catch (fault) { drawn[name] = null; showFault(out, fault); }
}

const views = {
  keywords() {
    const [group, against] = [value("keywords", "group"), value("keywords", "against")];
    if (group) show("keywords", { group, against: against || null }, (found) => {
      const rows = (words) => words.map((one) => ({ word: one.word, value: one.z, near: null }));
      return el("div", {}, el("div", { class: "two" },
        el("div", { class: "card" }, el("h2", {}, "Said more often"), bars(rows(found.over), { format: (z) => number(Math.abs(z), 1) })),
        el("div", { class: "card" }, el("h2", {}, "Said less often"), bars(rows(found.under), { series: "c1", format: (z) => number(Math.abs(z), 1) }))),
        el("p", { class: "faint small next" }, `Log-odds in standard errors; ${number(found.tokens_inside)} words inside, ${number(found.tokens_outside)} outside.`));
    });
  },
  contexts() {
    const [word, group] = [value("contexts", "word").trim(), value("contexts", "group")];
    if (word) show("contexts", { word, group: group || null }, (found) => el("div", { class: "card" },
      el("h2", {}, `“${found.word}” occurs ${number(found.total)} times in ${number(found.texts)} texts`),
      el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Contexts" }, el("table", { class: "kwic" }, el("tbody", {}, found.lines.map((line) =>
        el("tr", {}, el("td", { class: "before" }, `${line.before} `), el("td", { class: "word" }, line.word), el("td", { class: "after" }, /^[^\p{L}\p{N}“‘([]/u.test(line.after) ? line.after : ` ${line.after}`), el("td", { class: "faint small" }, line.name))))))));
  },
  trends() {
    const words = value("trends", "words").split(",").map((word) => word.trim()).filter(Boolean).slice(0, 8);
    const along = value("trends", "along");
    if (words.length) show("trends", { words, text: along || null }, (found) => {
      const names = Object.keys(found.rates);
      return el("div", { class: "card" }, el("h2", {}, "Times in 10,000 words"), legend(names),
        lines(names.map((name) => ({ name, x: found.places, y: smooth(found.rates[name], found.along === "year" ? 5 : 1) })), { label: `How often ${names.join(", ")} are said`, xName: found.along === "year" ? "year" : "word of the text", yName: "" }),
        el("p", { class: "faint small" }, found.along === "year" ? "Means of five years in a row." : "Stretches of equal length."));
    });
  },
  zipf() {
    show("zipf", { text: value("zipf", "text") || null }, (found) => el("div", { class: "card" },
      el("h2", {}, `${number(found.words)} different words, ${number(found.tokens)} in all`),
      legend(["counted", "Zipf–Mandelbrot fit"]),
      lines([{ name: "counted", x: found.ranks, y: found.counts, dots: true, titles: found.ranks.map((rank, i) => `${rank}. ${found.shown[i]}: ${number(found.counts[i])}`) },
        { name: "fit", x: found.ranks, y: found.predicted }], { label: "Count against rank", logX: true, logY: true, xName: "rank", yName: "count" }),
      el("p", { class: "faint small" }, `α = ${number(found.fit.alpha, 2)}, β = ${number(found.fit.beta, 1)}; slope of the straight line ${number(found.fit.slope, 2)}.`)));
  },
  parts() {
    show("parts", {}, (found) => el("div", { class: "two" }, ["token_percent", "word_percent"].map((key) => el("div", { class: "card" }, el("h2", {}, key === "token_percent" ? "Of all words said" : "Of the different words"),
      bars(PARTS.map((part, i) => ({ word: part, value: found.parts[part][key], series: `c${i}` })), { format: (share) => `${number(share, 1)} %` })))));
  },
  map(always = false) {
    if (!always && !drawn.map) return;
    show("map", { words: Number(value("map", "words")), method: value("map", "method") }, (found) => el("div", { class: "card" }, legend(PARTS),
      scatter(found.words.map((word, i) => ({ name: word, x: found.coordinates[i][0], y: found.coordinates[i][1], series: PARTS.indexOf(found.parts[i]), size: 1.5 + Math.log10(found.counts[i]) / 2, title: `${word}: ${number(found.counts[i])}` })), { label: "Words on a plane, near ones together", height: 640, names: 400 })), { always });
  },
  clusters(always = false) {
    if (!always && !drawn.clusters) return;
    show("clusters", { k: Number(value("clusters", "k")) }, (found) => el("div", { class: "cluster-list" }, found.clusters.map((cluster) => el("article", { class: "card" },
      el("h2", {}, cluster.words.slice(0, 5).join(" · ") || "(mixed)"), el("p", { class: "faint small" }, `${number(cluster.size)} sentences`), [...cluster.nearest].sort((a, b) => a.length - b.length).slice(0, 3).map((sentence) => el("p", { class: "said" }, sentence))))), { always });
  },
};

/** A running mean; the ends use what there is. */
function smooth(values, width) {
  const half = Math.floor(width / 2);
  return values.map((_, i) => { const some = values.slice(Math.max(0, i - half), i + half + 1); return some.reduce((a, b) => a + b, 0) / some.length; });
}

function options(select, first, groups, keep = true) {
  const old = select.value;
  fill(select, first ? el("option", { value: "" }, first) : null, groups.map(([label, names]) => names.length ? el("optgroup", { label }, names.map((name) => el("option", { value: name }, name))) : null));
  if (keep && [...select.options].some((option) => option.value === old)) select.value = old;
}

async function changed(now) {
  const other = now?.id !== source?.id || now?.state !== source?.state;
  source = now;
  if (!other || !now) return;
  if (now.kind === "index" && now.state === "ready" && !now.texts.length) {
    try { Object.assign(now, await run("explore/texts", { source: now.id }, $(`#${tab} .out`))); } catch (fault) { showFault($(`#${tab} .out`), fault); return; }
    if (source !== now) return;
  }
  const groups = [["Authors", now.authors ?? []], ["Texts", now.texts ?? []]];
  options(form("keywords").elements.group, null, groups, false);
  if (now.kind === "demo") form("keywords").elements.group.value = "Abraham Lincoln";
  options(form("keywords").elements.against, "all the rest", groups);
  options(form("contexts").elements.group, "all texts", groups);
  options(form("trends").elements.along, now.dated ? "the years" : null, [["Along one text", now.texts ?? []]]);
  options(form("zipf").elements.text, "all texts", [["Texts", now.texts ?? []]]);
  if (now.state === "preparing") fill($(`#${tab} .out`), el("p", { class: "faint" }, "Reading the texts …")); else views[tab]();
}

for (const name of Object.keys(views)) {
  form(name)?.addEventListener("submit", (event) => { event.preventDefault(); views[name](true); });
  form(name)?.addEventListener("change", (event) => { if (event.target.tagName === "SELECT") views[name](); });
}
tabs($(".tabs"), location.hash.slice(1) || "keywords", (name) => { tab = name; history.replaceState(null, "", `#${name}`); views[name](); });
takeFiles(async (documents) => {
  try {
    const title = documents.length === 1 ? documents[0].name : `Your ${documents.length} texts`;
    const made = await run("sources", { title, texts: documents }, $(`#${tab} .out`));
    remember("source", made.id);
    changed(await picker.refresh(made.id));
    toast(`${title}: ${number(made.sentences)} sentences`);
  } catch (fault) { showFault($(`#${tab} .out`), fault); }
}, $("#add"));
sourcePicker($("#source"), (now) => changed(now)).then((made) => { picker = made; }).catch((fault) => showFault($(`#${tab} .out`), fault));
