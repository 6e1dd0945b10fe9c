// A study, one question at a time. The participant's code is in the address after #, which is never sent.
import { $, announce, button, copied, el, fill, options, showFault } from "./core.js";
import { ask as asked, attempt } from "./server.js";

const place = $("#survey");
let code = decodeURIComponent(location.hash.slice(1));
let shownAt = 0;
let participant = "";

async function ask(path, body) {
  const headers = code ? { "X-Participant": code } : {};
  const found = await asked(`survey${path}`, { body, headers });
  participant = found?.participant ?? participant;
  return found;
}

async function welcome() {
  const told = await ask("");
  $("#title").textContent = told.title;
  document.title = `${told.title} · lexicloud`;
  if (told.by_invitation && !code) {
    fill(
      place,
      el(
        "div",
        { class: "card" },
        el("p", {}, "This study is by invitation. The code that you were sent begins it, and continues it later."),
        resuming(),
      ),
    );
    return;
  }
  const fields = told.background.map(({ id, text, required, options: known }) => {
    const field = known.length
      ? el("select", { required }, options([["", "—"], ...known]))
      : el("input", { type: "text", required, maxlength: 2000 });
    return { id, field, label: el("label", {}, text, field) };
  });
  const agree = el("input", { type: "checkbox", required: true });
  const trouble = el("div");
  function start(event) {
    event.preventDefault();
    const filled = fields.filter((one) => one.field.value).map((one) => [one.id, one.field.value]);
    attempt(trouble, async () => {
      const found = await ask("/start", { consent: agree.checked, background: Object.fromEntries(filled) });
      code = found.code;
      history.replaceState(null, "", `#${encodeURIComponent(code)}`);
      show(found.question);
    });
  }
  fill(
    place,
    el(
      "form",
      { class: "card", onsubmit: start },
      el("p", {}, told.consent),
      el(
        "p",
        { class: "faint" },
        `${told.questions} questions. You can stop after any of them and continue later with the link of this page.`,
      ),
      fields.map((one) => el("p", {}, one.label)),
      el("p", {}, el("label", { class: "tick" }, agree, "I agree to take part")),
      trouble,
      el("button", { class: "main" }, "Begin"),
    ),
    el("details", { class: "next" }, el("summary", {}, "I have begun already and have a code"), resuming()),
  );
}

function resuming() {
  const field = el("input", { type: "text", autocomplete: "off", required: true, maxlength: 100 });
  return el(
    "form",
    {
      class: "row",
      onsubmit: (event) => {
        event.preventDefault();
        location.hash = encodeURIComponent(field.value.trim());
        location.reload();
      },
    },
    el("label", {}, "Code", field),
    el("button", {}, "Continue"),
  );
}

/** What a participant needs to continue later, or to have the answers removed. */
function mine() {
  return el(
    "div",
    { class: "mine faint small" },
    el(
      "p",
      {},
      "You can stop after any answer. To continue, open this page's link, or use the code ",
      el("code", {}, code),
      ". ",
      button("Copy the link", () => copied(location.href), { class: "link" }),
    ),
    el("p", {}, "To have your answers removed, name the participant ", el("code", {}, participant), "."),
  );
}

function show(question) {
  if (!question) {
    finish();
    return;
  }
  shownAt = performance.now();
  const chosen = new Set();
  const go = button("Next", () => send(), { class: "main", disabled: true });
  const trouble = el("div");
  const choices = question.options.map(({ key, sentences }) => {
    const said = sentences.map((sentence) => el("span", { class: "said" }, sentence));
    const shown = [el("kbd", { "aria-hidden": "true" }, key), el("span", {}, said)];
    return button(shown, () => toggle(key), { class: "option", "aria-pressed": "false", "data-key": key });
  });
  function toggle(key) {
    if (chosen.has(key)) chosen.delete(key);
    else {
      if (question.choose === 1) chosen.clear();
      if (chosen.size < question.choose) chosen.add(key);
    }
    for (const one of choices) one.setAttribute("aria-pressed", String(chosen.has(one.dataset.key)));
    go.disabled = chosen.size !== question.choose;
    left.textContent = question.choose > 1 ? `${chosen.size} of ${question.choose} chosen` : "";
  }
  async function send() {
    if (go.disabled) return;
    go.disabled = true;
    try {
      const found = await ask("/answer", {
        question: question.id,
        chosen: [...chosen],
        seconds: (performance.now() - shownAt) / 1000,
      });
      show(found.question);
    } catch (fault) {
      showFault(trouble, fault);
      go.disabled = false;
    }
  }
  const left = el("span", { class: "faint small" });
  const bar = el("progress", { max: question.total, value: question.number - 1, "aria-label": "How far you are" });
  const heading = el("h2", { tabindex: -1 }, `Question ${question.number} of ${question.total}`);
  fill(
    place,
    el(
      "div",
      { class: "card question" },
      el("div", { class: "row" }, heading, bar),
      el("blockquote", {}, question.query),
      el("p", { class: "faint" }, question.prompt),
      el("div", { class: question.task === "head-to-head" ? "options two" : "options" }, choices),
      trouble,
      el("div", { class: "row" }, go, left),
    ),
    mine(),
  );
  place.onkeydown = (event) => {
    const option = question.options.find((one) => one.key.toLowerCase() === event.key.toLowerCase());
    if (option) {
      event.preventDefault();
      toggle(option.key);
    }
    if (event.key === "Enter" && !go.disabled && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      send();
    }
  };
  heading.focus();
  announce(`Question ${question.number} of ${question.total}`);
}

function finish() {
  const field = el("textarea", { rows: 4, maxlength: 2000 });
  const told = el("p", { class: "faint" });
  async function send() {
    await ask("/comment", { text: field.value });
    told.textContent = "Kept. Thank you.";
  }
  fill(
    place,
    el(
      "div",
      { class: "card" },
      el("h2", { tabindex: -1 }, "Thank you"),
      el("p", {}, "All questions are answered."),
      el("label", {}, "Anything you want to tell? (optional)", field),
      el("p"),
      button("Send the remark", send),
      told,
    ),
    mine(),
  );
  place.onkeydown = null;
  $("h2", place).focus();
}

async function begin() {
  if (!code) return welcome();
  try {
    const found = await ask("/question");
    if (found.invited) return welcome();
    const told = await ask("");
    $("#title").textContent = told.title;
    show(found.question);
  } catch (fault) {
    code = "";
    history.replaceState(null, "", location.pathname);
    await welcome();
    const told = el("div");
    showFault(told, fault);
    place.prepend(told);
  }
}
begin().catch((fault) => showFault(place, fault));
