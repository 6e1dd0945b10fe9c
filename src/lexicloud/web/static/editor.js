// The text area: the sentence that is answered is marked behind it, and the draft stays in this browser.
import { $, number, recall, remember } from "./core.js";
import { WORD, sentenceAt, words } from "./sentences.js";

const REST = 180; // milliseconds without a key after which the marks are drawn again
const LONG = 20_000; // characters from which marks wait for a rest
const text = $("#text");
const mirror = $("#mirror");
let resting = null;
let saving = null;

export const editor = { text, current: { start: 0, end: 0 }, lit: new Set(), marked: false };

export const sentence = () => text.value.slice(editor.current.start, editor.current.end);

/** Find the sentence at the caret. */
export function locate() {
  editor.current = sentenceAt(text.value, text.selectionStart);
  return sentence();
}

/** Mark the sentence, and some of its words; behind a long text not before the keys rest. */
export function reflect(lit = new Set()) {
  editor.lit = lit;
  clearTimeout(resting);
  if (text.value.length < LONG) {
    draw();
    return;
  }
  mirror.classList.add("waits");
  resting = setTimeout(draw, REST);
}

/** The mirror has the text in one piece, so that its lines break where those of the text area do. */
function draw() {
  const letters = mirror.firstChild ?? mirror.appendChild(document.createTextNode(""));
  const value = `${text.value}\n`;
  if (letters.data !== value) letters.data = value;
  // Without the scroll bar, and to the fraction of a pixel: else the lines of a long text drift apart.
  mirror.style.width = `${text.getBoundingClientRect().width - (text.offsetWidth - text.clientWidth)}px`;
  mirror.classList.remove("waits");
  highlight("asked", editor.marked ? [editor.current] : [], letters);
  highlight("lit", editor.marked ? litWords() : [], letters);
  follow();
}

function litWords() {
  const same = (word) => editor.lit.has(word.toLowerCase().replace("’", "'"));
  return [...sentence().matchAll(WORD)]
    .filter(([word]) => same(word))
    .map((found) => ({
      start: editor.current.start + found.index,
      end: editor.current.start + found.index + found[0].length,
    }));
}

/** Mark places of the mirror; a browser without this shows the text without marks. */
function highlight(name, places, letters) {
  if (!globalThis.CSS?.highlights) return;
  CSS.highlights.set(
    name,
    new Highlight(
      ...places
        .filter(({ end }) => end <= letters.length)
        .map(({ start, end }) => {
          const range = new Range();
          range.setStart(letters, start);
          range.setEnd(letters, end);
          return range;
        }),
    ),
  );
}

/** The marks scroll with the text. */
function follow() {
  mirror.style.transform = `translateY(${-text.scrollTop}px)`;
}
text.addEventListener("scroll", follow, { passive: true });

/** Where the text area shrinks, as it does when suggestions come up on a phone, the caret stays in sight. */
function keepCaret() {
  draw();
  const letters = mirror.firstChild;
  const range = new Range();
  range.setStart(letters, Math.min(text.selectionEnd, letters.length));
  const below = range.getBoundingClientRect().bottom - text.getBoundingClientRect().bottom;
  if (document.activeElement === text && below > 0) text.scrollTop += below + 8;
}
new ResizeObserver(keepCaret).observe(text);

/** Count the words and keep the draft, once the keys rest. */
export function keepDraft() {
  clearTimeout(saving);
  saving = setTimeout(
    () => {
      $("#count").textContent = text.value.trim() ? `${number(words(text.value).length)} words` : "";
      if (recall("drafts", true)) $("#count").classList.toggle("full", !remember("draft", text.value || null));
      $("#forget-draft").hidden = !recall("draft", null);
    },
    text.value.length < LONG ? 0 : 400,
  );
}

export function restoreDraft() {
  text.value = recall("draft", "") ?? "";
  text.setSelectionRange(text.value.length, text.value.length);
  text.scrollTop = text.scrollHeight;
}

export function forgetDraft() {
  const old = text.value;
  text.value = "";
  remember("draft", null);
  return () => {
    text.value = old;
  };
}

/** Insert behind the sentence, by the browser's own editing, so that its undo knows of it. */
export function insert(said) {
  const { end } = editor.current;
  const glue = end && !/\s$/.test(text.value.slice(0, end)) ? " " : "";
  text.focus();
  text.setSelectionRange(end, end);
  if (!document.execCommand("insertText", false, glue + said)) text.setRangeText(glue + said, end, end, "end");
}

export function undo() {
  text.focus();
  document.execCommand("undo");
}

/** On a phone the sheet stands above the keyboard: say how high that is. */
const seen = window.visualViewport;
function measure() {
  const covered = Math.max(0, innerHeight - seen.height - seen.offsetTop);
  document.documentElement.style.setProperty("--keyboard", `${covered}px`);
  document.documentElement.style.setProperty("--seen", `${seen.height}px`);
}
if (seen) {
  seen.addEventListener("resize", measure);
  seen.addEventListener("scroll", measure);
  measure();
}
