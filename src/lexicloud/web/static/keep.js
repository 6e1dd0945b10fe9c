// Texts that a person wants to keep, in this browser's own database, never on the server's disk.

const NAME = "lexicloud";
const STORE = "texts";

function opened() {
  return new Promise((done, failed) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { keyPath: "key" });
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });
}

async function act(mode, work) {
  const database = await opened();
  try {
    return await new Promise((done, failed) => {
      const transaction = database.transaction(STORE, mode);
      const asked = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => done(asked?.result);
      transaction.onerror = () => failed(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** Keep these texts and no others. */
export const keepAll = (rows, tables) =>
  act("readwrite", (store) => {
    store.clear();
    store.put({ key: "tables", tables });
    for (const row of rows) store.put({ key: row.id, ...row });
  });

/** Return what was kept: {rows, tables}. */
export async function kept() {
  const all = await act("readonly", (store) => store.getAll());
  return {
    rows: all.filter((one) => one.key !== "tables"),
    tables: all.find((one) => one.key === "tables")?.tables ?? {},
  };
}

export const forget = () => act("readwrite", (store) => store.clear());
