// An address without a page: only what every page has.
import "./core.js";
