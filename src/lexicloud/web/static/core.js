// What every page shares: making elements, settings kept in this browser, messages, and light and dark.
// Text is always set as text, never as markup: nothing that comes from a file or a server is parsed as HTML.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const there = (child) => child !== null && child !== undefined && child !== false;

/** Make an element: el("p", { class: "faint", onclick: f }, "text", child). */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (!there(value)) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "value") made.value = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(there));
  return made;
}

/** A button that sends no form: button("Copy", act, { class: "small" }). */
export const button = (shown, onclick, attributes = {}) =>
  el("button", { type: "button", ...attributes, onclick }, shown);

/** The options of a <select>, from values or [value, shown]. */
export const options = (all, chosen = null) =>
  all.map((one) => {
    const [value, shown] = Array.isArray(one) ? one : [one, one];
    return el("option", { value, selected: value === chosen }, shown);
  });

/** Fill a <select> with groups of values, below a first choice of none; what was chosen stays chosen. */
export function fillGroups(select, first, groups) {
  const old = select.multiple ? null : select.value;
  const group = ([label, names]) => (names.length ? el("optgroup", { label }, options(names)) : null);
  fill(select, first ? el("option", { value: "" }, first) : null, groups.map(group));
  if (old && [...select.options].some((option) => option.value === old)) select.value = old;
}

/** Open a box above the page; closed, it is gone. */
export function dialog(attributes, ...children) {
  const box = el("dialog", { onclose: () => box.remove(), ...attributes }, children);
  document.body.append(box);
  box.showModal();
  return box;
}

export function fill(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter(there));
  return place;
}

/** A text with some places marked by `mark`; places are counted in characters, as in Python. */
export function marked(text, marks, mark = (shown) => el("mark", {}, shown)) {
  const letters = [...text];
  const pieces = [];
  let end = 0;
  for (const [start, stop] of marks) {
    pieces.push(letters.slice(end, start).join(""), mark(letters.slice(start, stop).join("")));
    end = stop;
  }
  return [...pieces, letters.slice(end).join("")];
}

// ---- settings, kept in this browser only

export function recall(key, otherwise) {
  try {
    const found = localStorage.getItem(`lexicloud:${key}`);
    return found === null ? otherwise : JSON.parse(found);
  } catch {
    return otherwise;
  }
}

export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(`lexicloud:${key}`);
    else localStorage.setItem(`lexicloud:${key}`, JSON.stringify(value));
    return true;
  } catch {
    return false; /* storage is off or full */
  }
}

// ---- messages

export function announce(text) {
  $("#live").textContent = text;
}

export function toast(text, action = null, stays = action ? 8000 : 4000) {
  const made = el("div", { class: "toast" }, el("span", {}, text));
  const act = () => {
    action.run();
    made.remove();
  };
  if (action) made.append(button(action.name, act, { class: "small" }));
  // While a box is open nothing outside it can be pressed, so messages go into it.
  ($("dialog[open]") ?? document.body).append($("#toasts"));
  $("#toasts").append(made);
  setTimeout(() => made.remove(), stays);
}

export function showFault(place, fault) {
  fill(
    place,
    el(
      "div",
      { class: "notice", role: "alert" },
      el("strong", {}, sentence(fault.message)),
      " ",
      el("span", { class: "remedy" }, sentence(fault.remedy || "")),
    ),
  );
}

export function sentence(text) {
  return text ? text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".") : "";
}

/** Format counts and the ticks of an axis; numbers of an answer come from the server, already formatted. */
export function number(value, digits = 0, significant = false) {
  const shown = Number(value).toLocaleString(
    "en",
    significant
      ? { maximumSignificantDigits: digits }
      : { maximumFractionDigits: digits, minimumFractionDigits: digits },
  );
  return /^-0(\.0*)?$/.test(shown) ? shown.slice(1) : shown.replace("-", "−");
}

export const counted = (n, thing) => `${number(n)} ${thing}${n === 1 ? "" : "s"}`;

/** A row of real radio buttons that looks like a switch. */
export function segments(name, legend, choices, chosen, changed) {
  const choice = ([value, shown]) =>
    el(
      "label",
      {},
      el("input", { type: "radio", name, value, checked: value === chosen, onchange: () => changed(value) }),
      el("span", {}, shown),
    );
  return el("fieldset", { class: "segments" }, el("legend", { class: "unseen" }, legend), choices.map(choice));
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
  list.addEventListener("click", (event) => {
    const button = event.target.closest("[role=tab]");
    if (button) show(button);
  });
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
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el("textarea", { class: "unseen", value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** Copy a text and say so. */
export async function copied(text, said = "Copied") {
  await copy(text);
  toast(said);
}

// ---- light and dark

const toggle = $("#theme");
if (toggle) {
  const order = ["auto", "light", "dark"];
  const faces = { auto: "◐", light: "☀", dark: "☾" };
  const root = document.documentElement;
  let theme = root.dataset.theme ?? "auto";
  const show = () => {
    toggle.textContent = faces[theme];
    toggle.title = `Colours: ${theme === "auto" ? "as the system" : theme}`;
    toggle.setAttribute("aria-label", toggle.title);
  };
  toggle.addEventListener("click", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    try {
      if (theme === "auto") localStorage.removeItem("lexicloud:theme");
      else localStorage.setItem("lexicloud:theme", theme);
    } catch {
      /* storage is off: the choice is not remembered */
    }
    show();
  });
  show();
}
