// Choosing a source of texts: the shelf, or one that the server was started with.
import { el, fill, number, recall, remember } from "./core.js";
import { ask } from "./server.js";
import { onShelf, shelf as shelfNow } from "./shelf.js";

export const SHELF = "shelf";

/** Return all sources; the shelf has the same id in every browser, so that an address can name it. */
export async function sources() {
  const { sources: found } = await ask("sources");
  return found
    .map((source) => (source.kind === "shelf" ? { ...source, id: SHELF } : source))
    .filter((source) => source.kind !== "shelf" || source.texts.length);
}

function named(source) {
  if (source.state === "preparing") return `${source.title} (being prepared …)`;
  const n = source.kind === "index" ? [source.sentences, "sentence"] : [source.texts.length, "text"];
  return n[0] ? `${source.title} · ${number(n[0])} ${n[1]}${n[0] === 1 ? "" : "s"}` : source.title;
}

/**
 * Keep a <select> filled with the sources; wait for those that are being prepared, follow the shelf, and remember the
 * choice. `changed(source, byHand)` is called at first and whenever another source, or another state of it, is there.
 */
export async function sourcePicker(select, changed, { wanted = null } = {}) {
  let all = [];
  const current = () => all.find((source) => source.id === select.value) ?? null;
  async function refresh(choose = null) {
    all = await sources();
    const first = choose ?? (select.value || wanted || recall("source", null));
    fill(
      select,
      all.map((source) => el("option", { value: source.id, disabled: source.state === "failed" }, named(source))),
    );
    if (all.some((source) => source.id === first)) select.value = first;
    if (all.some((source) => source.state === "preparing")) setTimeout(again, 700);
    return current();
  }
  const again = (choose = null) => refresh(choose).then((source) => changed(source, false));
  const set = (id, byHand = true) => {
    remember("source", id);
    return refresh(id).then((source) => changed(source, byHand));
  };
  select.addEventListener("change", () => {
    remember("source", select.value);
    changed(current(), true);
  });
  let known = shelfNow().looked ? shelfNow().texts.length : -1;
  onShelf((shelf, different) => {
    if (!different) return;
    // Texts that are brought are those that one wants to use.
    const begun = known >= 0 && shelf.texts.length > known;
    known = shelf.texts.length;
    if (begun) set(SHELF, true);
    else again();
  });
  await refresh();
  changed(current(), false);
  return { refresh, current, set, all: () => all };
}
