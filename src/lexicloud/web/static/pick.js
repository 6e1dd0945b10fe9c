// Choosing some texts of a source by ticking them.
import { button, counted, el, fill } from "./core.js";

const SHOWN = 300;

/** Return a list of texts to tick; `changed(names)` is called after every tick. */
export function textList(place, { changed, most = 400 }) {
  let [names, authors, ticked, wanted] = [[], {}, new Set(), ""];
  const count = el("p", { class: "faint small" });
  const list = el("ul", { class: "ticks", tabindex: 0, role: "group", "aria-label": "Texts" });
  const find = el("input", {
    type: "search",
    placeholder: "Find a text or an author",
    "aria-label": "Find a text or an author",
    oninput: (event) => {
      wanted = event.target.value.toLowerCase();
      draw();
    },
  });
  const set = (some) => {
    ticked = new Set([...new Set(some)].slice(0, most));
    draw();
    changed([...ticked]);
  };
  const seen = () => names.filter((name) => `${name} ${authors[name] ?? ""}`.toLowerCase().includes(wanted));
  const small = { class: "small quiet" };
  fill(
    place,
    el(
      "div",
      { class: "row" },
      find,
      button("All of these", () => set([...ticked, ...seen()]), small),
      button("None", () => set([]), small),
    ),
    list,
    count,
  );

  function draw() {
    const line = (name) => {
      const onchange = ({ target }) => {
        if (target.checked) ticked.add(name);
        else ticked.delete(name);
        tell();
        changed([...ticked]);
      };
      const tick = el("input", { type: "checkbox", value: name, checked: ticked.has(name), onchange });
      const author = authors[name] ? el("span", { class: "faint small" }, ` ${authors[name]}`) : null;
      return el("li", {}, el("label", { class: "tick" }, tick, el("span", {}, name), author));
    };
    fill(list, seen().slice(0, SHOWN).map(line));
    tell();
  }
  const tell = () => {
    count.textContent = `${counted(ticked.size, "text")} of ${names.length} chosen.`;
  };
  return {
    show(source, chosen) {
      names = source?.texts ?? [];
      authors = source?.by ?? {};
      ticked = new Set((chosen ?? []).filter((name) => names.includes(name)));
      draw();
    },
    set,
    names: () => names.filter((name) => ticked.has(name)),
  };
}
