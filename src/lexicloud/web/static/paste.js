// A box to paste a text into, which is then put on the shelf.
import { button, dialog, el } from "./core.js";
import * as store from "./shelf.js";

/** Ask for a text; `tell` is called with what went wrong. */
export function paste(tell) {
  const name = el("input", { type: "text", maxlength: 200, value: `Text ${store.shelf().texts.length + 1}` });
  const text = el("textarea", { rows: 10, required: true });
  async function put(event) {
    event.preventDefault();
    if (!text.value.trim()) return;
    const fault = await store
      .put([{ name: name.value.trim() || "Text", text: text.value }])
      .then(() => null, (failed) => failed);
    box.close();
    if (fault) tell(fault);
  }
  const form = el(
    "form",
    { method: "dialog", onsubmit: put },
    el("label", {}, "Title", name),
    el("label", {}, "Text", text),
    el(
      "p",
      { class: "row" },
      el("button", { class: "main" }, "Put on the shelf"),
      button("Cancel", () => box.close()),
    ),
  );
  const box = dialog({ "aria-label": "Paste a text" }, el("h2", {}, "Paste a text"), form);
  text.focus();
}
