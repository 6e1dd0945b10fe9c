// Finds the sentence at the caret. Only the text around it is read, so that a long text takes no longer.

const AROUND = 6000; // characters to each side
const END = /[.!?…]+["'”’»)\]]*(?=\s|$)|[。！？]+["'”’」』）]*|\n\s*\n/g;
const TITLE = /(?:^|[\s("“])(?:Mr|Mrs|Ms|Dr|St|Prof|Rev|Capt|Col|Gen|vs|cf|e\.g|i\.e|[A-Z])\.$/;
// No spaces separate the words of Chinese and Japanese, which have about two characters each.
const UNSPACED = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}";
const LETTER = `(?:(?![${UNSPACED}])[\\p{L}\\p{N}])`;
export const WORD = new RegExp(`[${UNSPACED}]{1,2}|${LETTER}+(?:[’'-]${LETTER}+)*`, "gu");

export const words = (value) => value.match(WORD) ?? [];
export const isFinished = (sentence) => /[.!?…。！？]["'”’»)\]」』）]*$/.test(sentence);

/** Return {start, end} of the sentence that the caret is in, or that ends right before it. */
export function sentenceAt(value, caret) {
  const from = paragraphStart(value, caret);
  const near = value.slice(from, caret + AROUND);
  let start = 0;
  for (const end of near.matchAll(END)) {
    const stop = end.index + end[0].length;
    if (!isEnd(near, start, end.index, stop)) continue;
    // Right after a full stop it is the sentence that the full stop ends.
    if (from + stop >= caret || !near.slice(stop, caret - from).trim())
      return trimmed(value, from + start, from + stop);
    start = stop;
  }
  return trimmed(value, from + start, from + near.length);
}

function paragraphStart(value, caret) {
  const least = Math.max(0, caret - AROUND);
  const before = value.slice(least, caret).trimEnd();
  const at = before.lastIndexOf("\n\n");
  return at < 0 ? least : least + at;
}

/** A full stop ends no sentence after a title, before a small letter, or inside quotation marks that are still open. */
function isEnd(near, start, dot, stop) {
  if (near[dot] === "\n") return true;
  if (near[dot] === "." && TITLE.test(near.slice(start, dot + 1))) return false;
  if (/^\s+\p{Ll}/u.test(near.slice(stop, stop + 40))) return false;
  return !inQuotes(near.slice(start, stop));
}

function inQuotes(piece) {
  const curly = (piece.match(/[“„«]/g) ?? []).length - (piece.match(/[”»]/g) ?? []).length;
  const straight = (piece.match(/"/g) ?? []).length % 2 === 1;
  return (curly > 0 || straight) && !/\n\s*\n/.test(piece);
}

function trimmed(value, start, end) {
  while (start < end && /\s/.test(value[start])) start += 1;
  while (end > start && /\s/.test(value[end - 1])) end -= 1;
  return { start, end };
}
