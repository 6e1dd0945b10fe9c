// Tables as CSV: pure functions, for every page and for their tests.

/** A cell of a CSV file; what a spreadsheet would take for a formula is quoted. */
export function cell(value) {
  const text = String(value ?? "");
  const formula = /^[=+@\t\r]/.test(text) || /^-(?![\d.])/.test(text);
  return `"${(formula ? `'${text}` : text).replaceAll('"', '""')}"`;
}

export const csv = (rows) => `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;

/** The rows of all blocks that have any, one below the other. */
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
