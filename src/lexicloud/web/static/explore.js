// A collection from several sides. The address holds what is looked at: a link shows the same, and Back goes back.
import { $, $$, button, el, fill, fillGroups, showFault, tabs, toast } from "./core.js";
import { attempt, run } from "./server.js";
import { go, onBack, state } from "./address.js";
import { legend, lines, scatter } from "./charts.js";
import { openReader } from "./reader.js";
import { pieces } from "./rows.js";
import { openShelf } from "./shelfbox.js";
import { sourcePicker } from "./sources.js";
import { answerCard, save } from "./take.js";
import { say } from "./say.js";

let source = null;
let picker = null;
let tab = null;
let panels = null;
let following = false; // true while the page follows the address, which is then not written
const drawn = {}; // what each tab shows, so that it is not computed again
// Drawn by their button, not when the tab opens.
const BY_BUTTON = ["contrast", "contexts", "trends", "map", "clusters"];

const form = (name) => $(`#${name} form`);

/** Return the values of a tab's form. */
function values(name) {
  if (!form(name)) return {};
  const found = {};
  for (const field of form(name).elements) {
    if (!field.name) continue;
    if (field.multiple) found[field.name] = [...field.selectedOptions].map((option) => option.value);
    else if (field.type === "checkbox") found[field.name] = field.checked;
    else found[field.name] = field.value.trim();
  }
  return found;
}

function setValues(name, given) {
  for (const field of form(name)?.elements ?? []) {
    if (!(field.name in given)) continue;
    const value = given[field.name];
    if (field.multiple) for (const option of field.options) option.selected = [].concat(value).includes(option.value);
    else if (field.type === "checkbox") field.checked = value === "true";
    else field.value = value;
  }
}

const note = () => {
  if (!following && source && tab) go({ source: source.id, view: tab, ...values(tab) });
};

async function show(name, body, draw = null, after = null) {
  if (!source || source.state === "preparing") return;
  const asked = JSON.stringify([source.id, source.texts, body]);
  if (drawn[name] === asked) return;
  drawn[name] = asked;
  const out = $(`#${name} .out`);
  try {
    const found = await run(`explore/${name}`, { source: source.id, ...body }, out);
    if (drawn[name] !== asked) return;
    const does = { word: lookUp, passage: (item, i) => read(found.result, i) };
    fill(out, answerCard(name, found.say, say(found.say, does, draw?.(found.result))));
    after?.(out);
  } catch (fault) {
    if (drawn[name] !== asked) return;
    drawn[name] = null;
    showFault(out, fault);
  }
}

// ---- links between the views

/** Show a word's contexts, and put the word into the form of the trends. */
function lookUp(word) {
  setValues("contexts", { word });
  setValues("trends", { words: word });
  panels.show("contexts");
  lookAt("contexts");
}

/** Where else a word can be seen. */
function leads(word) {
  const to = (view, given, shown) => {
    const open = () => {
      setValues(view, given);
      panels.show(view);
      lookAt(view);
    };
    return button(shown, open, { class: "small" });
  };
  return el(
    "div",
    { class: "row leads" },
    to("trends", { words: word }, `How often “${word}” is said`),
    to("map", { of: "words", find: word }, `“${word}” on the map`),
  );
}

function read(result, i) {
  const line = result.lines?.[i];
  if (line) openReader(source.id, line.name, line.start, [...line.word].length);
}

// ---- the views

const split = (words) => pieces(words, ",").slice(0, 8);

const views = {
  keywords({ group, against }) {
    if (group) show("keywords", { group, against: against || null });
  },
  contrast({ groups, periods }, byHand) {
    if (groups.length || byHand) show("contrast", { groups, periods }, pairs);
  },
  contexts({ word, group, top }) {
    const body = { word, group: group || null, top: Number(top) };
    if (word) show("contexts", body, () => (/[*?]/.test(word) ? null : leads(word)));
  },
  trends({ words, along }, byHand) {
    if (split(words).length || byHand)
      show("trends", { words: split(words), text: along || null }, (found) => {
        const names = Object.keys(found.smoothed);
        const series = names.map((name) => ({ name, x: found.places, y: found.smoothed[name] }));
        const label = `How often ${names.join(", ")} are said`;
        return [legend(names), lines(series, { label, xName: found.along, yName: "times in 10,000 words" })];
      });
  },
  zipf({ text }) {
    show("zipf", { text: text || null }, (found) => {
      const titles = found.ranks.map((rank, i) => `${rank}. ${found.shown[i]}: ${found.counts[i]}`);
      const measured = { name: "counted", x: found.ranks, y: found.counts, dots: true, titles };
      const fit = { name: "fit", x: found.ranks, y: found.predicted };
      return [
        legend(["counted", "Zipf–Mandelbrot fit"]),
        lines([measured, fit], {
          label: "Count against rank",
          logX: true,
          logY: true,
          xName: "rank",
          yName: "count",
        }),
      ];
    });
  },
  parts() {
    show("parts", {});
  },
  map({ of, n, find }) {
    const mark = (out) => queueMicrotask(() => find && $(".lexmap", out)?.map?.find(find));
    show("map", { of, n: Number(n) }, null, mark);
    mark($("#map .out"));
  },
  clusters({ k }) {
    show("clusters", { k: Number(k) });
  },
};

