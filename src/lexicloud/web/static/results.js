// The results of the study, for its owner.
import { $, copy, el, fill, number, showFault, toast } from "./core.js";
import { run } from "./server.js";

const place = $("#results");
const FEW = "too few people";
const percent = (value) => `${number(100 * value, 1)} %`;
const span = (found, show) => (found.low === null ? FEW : `${show(found.low)} to ${show(found.high)}`);
const people = (n) => `${number(n)} participant${n === 1 ? "" : "s"}`;
const pValue = (p) => (p === null ? "–" : p < 0.001 ? "< 0.001" : number(p, 3));

function table(caption, heads, rows) {
  return el(
    "div",
    { class: "next" },
    el("h3", {}, caption),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            heads.map((name) => el("th", { scope: "col" }, name)),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map((row) =>
            el(
              "tr",
              {},
              row.map((cell) => el("td", {}, cell)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** A value as a dot on its interval, with a line at the value by chance. */
function whisker(found, low, high, chance) {
  const at = (value) => `${(100 * (Math.min(Math.max(value, low), high) - low)) / (high - low || 1)}%`;
  const piece = (name, from, to = null) => {
    const made = el("span", { class: name });
    made.style.left = at(from);
    if (to !== null) made.style.right = `calc(100% - ${at(to)})`;
    return made;
  };
  return el(
    "span",
    { class: "whisker", "aria-hidden": "true" },
    piece("chance", chance),
    found.low === null ? null : piece("reach", found.low, found.high),
    piece("point", found.value),
  );
}

function shares(found) {
  const chosen = found.task === "choose" ? "Chosen" : "Won";
  const ends = found.shares.flatMap((one) => [
    one.share.low ?? one.share.value,
    one.share.high ?? one.share.value,
    one.chance,
  ]);
  const [low, high] = [Math.max(0, Math.min(...ends) - 0.05), Math.min(1, Math.max(...ends) + 0.05)];
  const paper = Object.keys(found.paper).length;
  return table(
    `${chosen} where it was shown; by chance ${percent(found.shares[0].chance)}`,
    ["Method", chosen, "95 % interval", "", "Answers", ...(paper ? ["The paper"] : [])],
    found.shares.map((one) => [
      one.method,
      percent(one.share.value),
      span(one.share, percent),
      whisker(one.share, low, high, one.chance),
      number(one.shown),
      ...(paper ? [found.paper[one.method] === undefined ? "–" : percent(found.paper[one.method])] : []),
    ]),
  );
}

function comparisons(found) {
  const heads = found.task === "head-to-head";
  return table(
    "Two methods at a time",
    [
      "First",
      "Second",
      heads ? "First won" : "Difference (points)",
      "95 % interval",
      "p",
      "p (Holm)",
      "Answers for 5 points",
    ],
    found.comparisons.map((one) => {
      const show = (value) => (heads ? percent(value) : number(100 * value, 1));
      return [
        one.first,
        one.second,
        show(one.value.value),
        span(one.value, show),
        pValue(one.p_value),
        pValue(one.p_holm),
        one.needed === null ? "–" : number(one.needed),
      ];
    }),
  );
}

function arm(found) {
  const title = el("h2", {}, found.name[0].toUpperCase() + found.name.slice(1));
  const count = el(
    "p",
    { class: "faint" },
    found.answers ? `${people(found.participants)}, ${number(found.answers)} answers.` : "Nobody has answered yet.",
  );
  if (!found.answers) return el("div", { class: "card result" }, title, count);
  const two = (value) => number(value, 2);
  return el(
    "div",
    { class: "card result" },
    title,
    count,
    el(
      "ul",
      {},
      found.findings.map((line) => el("li", {}, line)),
    ),
    shares(found),
    found.comparisons.length ? comparisons(found) : null,
    Object.keys(found.strengths).length
      ? table(
          "Bradley–Terry strengths (log odds)",
          ["Method", "Strength", "95 % interval"],
          Object.entries(found.strengths).map(([method, one]) => [method, two(one.value), span(one, two)]),
        )
      : null,
    table(
      "Places on the screen",
      ["Place", "Chosen", "95 % interval"],
      found.positions.shares.map((one, i) => [String(i + 1), percent(one.value), span(one, percent)]),
    ),
  );
}

function show(found) {
  const link = `${location.origin}/survey`;
  const save = (name, kind, text) => {
    const made = el("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
    made.click();
    URL.revokeObjectURL(made.href);
  };
  fill(
    place,
    el("p", { class: "lead" }, `${found.title}: ${people(found.participants.length)}.`),
    el(
      "p",
      { class: "row" },
      el(
        "button",
        {
          type: "button",
          onclick: async () => {
            await copy(link);
            toast("Copied");
          },
        },
        "Copy the link for participants",
      ),
      el("a", { class: "button", href: "/api/v1/survey/export", download: "answers.csv" }, "Save the answers (CSV)"),
      el(
        "button",
        { type: "button", onclick: () => save("results.json", "application/json", JSON.stringify(found, null, 1)) },
        "Save the results (JSON)",
      ),
    ),
    found.arms.map(arm),
    el(
      "p",
      { class: "faint small next" },
      "The answers of one person hang together, so intervals resample whole people and tests flip whole people. " +
        "With fewer than six people none is shown.",
    ),
  );
}

run("survey/results", undefined, place)
  .then(show)
  .catch((fault) => showFault(place, fault));
