// The shelf on a page: a box with a table of texts, which also takes files dropped anywhere on the page.
import { $, button, counted, el, fill, number, options, showFault, toast } from "./core.js";
import { dropped, listed } from "./files.js";
import { paste } from "./paste.js";
import * as store from "./shelf.js";

const SHOWN = 200; // rows of the table that are drawn; a filter finds the others
const body = el("div", { class: "shelf-body" });
const box = el("dialog", { class: "shelf", "aria-labelledby": "shelf-title" }, body);
box.addEventListener("close", () => document.body.append($("#toasts")));
let filter = "";
let intercept = null; // a page may take dropped files for itself

export function openShelf() {
  if (!box.isConnected) document.body.append(box);
  draw();
  if (!box.open) box.showModal();
}

/** Let a page take files dropped on its own places: `take(files, target)` returns whether it took them. */
export function interceptDrops(take) {
  intercept = take;
}

// ---- choosing files

function picker(folder) {
  const input = el("input", {
    type: "file",
    multiple: true,
    hidden: true,
    webkitdirectory: folder || null,
    "aria-label": folder ? "Choose a folder" : "Choose files",
    id: folder ? "pick-folder" : "pick-files",
  });
  input.addEventListener("change", () => {
    const files = listed([...input.files]);
    input.value = "";
    if (files.length) take(files);
  });
  document.body.append(input);
  return input;
}
const [files, folder] = [picker(false), picker(true)];

async function take(found) {
  openShelf();
  try {
    await store.bring(found);
    const bad = store.reading.filter((one) => one.state === "failed").length;
    if (!bad && !store.reading.some((one) => one.state === "choose")) store.clearReading();
  } catch (fault) {
    showFault($(".shelf-trouble", box) ?? body, fault);
  }
}

// ---- drawing

function draw() {
  const { texts, tables } = store.shelf();
  const kept = el("input", { type: "checkbox", id: "keep-texts", checked: store.isKept(), onchange: keep });
  fill(
    body,
    el(
      "div",
      { class: "shelf-head" },
      el("h2", { id: "shelf-title" }, "Your texts"),
      button("✕", () => box.close(), { class: "quiet icon", "aria-label": "Close" }),
    ),
    el(
      "p",
      { class: "faint" },
      "Drop files or folders anywhere: Word, PDF, EPUB, TEI, plain text, web pages, tables, zip. ",
      "Every page can use them. Only this browser sees them.",
    ),
    el(
      "div",
      { class: "row" },
      button("Choose files …", () => files.click(), { class: "main" }),
      button("Choose a folder …", () => folder.click()),
      button("Paste a text …", () => paste(tell)),
    ),
    el("div", { class: "shelf-trouble" }),
    progress(),
    Object.entries(tables).map(columns),
    texts.length ? table(texts) : null,
    el(
      "div",
      { class: "row shelf-foot" },
      el("label", { class: "tick" }, kept, " Keep my texts in this browser between visits"),
      texts.length ? button("Remove all", () => store.remove(null), { class: "quiet" }) : null,
    ),
  );
}

async function keep(event) {
  try {
    await store.setKept(event.target.checked);
    toast(event.target.checked ? "Your texts stay in this browser" : "Nothing is kept any more");
  } catch {
    toast("This browser cannot keep them");
  }
}

const STATES = {
  waiting: "waiting",
  reading: "reading …",
  done: "read",
  failed: "not read",
  choose: "which column?",
};

/** The state of each file that is being read. */
function progress() {
  if (!store.reading.length) return null;
  const open = store.reading.filter((one) => /waiting|reading/.test(one.state)).length;
  const done = store.reading.length - open;
  return el(
    "section",
    { class: "reading", "aria-label": "Files", "aria-live": "polite" },
    el(
      "p",
      {},
      open
        ? [
            `${number(done)} of ${counted(store.reading.length, "file")} `,
            el("progress", { max: store.reading.length, value: done, "aria-label": "Files read" }),
          ]
        : [
            `${counted(done, "file")} `,
            button("Close the list", store.clearReading, { class: "small quiet" }),
          ],
    ),
    el(
      "ul",
      {},
      store.reading
        .filter((one) => one.state !== "done" || one.said)
        .slice(0, 100)
        .map((one) =>
          el(
            "li",
            { class: `is-${one.state}` },
            el("span", { class: "file" }, one.path),
            " ",
            el("strong", {}, STATES[one.state]),
            one.said ? el("span", { class: "faint small" }, ` ${one.said}`) : null,
            one.state === "choose" ? choose(one) : null,
          ),
        ),
    ),
  );
}

const NONE = ["", "no column"];
const choice = (label, all, value, onchange) =>
  el("label", {}, label, " ", el("select", { onchange }, options(all, value)));

/** The columns of a table, with examples, to choose the one with the text from. */
function choose(one) {
  const names = one.choose.map(({ name, examples }) => [
    name,
    `${name} (${examples.find(Boolean)?.slice(0, 30) ?? "empty"})`,
  ]);
  const text = choice("Texts are in", names, null);
  const label = choice("labels in", [NONE, ...names], "");
  const go = () => store.readWith(one, { text: $("select", text).value, label: $("select", label).value });
  return el("div", { class: "row" }, text, label, button("Read", go, { class: "main small" }));
}

/** How a table was read, and a way to read it otherwise. */
function columns([file, read]) {
  if (!store.shelf().texts.some((text) => text.file === file) || read.columns.length < 2) return null;
  const send = (given) => store.takeColumns(given).catch(tell);
  const choices = columnChoices(file, read, ["texts", "labels", "names"], send);
  return el("div", { class: "row columns-row" }, el("strong", {}, file), choices);
}

