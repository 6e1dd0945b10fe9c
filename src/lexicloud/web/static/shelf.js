// The shelf: the texts that this browser brought, shared by every page.
import { recall, remember, toast } from "./core.js";
import { ask, job } from "./server.js";
import { forget, keepAll, kept } from "./keep.js";

const AT_ONCE = 2; // files that are read at the same time
const listeners = new Set();
export const reading = []; // {path, state: waiting | reading | done | failed | choose, said, columns, file}
let now = { id: null, state: "empty", texts: [], tables: {}, removed: 0 };

export const shelf = () => now;
export const chosen = () => now.texts.filter((text) => text.chosen);
export const isKept = () => recall("keep", false);

/** Call `heard(shelf, changed)` after every change; `changed` is false if only the progress of reading changed. */
export function onShelf(heard) {
  listeners.add(heard);
  return () => listeners.delete(heard);
}

function tell(changed) {
  for (const heard of listeners) heard(now, changed);
}

function take(found) {
  now = { ...found, looked: true };
  tell(true);
  if (isKept()) later();
}

let waiting = null;
function later() {
  // several changes in a row are saved once
  clearTimeout(waiting);
  waiting = setTimeout(() => keepNow().catch(() => toast("Your texts could not be kept in this browser")), 400);
}

async function keepNow() {
  const { rows } = now.texts.length ? await ask("shelf/rows", { body: {} }) : { rows: [] };
  await keepAll(rows, now.tables);
}

/** Keep texts between visits, or forget what was kept. */
export async function setKept(on) {
  remember("keep", on || null);
  if (on) await keepNow();
  else await forget();
}

/** Load the shelf; texts kept from an earlier visit are put back if the server no longer has them. */
export async function look() {
  let found = await ask("shelf");
  if (!found.texts.length && isKept()) found = await restored().catch(() => found);
  now = { ...found, looked: true };
  tell(true);
  return now;
}

const KEPT = ["name", "text", "author", "year", "language", "file", "row", "chosen"];

async function restored() {
  const { rows, tables } = await kept();
  const plain = (row) => Object.fromEntries(KEPT.map((key) => [key, row[key]]));
  for (const [file, group] of grouped(rows)) {
    const table = tables[file] ? { file, ...tables[file] } : null;
    const texts = group
      .map(plain)
      .map((one) => (table ? { ...one, row: { ...one.row, [table.text]: one.text } } : one));
    if (texts.length) await ask("shelf/texts", { body: { texts, table } });
  }
  return ask("shelf");
}

function grouped(rows) {
  const found = new Map();
  for (const row of rows) found.set(row.file, [...(found.get(row.file) ?? []), row]);
  return found;
}

// ---- adding files

/** Read files in their order, two at a time, and record the state of each. */
export async function bring(files, columns = {}) {
  const queue = files.map(({ file, path }) => ({ file, path, state: "waiting", said: "", columns }));
  reading.push(...queue);
  tell(false);
  const work = async () => {
    for (let one = queue.shift(); one; one = queue.shift()) await read(one);
  };
  // The first answer sets this browser's cookie; files sent at the same time before it would go to two shelves.
  if (!now.texts.length && queue.length) await read(queue.shift());
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  remember("source", "shelf"); // also for the pages that one goes to next
  take(await ask("shelf"));
  return now;
}

async function read(one) {
  const asked = new URLSearchParams({ name: one.path.slice(-400), ...one.columns });
  one.state = "reading";
  tell(false);
  try {
    const found = await job(`shelf/files?${asked}`, { body: await one.file.arrayBuffer(), raw: true });
    one.state = found.choose ? "choose" : "done";
    one.choose = found.choose?.columns ?? null;
    one.ids = found.ids ?? [];
    one.said = found.notes?.[0] ?? "";
  } catch (fault) {
    one.state = "failed";
    one.said = fault.remedy ? `${fault.message}: ${fault.remedy}` : "it cannot be opened";
  }
  tell(false);
}

/** Read a table again, with the columns that were chosen. */
export async function readWith(one, columns) {
  reading.splice(reading.indexOf(one), 1);
  await bring([one], columns);
}

export function clearReading() {
  for (let i = reading.length - 1; i >= 0; i -= 1)
    if (!/waiting|reading|choose/.test(reading[i].state)) reading.splice(i, 1);
  tell(false);
}

/** Put typed texts on the shelf: [{name, text, author}], and `table` where they are rows of one. */
export async function put(texts, table = null) {
  const { ids } = await ask("shelf/texts", { body: { texts, table } });
  take(await ask("shelf"));
  return ids;
}

// ---- changing

// One change after the other: an earlier answer that came later would undo a later change on the page.
let last = Promise.resolve();
const inTurn = (act) => (last = last.then(act, act));

export const change = (ids, values) =>
  inTurn(async () => take(await ask("shelf/change", { body: { ids, ...values } })));
export const takeColumns = async (given) => take(await ask("shelf/columns", { body: given }));
export const undo = async () => take(await ask("shelf/undo", { method: "POST" }));

export async function remove(ids) {
  take(await ask("shelf/remove", { body: { ids } }));
  toast("Removed", { name: "Undo", run: undo });
}

export const rows = async (body = {}) => (await ask("shelf/rows", { body })).rows;
