/** The moves of a game as numbered sentences, grouped by turns. A click goes to the position after a move. */

import { fill, html } from "../dom.js";
import { turnBegins } from "./evaluation.js";
import { sideSign } from "./players.js";

export class MoveList extends HTMLElement {
  /** @type {(ply: number) => void} */ onchoose = () => undefined;

  /**
   * @param {import("../engine.js").PlayedMove[]} moves
   * @param {number} ply  the position that is shown
   * @param {{ply: number, side: number, loss: number}[]} [turning]
   */
  show(moves, ply, turning = []) {
    const marked = new Map(turning.map((point) => [`${point.ply} ${point.side}`, point.loss]));
    const begins = turnBegins(moves);
    const rows = moves.map((move, place) => {
      const loss = marked.get(`${move.ply + 1} ${move.side}`);
      const chosen = move.ply + 1 === ply;
      return html(
        "li",
        { class: [chosen ? "chosen" : "", begins[place] ? "turn-begin" : ""].join(" ").trim() || null },
        html("button", { type: "button", "aria-current": chosen ? "step" : null, onclick: () => this.onchoose(move.ply + 1) }, html("span", { class: "move-number" }, moves[place - 1]?.ply === move.ply ? "" : move.ply + 1), sideSign(move.side), html("span", { class: "sentence" }, move.sentence), loss ? html("span", { class: "badge turning", title: "Chance to win lost with this move" }, `−${Math.round(50 * loss)}%`) : null),
      );
    });
    fill(this, rows.length ? html("ol", { class: "moves", "aria-label": "Moves" }, ...rows) : html("p", { class: "empty" }, "No moves yet."));
    const list = this.querySelector(".moves");
    const now = this.querySelector(".chosen");
    if (list instanceof HTMLElement && now instanceof HTMLElement) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
  }
}
customElements.define("st-moves", MoveList);