/** Lists of the columns of a table, for its texts, labels and names; `take` is called with all three after a choice. */
export function columnChoices(file, { columns: all, text, label, name, found }, titles, take) {
  const guessed = all.find((column) => found === `the column '${column}'`);
  const chosen = (key) => (event) => take({ file, text, label, name, [key]: event.target.value });
  return [
    choice(titles[0], all, text, chosen("text")),
    choice(titles[1], [NONE, ...all], label ?? guessed ?? "", chosen("label")),
    choice(titles[2], [NONE, ...all], name ?? "", chosen("name")),
  ];
}

const tell = (fault) => showFault($(".shelf-trouble", box), fault);

function table(texts) {
  const wanted = filter.toLowerCase();
  const seen = texts.filter((text) =>
    `${text.name} ${text.author ?? ""} ${text.file}`.toLowerCase().includes(wanted),
  );
  const ids = seen.map((text) => text.id);
  const ticked = texts.filter((text) => text.chosen).map((text) => text.id);
  const all = el("input", {
    type: "checkbox",
    checked: ticked.length === texts.length,
    "aria-label": "Use all",
    onchange: (event) => store.change(ids, { chosen: event.target.checked }).catch(tell),
  });
  const find = el("input", {
    type: "search",
    placeholder: "Find a text",
    "aria-label": "Find a text",
    value: filter,
    "data-at": "find",
    oninput: (event) => {
      filter = event.target.value;
      redraw();
    },
  });
  const heads = ["Title", "Author or label", "Year", "Language", "Words"];
  return el(
    "div",
    { class: "shelf-table" },
    el(
      "div",
      { class: "row" },
      el("p", { class: "grow" }, `${number(ticked.length)} of ${counted(texts.length, "text")} in use.`),
      texts.length > 12 ? find : null,
      button("Remove those in use", () => store.remove(ticked), { class: "small", disabled: !ticked.length }),
    ),
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", {}, all),
            heads.map((name, i) => el("th", { scope: "col", class: i > 3 ? "number" : null }, name)),
            el("th", {}, el("span", { class: "unseen" }, "Remove")),
          ),
        ),
        el("tbody", {}, seen.slice(0, SHOWN).map(line)),
      ),
    ),
    seen.length > SHOWN
      ? el("p", { class: "faint small" }, `The first ${SHOWN} of ${number(seen.length)} are shown.`)
      : null,
  );
}

/** Draw again, and keep the focus in the same field, with what is typed and selected there and not sent yet. */
function redraw() {
  const field = body.contains(document.activeElement) ? document.activeElement : null;
  const [at, typed] = [field?.dataset.at, field?.value];
  const [from, to] = [field?.selectionStart ?? null, field?.selectionEnd ?? null];
  draw();
  const again = at ? $(`[data-at="${at}"]`, body) : null;
  if (!again) return;
  again.focus();
  if (again.type === "checkbox") return;
  again.value = typed;
  if (from !== null) again.setSelectionRange(from, to);
}

function line(text) {
  const cell = (key, label, type = "text") =>
    el(
      "td",
      { "data-name": label },
      el("input", {
        type,
        value: text[key] ?? "",
        "aria-label": `${label} of ${text.name}`,
        maxlength: 200,
        "data-at": `${text.id} ${key}`,
        // Not "change", which the browser does not fire for a field that was drawn again.
        onblur: ({ target }) => {
          const value = target.value.trim();
          if (value === String(text[key] ?? "")) return;
          const wanted = type === "number" ? Number(value) : value;
          store.change([text.id], { [key]: value ? wanted : key === "name" ? text.name : null }).catch(tell);
        },
        onkeydown: ({ key: pressed, target }) => {
          if (pressed === "Enter") target.blur();
        },
      }),
    );
  const drop = () => store.remove([text.id]).catch(tell);
  return el(
    "tr",
    {},
    el(
      "td",
      { class: "use" },
      el("input", {
        type: "checkbox",
        checked: text.chosen,
        "aria-label": `Use ${text.name}`,
        "data-at": `${text.id} use`,
        onchange: (event) => store.change([text.id], { chosen: event.target.checked }).catch(tell),
      }),
    ),
    cell("name", "Title"),
    cell("author", "Author"),
    cell("year", "Year", "number"),
    el("td", { "data-name": "Language" }, text.language ?? "–"),
    el("td", { class: "number", "data-name": "Words" }, number(text.words)),
    el("td", {}, button("✕", drop, { class: "quiet small icon", "aria-label": `Remove ${text.name}` })),
  );
}

// ---- dropping anywhere

let depth = 0;
const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
const show = (on) => document.body.classList.toggle("dropping", on);
addEventListener("dragenter", (event) => {
  if (carries(event)) {
    depth += 1;
    show(true);
  }
});
addEventListener("dragleave", (event) => {
  if (carries(event) && --depth <= 0) {
    depth = 0;
    show(false);
  }
});
addEventListener("dragover", (event) => {
  if (carries(event)) event.preventDefault();
});
addEventListener("drop", async (event) => {
  if (!carries(event)) return;
  event.preventDefault();
  depth = 0;
  show(false);
  const target = event.target;
  const found = await dropped(event.dataTransfer);
  if (found.length && !intercept?.(found, target)) take(found);
});

store.onShelf((shelf) => {
  const open = $("#shelf-open");
  if (open)
    fill(open, "Texts", shelf.texts.length ? el("span", { class: "badge" }, number(shelf.texts.length)) : null);
  if (box.open) redraw();
});
$("#shelf-open")?.addEventListener("click", openShelf);
store.look().catch(() => {});
