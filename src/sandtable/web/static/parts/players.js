/** The strip that describes a side: its sign, its player and its strength. */

import { html, svg } from "../dom.js";

/** A side's sign: a disc for the first, a square for the second. @param {number} side */
export function sideSign(side) {
  return svg("svg", { class: "side-sign", viewBox: "0 0 20 20", "aria-hidden": "true" }, side === 0 ? svg("circle", { cx: 10, cy: 10, r: 8, class: "fill-red" }) : svg("rect", { x: 2.5, y: 2.5, width: 15, height: 15, rx: 3.5, class: "fill-blue" }));
}

/**
 * @param {number} side @param {string} name @param {string} title @param {string} strength
 * @param {{active?: boolean, thinking?: string | null, won?: boolean}} [state]
 */
export function playerStrip(side, name, title, strength, state = {}) {
  return html(
    "div",
    { class: `player${state.active ? " active" : ""}` },
    sideSign(side),
    html("span", { class: "player-name" }, html("strong", null, title), html("span", { class: "visually-hidden" }, ` (${name})`)),
    state.won ? html("span", { class: "badge" }, "won") : null,
    state.thinking ? html("span", { class: "thinking" }, state.thinking) : null,
    html("span", { class: "strength" }, strength),
  );
}
