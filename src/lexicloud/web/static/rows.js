// Pure functions over rows with labels, for the Label page and its tests.

/** Return the pieces of a text between signs, without blanks around them. */
export const pieces = (text, sign) =>
  text
    .split(sign)
    .map((piece) => piece.trim())
    .filter(Boolean);

/** Return the labels in a typed list with commas, each once. */
export const labelsOf = (typed) => [...new Set(pieces(typed, ","))];

/** Return the labels that were typed, and those that rows have. */
export const allLabels = (typed, rows) => [
  ...new Set([...labelsOf(typed), ...rows.map((row) => row.label).filter(Boolean)]),
];

/** Return the places of rows, those without a label first. */
export const openFirst = (rows) =>
  rows.map((_, i) => i).sort((a, b) => Number(Boolean(rows[a].label)) - Number(Boolean(rows[b].label)) || a - b);

/** Return the table to save: all its columns, then the label, the guess and its probability. */
export function table(rows, columns) {
  const own = columns.filter((column) => column !== "label");
  const head = [...(own.length ? own : ["text"]), "label", "guess", "probability"];
  const cells = (row) => (own.length ? own.map((column) => row.row[column]) : [row.text]);
  return [head, ...rows.map((row) => [...cells(row), row.label, row.guess, row.probability])];
}
