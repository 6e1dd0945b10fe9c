// A box to paste a text into, which is then put on the shelf.
import { el } from "./core.js";
import * as store from "./shelf.js";

/** Ask for a text; `tell` is called with what went wrong. */
export function paste(tell) {
  const name = el("input", { type: "text", maxlength: 200, value: `Text ${store.shelf().texts.length + 1}` });
  const text = el("textarea", { rows: 10, required: true });
  const form = el(
    "form",
    {
      method: "dialog",
      onsubmit: async (event) => {
        event.preventDefault();
        if (!text.value.trim()) return;
        try {
          await store.put([{ name: name.value.trim() || "Text", text: text.value }]);
          inner.close();
        } catch (fault) {
          inner.close();
          tell(fault);
        }
      },
    },
    el("label", {}, "Title", name),
    el("label", {}, "Text", text),
    el(
      "p",
      { class: "row" },
      el("button", { class: "main" }, "Put on the shelf"),
      el("button", { type: "button", onclick: () => inner.close() }, "Cancel"),
    ),
  );
  const inner = el(
    "dialog",
    { "aria-label": "Paste a text", onclose: () => inner.remove() },
    el("h2", {}, "Paste a text"),
    form,
  );
  document.body.append(inner);
  inner.showModal();
  text.focus();
}
