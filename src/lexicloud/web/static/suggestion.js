// One suggestion: its text with the matched words marked, its author, and buttons.
import { $, $$, button, el, marked } from "./core.js";
import { reflect } from "./editor.js";

/** Return the word of the query that a match belongs to: the word itself if no other is named. */
export const owned = (match) => match.near ?? match.word;
const lights = (suggestion, word) =>
  reflect(new Set(suggestion.matches.filter((match) => match.word === word).map(owned)));

/** A suggestion's text with its matched words marked; pointing at one shows the writer's word that it matches. */
function said(suggestion) {
  return marked(suggestion.text, suggestion.highlights, (shown) => {
    const word = shown.toLowerCase().replace("’", "'");
    const [own] = (suggestion.because ?? []).find(([, words]) => words.includes(word)) ?? [];
    if (!own) return shown;
    const title = own === word ? `your word “${own}”` : `answers your word “${own}”`;
    const on = { onpointerenter: () => lights(suggestion, word), onpointerleave: () => reflect() };
    return el("mark", { title, "data-of": own, ...on }, shown);
  });
}

/** Return the reasons in one line: your word → its word. */
function reasons(suggestion) {
  const seen = suggestion.because ?? [];
  if (!seen.length) return null;
  const one = ([own, others]) =>
    el(
      "span",
      { class: "reason", onpointerenter: () => reflect(new Set([own])), onpointerleave: () => reflect() },
      el("span", { class: "own" }, own),
      others.length === 1 && others[0] === own ? "" : [" → ", others.join(", ")],
    );
  return el("p", { class: "why" }, el("span", { class: "unseen" }, "Because: "), seen.map(one));
}

export function face(heart, on) {
  heart.textContent = on ? "♥" : "♡";
  heart.setAttribute("aria-pressed", String(on));
  heart.setAttribute("aria-label", on ? "Kept" : "Keep");
  heart.title = on ? "Kept in this browser" : "Keep in this browser";
}

/** Show or hide the sentences around a suggestion. */
export function unfold(item, suggestion, opener) {
  const there = $(".around", item);
  opener?.setAttribute("aria-expanded", String(!there));
  if (there) {
    for (const one of $$(".around", item)) one.remove();
    return;
  }
  const around = (sentences) => el("p", { class: "around" }, sentences.join(" "));
  if (suggestion.before?.length) $(".said", item).before(around(suggestion.before));
  $(".said", item).after(around(suggestion.after?.length ? suggestion.after : ["The text ends here."]));
}

/** Return a card; `does` has insert, take (copy) and keep, `isKept` says whether it is kept already. */
export function card(suggestion, i, does, isKept) {
  const heart = button(null, () => does.keep(suggestion, heart), { class: "quiet small icon" });
  face(heart, isKept);
  const whose = [
    suggestion.author ? el("strong", {}, suggestion.author) : null,
    suggestion.author && suggestion.title ? " · " : "",
    suggestion.title ?? "",
  ];
  const key = i < 9 ? el("kbd", { "aria-hidden": "true" }, String(i + 1)) : null;
  const open = (event) => unfold(made, suggestion, event.currentTarget);
  const around = button("Around", open, { class: "quiet small", "aria-expanded": "false" });
  const made = el(
    "li",
    { class: "suggestion", tabindex: -1, "data-i": i },
    el("p", { class: "said", dir: "auto" }, said(suggestion)),
    reasons(suggestion),
    el(
      "div",
      { class: "foot" },
      el("span", { class: "whose" }, whose),
      el(
        "span",
        { class: "does" },
        button(["Insert", key], () => does.insert(suggestion), { class: "small insert" }),
        button("Copy", () => does.take(suggestion), { class: "quiet small" }),
        heart,
        suggestion.before || suggestion.after ? around : null,
      ),
    ),
  );
  return made;
}
