// Runs before anything is drawn, so that a dark page does not flash white.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("lexicloud:theme");
  } catch {
    /* storage is off: follow the system */
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
