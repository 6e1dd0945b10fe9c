// The text area: the sentence that suggestions are for is marked, and the draft is kept in this browser.
import { $, number, recall, remember } from "./core.js";
import { WORD, sentenceAt, words } from "./sentences.js";

const REST = 180; // milliseconds after the last key before the marks are drawn again
const LONG = 20_000; // from so many characters on, marks wait for a pause
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

/** Mark the sentence and some of its words; in a long text after a pause in typing. */
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

/** Copy the text to the mirror in one piece, so that its lines break as in the text area. */
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

/** Mark places of the mirror; a browser without the Highlight API shows no marks. */
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

/** Scroll the marks with the text. */
function follow() {
  mirror.style.transform = `translateY(${-text.scrollTop}px)`;
}
text.addEventListener("scroll", follow, { passive: true });

/** Where the text area shrinks (a sheet comes up on a phone, methods stand side by side), the caret stays in sight. */
function keepCaret() {
  draw();
  const letters = mirror.firstChild;
  const range = new Range();
  range.setStart(letters, Math.min(text.selectionEnd, letters.length));
  const below = range.getBoundingClientRect().bottom - text.getBoundingClientRect().bottom;
  if ((document.activeElement === text || editor.marked) && below > 0) text.scrollTop += below + 8;
}
new ResizeObserver(keepCaret).observe(text);

/** Count the words and save the draft, after a pause in typing. */
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

/** Insert after the sentence, by the browser's own editing, so that undo works. */
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

/** On a phone, set the height of the keyboard, above which the sheet is placed. */
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
