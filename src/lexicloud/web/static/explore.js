// A collection from seven sides.
import { $, el, fill, number, remember, run, showFault, sourcePicker, tabs, takeFiles, toast } from "./core.js";
import { legend, lines } from "./charts.js";
import { say } from "./say.js";

let source = null;
let picker = null;
let tab = "keywords";
const drawn = {}; // what each tab shows already, so that coming back costs nothing

const form = (name) => $(`#${name} form`);
const value = (name, field) => form(name).elements[field].value;

async function show(name, body, draw = null, { always = false } = {}) {
  if (!source || source.state !== "ready") return;
  const asked = JSON.stringify([source.id, body]);
  if (drawn[name] === asked && !always) return;
  drawn[name] = asked;
  const out = $(`#${name} .out`);
  try {
    const found = await run(`explore/${name}`, { source: source.id, ...body }, out);
    if (drawn[name] === asked) fill(out, el("div", { class: "card result" }, draw?.(found.result), say(found.say)));
  } catch (fault) { drawn[name] = null; showFault(out, fault); }
}

const views = {
  keywords() {
    const [group, against] = [value("keywords", "group"), value("keywords", "against")];
    if (group) show("keywords", { group, against: against || null });
  },
  contexts() {
    const [word, group] = [value("contexts", "word").trim(), value("contexts", "group")];
    if (word) show("contexts", { word, group: group || null });
  },
  trends() {
    const words = value("trends", "words").split(",").map((word) => word.trim()).filter(Boolean).slice(0, 8);
    const along = value("trends", "along");
    if (words.length) show("trends", { words, text: along || null }, (found) => {
      const names = Object.keys(found.smoothed);
      const series = names.map((name) => ({ name, x: found.places, y: found.smoothed[name] }));
      const label = `How often ${names.join(", ")} are said`;
      return [legend(names), lines(series, { label, xName: found.along, yName: "times in 10,000 words" })];
    });
  },
  zipf() {
    show("zipf", { text: value("zipf", "text") || null }, (found) => {
      const titles = found.ranks.map((rank, i) => `${rank}. ${found.shown[i]}: ${found.counts[i]}`);
      const counted = { name: "counted", x: found.ranks, y: found.counts, dots: true, titles };
      const fit = { name: "fit", x: found.ranks, y: found.predicted };
      return [legend(["counted", "Zipf–Mandelbrot fit"]),
        lines([counted, fit], { label: "Count against rank", logX: true, logY: true, xName: "rank", yName: "count" })];
    });
  },
  parts() { show("parts", {}); },
  map(always = false) {
    if (!always && !drawn.map) return;
    show("map", { of: value("map", "of"), n: Number(value("map", "n")) }, null, { always });
  },
  clusters(always = false) {
    if (!always && !drawn.clusters) return;
    show("clusters", { k: Number(value("clusters", "k")) }, null, { always });
  },
};

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
    try { Object.assign(now, await run(`sources/${encodeURIComponent(now.id)}/texts`, {}, $(`#${tab} .out`))); } catch (fault) { showFault($(`#${tab} .out`), fault); return; }
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

// A word that is clicked on the map opens its contexts.
$("#map .out").addEventListener("lexicloud:point", (event) => {
  if (event.detail.thing !== "word") return;
  form("contexts").elements.word.value = event.detail.name;
  toast(`${event.detail.name}: ${event.detail.told}`, { name: "Contexts", run: () => $("#t-contexts").click() });
});
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
