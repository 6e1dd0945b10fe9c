// What the pages work out for themselves: which sentence is meant, which files, which rows, which address.
import assert from "node:assert/strict";
import test from "node:test";
import { state, written } from "../static/address.js";
import { cell, csv, rowsOf } from "../static/csv.js";
import { sorted } from "../static/files.js";
import { allLabels, labelsOf, openFirst, table } from "../static/rows.js";
import { isFinished, sentenceAt, words } from "../static/sentences.js";

const at = (text, caret = text.length) => {
  const { start, end } = sentenceAt(text, caret);
  return text.slice(start, end);
};

test("right behind a full stop the sentence that it ends is meant", () => {
  assert.equal(at("One is here. Two is there."), "Two is there.");
  assert.equal(at("One is here. Two is there. ", 13), "One is here.");
  assert.equal(at("One is here. Two is", 19), "Two is");
});

test("a sentence is not cut inside quotation marks, nor before a small letter, nor after a title", () => {
  const said = "“Go home. Stay there,” she said.";
  assert.equal(at(said), said);
  assert.equal(at('"Stop!" he cried.'), '"Stop!" he cried.');
  assert.equal(at("Mr. Darcy bowed."), "Mr. Darcy bowed.");
  assert.equal(at("He left. “Why?” she asked."), "“Why?” she asked.");
});

test("an open quotation mark ends with its paragraph", () => {
  assert.equal(at("“I never closed this. Never.\n\nA new one begins."), "A new one begins.");
});

test("a sentence in a long text is found without reading all of it", () => {
  const long = "The rain fell on the town all night. ".repeat(20_000);
  const start = performance.now();
  for (let i = 0; i < 50; i += 1) assert.equal(at(`${long}The last one.`), "The last one.");
  assert.ok(performance.now() - start < 2000);
});

test("words and ends of sentences are seen in any script", () => {
  assert.deepEqual(words("L’été n’est pas fini – 3 fois"), ["L’été", "n’est", "pas", "fini", "3", "fois"]);
  assert.equal(words("然而，这样的处理也衍生了一些问题。").length, 8);
  assert.equal(at("台北在亚热带。这样的处理也衍生了问题。"), "这样的处理也衍生了问题。");
  assert.ok(isFinished("楼顶有天文台。"));
  assert.ok(isFinished("Is it over?”"));
  assert.ok(!isFinished("It goes on"));
});

test("cells that a spreadsheet would run are quoted, numbers are not", () => {
  assert.equal(cell("=1+1"), `"'=1+1"`);
  assert.equal(cell("-0.5"), `"-0.5"`);
  assert.equal(cell('say "x"'), `"say ""x"""`);
  assert.equal(
    csv([
      ["a", null],
      [1, "b"],
    ]),
    '"a",""\r\n"1","b"\r\n',
  );
});

test("all blocks that have rows are in the table", () => {
  const blocks = [
    { block: "sentence", text: "An answer." },
    { block: "bars", title: "words", columns: ["in a"], bars: [{ name: "sea", value: "+1", cells: ["3"] }] },
    { block: "facts", items: [["tokens", "10"]] },
  ];
  assert.deepEqual(rowsOf(blocks), [["words"], ["word", "value", "in a"], ["sea", "+1", "3"], [], ["tokens", "10"]]);
});

test("hidden files are left out, and tables come last", () => {
  const paths = ["a/.DS_Store", "a/list.csv", "__MACOSX/x.txt", "a/two.txt", "a/one.docx"];
  assert.deepEqual(
    sorted(paths.map((path) => ({ path }))).map(({ path }) => path),
    ["a/one.docx", "a/two.txt", "a/list.csv"],
  );
});

test("any number of labels is kept, and every column is saved", () => {
  const rows = [
    { text: "x", label: "ten", row: { nr: "s1", answer: "x" }, guess: null },
    { text: "y", label: null, row: { nr: "s2", answer: "y" }, guess: "ten", probability: 0.9 },
  ];
  assert.equal(labelsOf("a,b,c,d,e,f,g,h,i,j,k, k").length, 11);
  assert.deepEqual(allLabels("nine", rows), ["nine", "ten"]);
  assert.deepEqual(openFirst(rows), [1, 0]);
  assert.deepEqual(table(rows, ["nr", "answer"]), [
    ["nr", "answer", "label", "guess", "probability"],
    ["s1", "x", "ten", null, undefined],
    ["s2", "y", null, "ten", 0.9],
  ]);
});

test("an address says what it was made from", () => {
  const made = written({ source: "shelf", names: ["a b", "c"], empty: "", off: false });
  assert.equal(made, "?source=shelf&names=a+b&names=c");
  assert.deepEqual(state(made), { source: "shelf", names: ["a b", "c"] });
});
