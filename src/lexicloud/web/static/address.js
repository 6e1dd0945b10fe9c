// The state of a page in its address: a link reproduces the view, and Back goes to the one before.

/** Return what the address says, as plain texts; keys that occur several times are lists. */
export function state(search = location.search) {
  const found = {};
  for (const [key, value] of new URLSearchParams(search)) {
    found[key] = key in found ? [].concat(found[key], value) : value;
  }
  return found;
}

/** Return a state as the query of an address (after "?"); empty values are left out. */
export function written(values) {
  const made = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    for (const one of [].concat(value ?? [])) if (one !== "" && one !== false) made.append(key, String(one));
  }
  const text = String(made);
  return text ? `?${text}` : "";
}

/** Put a state into the address, as a step that Back undoes; does nothing if it is there already. */
export function go(values, { push = true } = {}) {
  const next = location.pathname + written(values);
  if (next === location.pathname + location.search) return;
  if (push) history.pushState(null, "", next);
  else history.replaceState(null, "", next);
}

export const onBack = (heard) => addEventListener("popstate", () => heard(state()));
