// What every page shares: asking the server, waiting, dropping files, and building pieces of a page.
// Text is always set as text, never as markup: nothing that comes from a file or a server is parsed as HTML.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** Make an element: el("p", { class: "faint", onclick: f }, "text", child). */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "value") made.value = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function fill(place, ...children) {
  place.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return place;
}

// ---- what a person set, in this browser only

export function recall(key, otherwise) {
  try {
    const found = localStorage.getItem(`lexicloud:${key}`);
    return found === null ? otherwise : JSON.parse(found);
  } catch { return otherwise; }
}

export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(`lexicloud:${key}`);
    else localStorage.setItem(`lexicloud:${key}`, JSON.stringify(value));
  } catch { /* storage is off: nothing is remembered */ }
}

// ---- telling

export function announce(text) { $("#live").textContent = text; }

export function toast(text, action = null, stays = action ? 8000 : 4000) {
  const made = el("div", { class: "toast" }, el("span", {}, text));
  if (action) made.append(el("button", { type: "button", class: "small", onclick: () => { action.run(); made.remove(); } }, action.name));
  $("#toasts").append(made);
  setTimeout(() => made.remove(), stays);
}

export function showFault(place, fault) {
  fill(place, el("div", { class: "notice", role: "alert" }, el("strong", {}, sentence(fault.message)), " ",
    el("span", { class: "remedy" }, sentence(fault.remedy || ""))));
}

function sentence(text) { return text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : ""; }

/** Counts and the ticks of an axis; what an answer says comes from the server, written out. */
export function number(value, digits = 0, significant = false) {
  const shown = Number(value).toLocaleString("en", significant ? { maximumSignificantDigits: digits } : { maximumFractionDigits: digits, minimumFractionDigits: digits });
  return /^-0(\.0*)?$/.test(shown) ? shown.slice(1) : shown.replace("-", "−");
}

// ---- asking the server

export class Fault extends Error {
  constructor(body, status) {
    super(body?.message ?? `the server answered ${status}`);
    this.status = status;
    this.remedy = body?.remedy ?? "look at the terminal where the server runs";
  }
}

