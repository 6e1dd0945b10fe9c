// Files as people bring them: dropped, chosen, or a folder of them.

const HIDDEN = /(^|\/)(\.|__MACOSX)/;
const TABLE = /\.(csv|tsv|jsonl|xlsx|parquet)(\.gz)?$/i;
const MOST = 2000; // files at once

/** Return {file, path} for dropped files, also in folders. To be called while the event is being handled. */
export function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return Promise.resolve(listed([...transfer.files]));
  return Promise.all(entries.map((entry) => within(entry, ""))).then((found) => sorted(found.flat()));
}

/** Return {file, path} for chosen files; of a folder with their path in it. */
export function listed(files) {
  return sorted(files.map((file) => ({ file, path: file.webkitRelativePath || file.name })));
}

/** Hidden files are left out; tables come last, because they may describe the texts beside them. */
export function sorted(found) {
  const seen = found.filter(({ path }) => !HIDDEN.test(path));
  const late = ({ path }) => Number(TABLE.test(path));
  return seen.sort((a, b) => late(a) - late(b) || (a.path < b.path ? -1 : Number(a.path > b.path))).slice(0, MOST);
}

async function within(entry, above) {
  const path = above + entry.name;
  if (HIDDEN.test(path)) return [];
  if (entry.isFile) return [{ path, file: await new Promise((done, failed) => entry.file(done, failed)) }];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // the browser lists a folder in several parts
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return found;
    for (const inner of some) found.push(...(await within(inner, `${path}/`)));
    if (found.length > MOST) return found;
  }
}
