// Tables as CSV: pure functions, for every page and for their tests.

/** Return a cell of a CSV file; one that a spreadsheet would take for a formula gets a quote before it. */
export function cell(value) {
  const text = String(value ?? "");
  const formula = /^[=+@\t\r]/.test(text) || /^-(?![\d.])/.test(text);
  return `"${(formula ? `'${text}` : text).replaceAll('"', '""')}"`;
}

export const csv = (rows) => `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;

/** Return the rows of all blocks that have rows, one below the other. */
export function rowsOf(blocks) {
  const found = [];
  for (const block of blocks) {
    const rows = ROWS[block.block]?.(block);
    if (!rows?.length) continue;
    if (found.length) found.push([]);
    if (block.title) found.push([block.title]);
    found.push(...rows);
  }
  return found;
}

const ROWS = {
  table: (block) => [block.columns, ...block.rows],
  bars: (block) => [
    ["word", "value", ...block.columns],
    ...block.bars.map((bar) => [bar.name, bar.value, ...bar.cells]),
  ],
  passages: (block) => [
    ["text", "source", "remark"],
    ...block.items.map((item) => [item.text, item.source, item.remark]),
  ],
  facts: (block) => block.items,
};
