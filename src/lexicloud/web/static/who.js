// Who wrote an unknown text, given texts by known authors.
import { $, announce, counted, el, fill, fillGroups, number, options, showFault, toast } from "./core.js";
import { attempt, job, run, textOf } from "./server.js";
import { go, onBack, state } from "./address.js";
import { legend, lines } from "./charts.js";
import { interceptDrops, openShelf } from "./shelfbox.js";
import { sourcePicker } from "./sources.js";
import { answerCard } from "./take.js";
import { say } from "./say.js";

const result = $("#result");
const unknown = $("#unknown");
const which = $("#which");
let source = null;
let picker = null;

// ---- known texts

function draw() {
  const authors = source?.authors ?? [];
  const by = source?.by ?? {};
  const n = (author) => Object.values(by).filter((one) => one === author).length;
  const without = (source?.texts ?? []).filter((name) => !by[name]);
  fill(
    $("#known"),
    !source
      ? el("p", { class: "invite" }, "No texts yet.")
      : [
          el(
            "p",
            {},
            [counted(source.texts.length, "text"), counted(authors.length, "author")].join(", "),
            without.length ? `, ${number(without.length)} without an author.` : ".",
          ),
          authors.length < 2
            ? el("p", { class: "faint" }, "Say who wrote the texts: open your texts and fill in the authors.")
            : null,
          el(
            "ul",
            { class: "people" },
            authors
              .slice(0, 100)
              .map((author) => el("li", {}, author, el("span", { class: "faint small" }, ` ${n(author)}`))),
          ),
        ],
  );
  fillGroups(which, "a pasted text", [
    ["Without an author", without],
    ["All texts", source?.texts ?? []],
  ]);
  fill($("#author"), options(authors));
  $(".one-hand").hidden = !authors.length;
}

// ---- the unknown text

function count() {
  const n = unknown.value.trim() ? unknown.value.trim().split(/\s+/).length : 0;
  $("#size").textContent = n ? `${number(n)} words` : "";
}

async function take(name) {
  which.value = name;
  if (!name) {
    unknown.value = "";
    count();
    return;
  }
  await attempt(result, async () => {
    unknown.value = await textOf(source.id, name);
    count();
  });
}

/** A file dropped on the field of the unknown text becomes that text. */
interceptDrops((files, target) => {
  if (!target?.closest?.("#unknown") || files.length !== 1) return false;
  files[0].file
    .arrayBuffer()
    .then((body) => job(`read?name=${encodeURIComponent(files[0].path.slice(-255))}`, { body, raw: true }))
    .then((found) => {
      which.value = "";
      unknown.value = found.documents.map((one) => one.text).join("\n\n");
      count();
    })
    .catch((fault) => toast(`${fault.message}: ${fault.remedy}`, null, 12000));
  return true;
});

// ---- asking

function answered(path, body, draw, pressed) {
  go({ source: source?.id, text: which.value, author: body.author ?? "" });
  async function answer() {
    const { result: found, say: words } = await run(path, body, result);
    fill(result, answerCard("who-wrote-it", words, say(words), draw(found)));
    announce("Answered");
  }
  return attempt(result, answer, pressed);
}

const asked = () => ({ name: which.value || "the unknown text", text: unknown.value });
const isThere = () => {
  if (!unknown.value.trim())
    showFault(result, { message: "there is no unknown text", remedy: "paste one, or choose one of the texts" });
  return Boolean(unknown.value.trim());
};

function attribute() {
  if (isThere())
    answered(
      "attribute",
      { source: source?.id, unknown: [asked()], rolling: true },
      (found) => found.along.filter(Boolean).map(rolling),
      $("#go"),
    );
}

function verify() {
  const author = $("#author").value;
  if (isThere()) answered("verify", { source: source?.id, author, unknown: unknown.value }, () => null, $("#same"));
}

function rolling(found) {
  const value = (name) => found.values[found.references.indexOf(name)];
  const series = found.likely.map((name) => ({ name, x: found.positions, y: value(name) }));
  const left = found.references.length - series.length;
  return el(
    "div",
    {},
    legend(series.map((one) => one.name)),
    lines(series, {
      label: "Likelihood of each author along the text",
      xName: "word of the text",
      yName: "likelihood",
      height: 260,
    }),
    left ? el("p", { class: "faint small" }, `${counted(left, "hand")} not drawn: nowhere the likeliest.`) : null,
  );
}

// ---- the page

unknown.addEventListener("input", () => {
  which.value = "";
  count();
});
which.addEventListener("change", () => take(which.value));
$("#go").addEventListener("click", attribute);
$("#same").addEventListener("click", verify);
$(".open-shelf").addEventListener("click", openShelf);

/** Do what the address asks for. */
async function follow({ source: wanted, text, author }) {
  if (wanted && source?.id !== wanted) await picker.set(wanted, false);
  if (!text) {
    fill(result);
    return;
  }
  await take(text);
  if (author) {
    $("#author").value = author;
    verify();
  } else attribute();
}
onBack(follow);
const choose = (chosen) => {
  source = chosen;
  draw();
};
attempt(result, async () => {
  picker = await sourcePicker($("#source"), choose, { wanted: state().source });
  if (state().text) follow(state());
});
count();
