// Rows with labels: pure functions over them, for the Label page and its tests.

/** Labels as they are typed, with commas between; every one counts once. */
export const labelsOf = (typed) => [
  ...new Set(
    typed
      .split(",")
      .map((label) => label.trim())
      .filter(Boolean),
  ),
];

/** The labels that were typed, and those that rows carry. */
export const allLabels = (typed, rows) => [
  ...new Set([...labelsOf(typed), ...rows.map((row) => row.label).filter(Boolean)]),
];

/** Rows without a label first, each kind in its order. */
export const openFirst = (rows) =>
  rows.map((_, i) => i).sort((a, b) => Number(Boolean(rows[a].label)) - Number(Boolean(rows[b].label)) || a - b);

/** The table to save: what was there, nothing lost, then the label, the guess and how likely it is. */
export function table(rows, columns) {
  const own = columns.filter((column) => column !== "label");
  const head = [...(own.length ? own : ["text"]), "label", "guess", "probability"];
  const cells = (row) => (own.length ? own.map((column) => row.row[column]) : [row.text]);
  return [head, ...rows.map((row) => [...cells(row), row.label, row.guess, row.probability])];
}
