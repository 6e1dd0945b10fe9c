// A study, for its owner: making it of texts, inviting people, and what their answers say.
import { intervals } from "./charts.js";
import { $, button, copied, el, fill, options, showFault } from "./core.js";
import { ask, attempt, run } from "./server.js";
import { say } from "./say.js";
import { openShelf } from "./shelfbox.js";
import { sourcePicker } from "./sources.js";
import { answerCard, save } from "./take.js";

const place = $("#results");
const METHODS = {
  setcover: "Set cover",
  average: "Averages",
  wmd: "Word Mover’s Distance",
  jaccard: "Jaccard",
  levenshtein: "Letters",
  varied: "Set cover, weighted",
  related: "Related",
  bm25: "BM25",
};
const PAPERS = 5; // the first ones are the paper’s
const TASKS = {
  choose: "choose the most useful of all methods’ sentences",
  "head-to-head": "choose between the lists of two methods",
  both: "both, each by a part of the people",
};

// ---- making a study

function making() {
  const select = el("select", { id: "source" });
  const ticks = Object.entries(METHODS).map(([value, name], i) =>
    el("label", { class: "tick" }, el("input", { type: "checkbox", value, checked: i < PAPERS }), name),
  );
  const title = el("input", { type: "text", maxlength: 200, placeholder: "Which suggestions help in writing?" });
  const queries = el("input", { type: "number", min: 1, max: 200, value: 20, required: true });
  const task = el("select", {}, options(Object.entries(TASKS)));
  const trouble = el("div");
  let picker = null;
  async function make(event) {
    event.preventDefault();
    const source = picker?.current();
    const methods = ticks.map((tick) => $("input", tick)).filter((box) => box.checked);
    const body = {
      source: source?.id ?? null,
      title: title.value.trim() || null,
      methods: methods.map((box) => box.value),
      queries: Number(queries.value),
      task: task.value,
    };
    await attempt(trouble, async () => {
      if (source?.state === "changed") await run("shelf/prepare", {}, trouble);
      await run("survey/create", body, trouble);
      await look();
    });
  }
  fill(
    place,
    el("p", { class: "lead" }, "People read a sentence and say which suggestions would help them to write on."),
    el(
      "form",
      { class: "card making", onsubmit: make },
      el("h2", {}, "Make a study"),
      el(
        "div",
        { class: "row" },
        el("label", { class: "grow" }, "Sentences from", select),
        button("Your texts …", openShelf),
      ),
      el("label", {}, "Title", title),
      el("fieldset", { class: "plain" }, el("legend", {}, "Methods, two to nine"), el("div", { class: "row" }, ticks)),
      el(
        "div",
        { class: "row" },
        el("label", {}, "Questions", queries),
        el("label", { class: "grow" }, "People", task),
      ),
      el("p", { class: "faint small" }, "A study that is made stays as it is: everybody is asked the same."),
      trouble,
      el("button", { class: "main" }, "Make the study"),
    ),
  );
  attempt(trouble, async () => {
    picker = await sourcePicker(select, () => {});
  });
}

// ---- inviting

function inviting() {
  const link = `${location.origin}/survey`;
  const people = el("input", { type: "number", min: 1, max: 1000, value: 3, required: true });
  const out = el("div");
  async function invited() {
    const { codes } = await ask("survey/invite", { body: { people: Number(people.value) } });
    const links = codes.map((code) => `${link}#${code}`);
    const all = links.join("\n");
    fill(
      out,
      el("p", {}, "Send each person one link. They are shown here only, and from now on nobody else takes part."),
      el(
        "ol",
        { class: "codes" },
        links.map((one) => el("li", {}, el("code", {}, one))),
      ),
      el(
        "div",
        { class: "row" },
        button("Copy all links", () => copied(all)),
        button("Save them", () => save("invitations.txt", `${all}\n`, "text/plain")),
      ),
    );
  }
  function invite(event) {
    event.preventDefault();
    attempt(out, invited);
  }
  return el(
    "details",
    { class: "card inviting" },
    el("summary", {}, "Ask people to take part"),
    el(
      "p",
      {},
      "Anyone with the link may answer, until you give out invitations: ",
      el("code", {}, link),
      " ",
      button("Copy the link", () => copied(link), { class: "small" }),
    ),
    el("form", { class: "row", onsubmit: invite }, el("label", {}, "People", people), el("button", {}, "Invite")),
    out,
  );
}

// ---- what the answers say

/** Draw how often each method was chosen, with its interval, beside chance. */
function shares(found) {
  if (!found.shares.length) return null;
  const rows = found.shares.map(({ method, share }) => ({ name: method, ...share }));
  return intervals(rows, { label: found.name, line: found.shares[0].chance });
}

function arm(found) {
  const title = el("h2", {}, found.name[0].toUpperCase() + found.name.slice(1));
  return answerCard(found.name, found.say, title, say(found.say, {}, shares(found)));
}

function show(found) {
  const all = JSON.stringify(found, null, 1);
  fill(
    place,
    el("p", { class: "lead" }, found.said),
    el(
      "p",
      { class: "row" },
      el("a", { class: "button", href: "/api/v1/survey/export", download: "answers.csv" }, "Save the answers (CSV)"),
      button("Save the results (JSON)", () => save("results.json", all, "application/json")),
    ),
    inviting(),
    found.arms.map(arm),
    el("p", { class: "faint small next" }, found.how),
  );
  if (!found.participants.length) $(".inviting", place).open = true;
}

async function look() {
  try {
    show(await run("survey/results", undefined, place));
  } catch (fault) {
    if (fault.status === 404) making();
    else showFault(place, fault);
  }
}
look();