/** Draw key words by frequency and log ratio, as `Contrast.plot` does. */
function pairs(found) {
  const told = (word) => `${word.word}: ${found.groups.map((group, i) => `${group} ${word.counts[i]}`).join(", ")}`;
  const points = found.words
    .map((word, i) => ({
      name: word.word,
      x: word.counts.reduce((sum, n) => sum + n, 0),
      y: word.adds,
      series: found.groups.indexOf(found.owners[i]),
      title: told(word),
    }))
    .filter((_, i) => found.words[i].kind === "content");
  const label = `Key words of ${found.groups.join(", ")}`;
  const upwards = found.groups.length === 2 ? `more in ${found.groups[0]}` : "more than in the others";
  const yName = `${upwards} ↑ (doublings)`;
  return points.length
    ? [legend(found.groups), scatter(points, { label, xName: "times in all groups", yName })]
    : null;
}

// A click on a word of the map shows its contexts.
$("#map .out").addEventListener("lexicloud:point", ({ detail }) => {
  const leads = detail.thing === "word" ? { name: "Contexts", run: () => lookUp(detail.name) } : null;
  toast(`${detail.name}: ${detail.told}`, leads);
});

/** Show a view with the values of its form. */
function lookAt(name) {
  note();
  views[name](values(name), true);
}

// ---- the source

function fillForms(now) {
  const groups = [
    ["Authors", now.authors ?? []],
    ["Texts", now.texts ?? []],
  ];
  fillGroups(form("keywords").elements.group, null, groups);
  fillGroups(form("keywords").elements.against, "all the rest", groups);
  fillGroups(form("contrast").elements.groups, null, groups);
  fillGroups(form("contexts").elements.group, "all texts", groups);
  fillGroups(form("trends").elements.along, now.dated ? "the years" : null, [["Along one text", now.texts ?? []]]);
  fillGroups(form("zipf").elements.text, "all texts", [["Texts", now.texts ?? []]]);
}

const DEMO = {
  keywords: { group: "Abraham Lincoln" },
  contexts: { word: "freedom" },
  trends: { words: "war, peace, jobs" },
};

async function changed(now) {
  const same = now?.id === source?.id && now?.state === source?.state && String(now?.texts) === String(source?.texts);
  source = now;
  if (same || !now) return;
  const out = $(`#${tab} .out`);
  if (now.kind === "index" && now.state === "ready" && !now.texts.length) {
    try {
      Object.assign(now, await run(`sources/${encodeURIComponent(now.id)}/texts`, {}, out));
    } catch (fault) {
      showFault(out, fault);
      return;
    }
    if (source !== now) return;
  }
  fillForms(now);
  if (now.kind === "demo") for (const [name, given] of Object.entries(DEMO)) setValues(name, given);
  if (now.state === "preparing") {
    fill(out, el("p", { class: "faint" }, "Reading the texts …"));
    return;
  }
  follow(state());
}

/** Do what the address asks for. */
function follow(asked) {
  following = true;
  const view = asked.view in views ? asked.view : "keywords";
  setValues(view, asked);
  if (view !== tab) panels.show(view);
  else open(view);
  following = false;
}

/** Open a tab; some draw at once, others by their button or if the address asks for them. */
function open(name) {
  if (!BY_BUTTON.includes(name) || state().view === name) views[name](values(name));
}

// ---- the page

async function report() {
  const { result } = await run("explore/report", { source: source.id }, $("#reporting"));
  save("report.html", result.page, "text/html");
  toast("The report was saved as report.html");
}

for (const name of Object.keys(views)) {
  form(name)?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (name === "map") form(name).elements.find.value = "";
    lookAt(name);
  });
  form(name)?.addEventListener("change", (event) => {
    if (event.target.tagName === "SELECT" && !BY_BUTTON.includes(name)) lookAt(name);
  });
}
$$(".open-shelf").forEach((button) => button.addEventListener("click", openShelf));
$("#report").addEventListener("click", () => attempt($("#reporting"), report));
panels = tabs($(".tabs"), state().view ?? "keywords", (name) => {
  tab = name;
  if (panels) {
    note();
    open(name);
  }
});
onBack(async (asked) => {
  if (asked.source && asked.source !== source?.id) await picker.set(asked.source, false);
  else follow(asked);
});
attempt($(`#${tab} .out`), async () => {
  picker = await sourcePicker($("#source"), changed, { wanted: state().source });
});