export async function ask(path, { body, method, signal, prefer, raw } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = raw ? "application/octet-stream" : "application/json";
  if (prefer) headers.Prefer = prefer;
  let answer;
  try {
    answer = await fetch(`/api/v1/${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers, signal, body: body === undefined || raw ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault({ message: "the server does not answer", remedy: "is it still running? start it again with lexicloud serve" }, 0);
  }
  if (answer.status === 401 && path !== "session") {
    await logIn();
    return ask(path, { body, method, signal, prefer, raw });
  }
  const found = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (!answer.ok) throw new Fault(found?.error, answer.status);
  return found;
}

/** Ask for the token once and exchange it for a cookie; the page itself does not keep it. */
let asking = null;
function logIn() {
  asking ??= new Promise((done) => {
    const field = el("input", { type: "password", autocomplete: "off", required: true });
    const trouble = el("div");
    const form = el("form", { method: "dialog", onsubmit: async (event) => {
      event.preventDefault();
      try {
        await ask("session", { body: { token: field.value } });
        box.close(); box.remove(); asking = null; done();
      } catch (fault) { showFault(trouble, fault); field.select(); }
    } }, el("h2", {}, "This server needs its token"), el("p", { class: "faint" }, "Whoever started it has it. It is exchanged for a cookie that ends with this browser session."),
    trouble, el("label", {}, "Token", field), el("p"), el("button", { class: "main" }, "Continue"));
    const box = el("dialog", { "aria-label": "Token" }, form);
    document.body.append(box);
    box.showModal();
  });
  return asking;
}

/** Run a job: shows its progress with a way to stop it in `place`, and returns what it found. */
export async function run(path, body, place) {
  const stage = el("span", {}, "Starting …");
  const bar = el("progress", { "aria-label": "Progress" });
  let job = null;
  let stopped = false;
  const stop = el("button", { type: "button", class: "small", onclick: () => { stopped = true; if (job) ask(`jobs/${job}`, { method: "DELETE" }).catch(() => {}); } }, "Stop");
  const box = el("div", { class: "waiting" }, stage, bar, stop);
  // Answers that come at once need no bar.
  const later = setTimeout(() => place && fill(place, box), 150);
  place?.setAttribute("aria-busy", "true");
  try {
    let state = await ask(path, { body, prefer: "respond-async" }); // without a body it is a GET
    job = state.job;
    for (let wait = 30; state.state === "waiting" || state.state === "running"; wait = Math.min(wait * 1.5, 400)) {
      if (stopped) break;
      stage.textContent = state.stage ? sentence(state.stage).replace(/\.$/, " …") : state.state === "waiting" ? "Waiting …" : "Working …";
      if (state.total) { bar.max = state.total; bar.value = state.done; } else bar.removeAttribute("value");
      await new Promise((next) => setTimeout(next, wait));
      state = await ask(`jobs/${job}`);
    }
    if (stopped) throw new Fault({ message: "stopped", remedy: "start again whenever you like" }, 410);
    return await ask(`jobs/${job}/result`);
  } finally {
    clearTimeout(later);
    place?.removeAttribute("aria-busy");
    if (place) fill(place);
  }
}

// ---- texts

/** Read files on the server, which knows encodings and formats; nothing is kept there. */
export async function readFiles(files) {
  const found = [];
  for (const file of files) {
    try {
      const answer = await ask(`read?name=${encodeURIComponent(file.name)}`, { body: await file.arrayBuffer(), raw: true });
      found.push(...answer.documents);
      for (const note of answer.notes.slice(0, 2)) toast(note);
    } catch (fault) { toast(`${fault.message}: ${fault.remedy}`, null, 12000); }
  }
  return found;
}

/** Let files be dropped anywhere on the page, or be chosen with a button. */
export function takeFiles(use, button = null) {
  const picker = el("input", { type: "file", multiple: true, hidden: true, accept: ".txt,.md,.html,.htm,.csv,.tsv,.jsonl", "aria-label": "Choose text files" });
  document.body.append(picker);
  picker.addEventListener("change", async () => { const files = [...picker.files]; picker.value = ""; if (files.length) use(await readFiles(files)); });
  button?.addEventListener("click", () => picker.click());
  let depth = 0;
  const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => { if (carries(event)) { depth += 1; document.body.classList.add("dropping"); } });
  addEventListener("dragleave", (event) => { if (carries(event) && --depth <= 0) { depth = 0; document.body.classList.remove("dropping"); } });
  addEventListener("dragover", (event) => { if (carries(event)) event.preventDefault(); });
  addEventListener("drop", async (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    depth = 0;
    document.body.classList.remove("dropping");
    const found = await readFiles([...event.dataTransfer.files]);
    if (found.length) use(found, event.target);
  });
  return picker;
}

export const sources = async () => (await ask("sources")).sources;

/** Keep a <select> filled with the sources, wait for those that are being prepared, and remember the choice. */
export async function sourcePicker(select, changed, { key = "source" } = {}) {
  let listed = [];
  async function refresh(choose = null) {
    listed = await sources();
    const wanted = choose ?? (select.value || recall(key, null));
    fill(select, listed.map((source) => el("option", { value: source.id, disabled: source.state === "failed" },
      source.state === "preparing" ? `${source.title} (being prepared …)` : source.sentences ? `${source.title} · ${number(source.sentences)} sentences` : source.title)));
    if (listed.some((source) => source.id === wanted)) select.value = wanted;
    if (listed.some((source) => source.state === "preparing")) setTimeout(() => refresh().then(() => changed(current(), false)), 700);
    return current();
  }
  const current = () => listed.find((source) => source.id === select.value) ?? null;
  select.addEventListener("change", () => { remember(key, select.value); changed(current(), true); });
  const first = await refresh();
  changed(first, false);
  return { refresh, current };
}

/** A row of real radio buttons that looks like a switch. */
export function segments(name, legend, choices, chosen, changed) {
  return el("fieldset", { class: "segments" }, el("legend", { class: "unseen" }, legend), choices.map(([value, shown]) =>
    el("label", {}, el("input", { type: "radio", name, value, checked: value === chosen, onchange: () => changed(value) }), el("span", {}, shown))));
}

/** Tabs that follow the arrow keys, with panels found by id. */
export function tabs(list, chosen, changed) {
  const buttons = $$("[role=tab]", list);
  function show(button, focus = false) {
    for (const other of buttons) {
      const on = other === button;
      other.setAttribute("aria-selected", on);
      other.tabIndex = on ? 0 : -1;
      $(`#${other.getAttribute("aria-controls")}`).hidden = !on;
    }
    if (focus) button.focus();
    changed(button.dataset.tab);
  }
  list.addEventListener("click", (event) => { const button = event.target.closest("[role=tab]"); if (button) show(button); });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length], true);
  });
  show(buttons.find((button) => button.dataset.tab === chosen) ?? buttons[0]);
  return { show: (name) => show(buttons.find((button) => button.dataset.tab === name)) };
}

export async function copy(text) {
  try { await navigator.clipboard.writeText(text); } catch {
    const field = el("textarea", { class: "unseen", value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

// ---- light and dark

const button = $("#theme");
if (button) {
  const order = ["auto", "light", "dark"];
  const faces = { auto: "◐", light: "☀", dark: "☾" };
  let theme = document.documentElement.dataset.theme ?? "auto";
  const show = () => { button.textContent = faces[theme]; button.setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`); button.title = button.getAttribute("aria-label"); };
  button.addEventListener("click", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    if (theme === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
    try { if (theme === "auto") localStorage.removeItem("lexicloud:theme"); else localStorage.setItem("lexicloud:theme", theme); } catch { /* not remembered */ }
    show();
  });
  show();
}
