// What the answers to the study say, for its owner.
import { $, el, fill, number, ask, showFault } from "./core.js";

const place = $("#results");
const percent = (share) => `${number(100 * share.value, 1)} % (${number(100 * share.low, 1)} to ${number(100 * share.high, 1)})`;

function arm(found) {
  const widest = Math.max(...found.shares.map((one) => one.share.high ?? one.share.value), 0.01);
  return el("div", { class: "card result" }, el("h2", {}, found.arm), el("p", { class: "faint" }, `${number(found.participants)} participants, ${number(found.answers)} answers.`),
    el("table", {}, el("thead", {}, el("tr", {}, ["Method", "Chosen", "", "By chance"].map((name) => el("th", {}, name)))), el("tbody", {}, found.shares.map((one) => {
      const bar = el("div", { class: "bar" });
      bar.style.width = `${(100 * one.share.value) / widest}%`;
      return el("tr", {}, el("td", {}, one.method), el("td", {}, percent(one.share)), el("td", { class: "bars wide" }, bar), el("td", {}, `${number(100 * one.chance, 0)} %`));
    }))),
    found.agreement ? el("p", { class: "faint small" }, `Agreement between participants (Krippendorff's α): ${number(found.agreement.value, 2)}.`) : null,
    found.flags.length ? el("p", { class: "faint small" }, `${found.flags.length} participants answered always alike or too fast to read.`) : null);
}

ask("survey/results").then((found) => fill(place, el("p", { class: "lead" }, found.title), found.arms.map(arm))).catch((fault) => showFault(place, fault));
