// The page for unknown addresses: only what every page has.
import "./core.js";
