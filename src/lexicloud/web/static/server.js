// Requests to the server, and jobs with progress that can be stopped.
import { button, dialog, el, fill, sentence, showFault } from "./core.js";

class Fault extends Error {
  constructor(body, status) {
    super(body?.message ?? `the server answered ${status}`);
    this.status = status;
    this.remedy = body?.remedy ?? "look at the terminal where the server runs";
  }
}

const GONE = {
  message: "the server does not answer",
  remedy: "is it still running? start it again with lexicloud serve",
};

export async function ask(path, { body, method, signal, prefer, raw, headers: given } = {}) {
  const headers = { ...given };
  if (body !== undefined) headers["Content-Type"] = raw ? "application/octet-stream" : "application/json";
  if (prefer) headers.Prefer = prefer;
  let answer;
  try {
    answer = await fetch(`/api/v1/${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers,
      signal,
      body: body === undefined || raw ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault(GONE, 0);
  }
  if (answer.status === 401 && path !== "session") {
    await logIn((await answer.json().catch(() => null))?.error?.message);
    return ask(path, { body, method, signal, prefer, raw, headers: given });
  }
  const found = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (!answer.ok) throw new Fault(found?.error, answer.status);
  return found;
}

/** Ask for the token once and exchange it for a cookie; the page itself does not keep it. */
let asking = null;
function logIn(why = "this server needs a token") {
  asking ??= new Promise((done) => {
    const field = el("input", { type: "password", autocomplete: "off", required: true });
    const trouble = el("div");
    const about = "Whoever started it has it. It is exchanged for a cookie that ends with this browser session.";
    const form = el(
      "form",
      {
        method: "dialog",
        onsubmit: async (event) => {
          event.preventDefault();
          try {
            await ask("session", { body: { token: field.value } });
            box.close();
            asking = null;
            done();
          } catch (fault) {
            showFault(trouble, fault);
            field.select();
          }
        },
      },
      el("h2", {}, sentence(why)),
      el("p", { class: "faint" }, about),
      trouble,
      el("label", {}, "Token", field),
      el("p"),
      el("button", { class: "main" }, "Continue"),
    );
    const box = dialog({ "aria-label": "Token" }, form);
  });
  return asking;
}

const pause = (milliseconds) => new Promise((next) => setTimeout(next, milliseconds));
const running = (state) => state.state === "waiting" || state.state === "running";

/** Run a job and return its result; `told` is called with its progress, and `stopped` says whether to end it. */
export async function job(path, { body, raw, told = () => {}, stopped = () => false } = {}) {
  let state = await ask(path, { body, raw, prefer: "respond-async" }); // without a body it is a GET
  for (let wait = 30; running(state); wait = Math.min(wait * 1.5, 400)) {
    if (stopped()) {
      await ask(`jobs/${state.job}`, { method: "DELETE" }).catch(() => {});
      throw new Fault({ message: "stopped", remedy: "start again whenever you like" }, 410);
    }
    told(state);
    await pause(wait);
    state = await ask(`jobs/${state.job}`);
  }
  return ask(`jobs/${state.job}/result`);
}

const stageOf = (state) => {
  if (state.stage) return sentence(state.stage).replace(/\.$/, " …");
  return state.state === "waiting" ? "Waiting …" : "Working …";
};

/** Return a text of a source. */
export const textOf = async (source, name) =>
  (await ask(`sources/${encodeURIComponent(source)}/text?name=${encodeURIComponent(name)}`)).text;

/** Do something that may fail: `place` shows why, and `pressed` cannot be pressed again until it is over. */
export async function attempt(place, act, pressed = null) {
  if (pressed) pressed.disabled = true;
  try {
    return await act();
  } catch (fault) {
    showFault(place, fault);
    return null;
  } finally {
    if (pressed) pressed.disabled = false;
  }
}

/** Run a job and return its result; `place` shows its progress and a button to stop it. */
export async function run(path, body, place) {
  const stage = el("span", {}, "Starting …");
  const bar = el("progress", { "aria-label": "Progress" });
  let stopped = false;
  const end = () => {
    stopped = true;
  };
  // Answers that come at once need no bar.
  const waiting = el("div", { class: "waiting" }, stage, bar, button("Stop", end, { class: "small" }));
  const later = setTimeout(() => place && fill(place, waiting), 150);
  place?.querySelector(":scope > .notice")?.remove(); // what went wrong before
  place?.setAttribute("aria-busy", "true");
  try {
    return await job(path, {
      body,
      stopped: () => stopped,
      told: (state) => {
        stage.textContent = stageOf(state);
        if (state.total) {
          bar.max = state.total;
          bar.value = state.done;
        } else bar.removeAttribute("value");
      },
    });
  } finally {
    clearTimeout(later);
    place?.removeAttribute("aria-busy");
    waiting.remove(); // and nothing else: a later question may be answered there already
  }
}
