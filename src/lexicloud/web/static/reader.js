// A reader: a whole text in a box, opened at a place.
import { $, button, dialog, el, fill, showFault } from "./core.js";
import { textOf } from "./server.js";

const AROUND = 60_000; // characters that are drawn on each side of the place

/** Open a text of a source at `start`, with `length` characters marked, counted as Python counts them. */
export async function openReader(source, name, start = 0, length = 0) {
  const body = el("div", { class: "reader-text", tabindex: 0 });
  const close = button("✕", () => box.close(), { class: "quiet icon", "aria-label": "Close" });
  const head = el("div", { class: "shelf-head" }, el("h2", {}, name), close);
  const box = dialog({ class: "reader", "aria-label": name }, head, body);
  try {
    const letters = [...(await textOf(source, name))];
    const [from, to] = [Math.max(0, start - AROUND), Math.min(letters.length, start + length + AROUND)];
    const piece = (a, b) => letters.slice(a, b).join("");
    fill(
      body,
      from ? "… " : "",
      piece(from, start),
      length ? el("mark", {}, piece(start, start + length)) : null,
      piece(start + length, to),
      to < letters.length ? " …" : "",
    );
    $("mark", body)?.scrollIntoView({ block: "center" });
  } catch (fault) {
    showFault(body, fault);
  }
}
