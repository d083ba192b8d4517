/** Compares the lines that were tried from a position, the best first for the side to move there. */

import { button, fill, html } from "../dom.js";
import { percent } from "./evaluation.js";

/** @typedef {{move: import("../engine.js").Move, sentence: string}} Tried */
/** @typedef {{ply: number, line: Tried[], value: number, simulations: number}} Compared  value: side 0's, after the line */

/** @param {Tried[]} line */
const key = (line) => JSON.stringify(line.map((tried) => tried.move));

/** The list with a line's new value. Of several searches of a line the one with the most simulations counts. @param {Compared[]} list @param {Compared} now @returns {Compared[]} */
export function compared(list, now) {
  const before = list.find((one) => one.ply === now.ply && key(one.line) === key(now.line));
  if (before && before.simulations > now.simulations) return list;
  return [...list.filter((one) => one !== before), now];
}

/** Lines, the best first for a side. @param {Compared[]} list @param {number} side */
export function ranked(list, side) {
  return [...list].sort((a, b) => (side === 0 ? b.value - a.value : a.value - b.value));
}

/**
 * @param {HTMLElement} place @param {Compared[]} list  lines from this position @param {number} side  who moves there
 * @param {Tried[]} current  the line that is shown @param {(line: Tried[]) => void} onchoose
 * @param {Tried | null} played  what was played here
 */
export function drawComparison(place, list, side, current, onchoose, played) {
  const rows = ranked(list, side).map(({ line, value }) => {
    const isPlayed = played && key(line) === key([played]);
    return html("li", null, html("button", { type: "button", class: "compared", "aria-current": key(line) === key(current) ? "true" : null, onclick: () => onchoose(line) }, html("span", { class: "sentence grow" }, line.map((tried) => tried.sentence).join(" · ")), isPlayed ? html("span", { class: "badge" }, "played") : null, html("strong", null, percent(side === 0 ? value : -value))));
  });
  const untried = played && !list.some((one) => key(one.line) === key([played])) ? button(`Compare with the move played: ${played.sentence}`, () => onchoose([played]), { class: "small tried" }) : null;
  fill(place, rows.length ? html("h2", null, "Lines tried") : null, rows.length ? html("ol", { class: "compared-list", "aria-label": "Lines tried" }, ...rows) : null, untried);
}
