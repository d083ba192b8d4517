/** The board of a game that has none of its own: a picture of the position, and the moves as a list. */

import { button, fill, html } from "../dom.js";
import { choose } from "./board.js";

export class GenericBoard extends HTMLElement {
  /** @type {any} */ #choices = null;
  /** @type {string | null} */ #address = null;

  setGround() {
    fill(this);
  }

  /** @param {import("../engine.js").View} view @param {{choices?: any}} [options] */
  async show(view, options = {}) {
    this.#choices = options.choices ?? null;
    if (this.#address) URL.revokeObjectURL(this.#address);
    // In an img element the SVG can neither run scripts nor load anything.
    this.#address = view.svg ? URL.createObjectURL(new Blob([view.svg], { type: "image/svg+xml" })) : null;
    fill(this, this.#address ? html("img", { class: "board-picture", src: this.#address, alt: view.text }) : html("pre", { class: "board-text" }, view.text));
  }

  /** @param {import("../engine.js").Candidate[]} _candidates */
  showCandidates(_candidates) {
    return;
  }

  deselect() {
    return;
  }

  controls() {
    const moves = this.#choices?.moves ?? [];
    if (!moves.length) return [];
    return [
      html("p", { class: "quiet" }, "Choose a move:"),
      html("div", { class: "move-buttons" }, ...moves.map((/** @type {{index: number, sentence: string}} */ move) => button(move.sentence, () => choose(this, move.index), { class: "option" }))),
    ];
  }

  /** @param {string} _key */
  onShortcut(_key) {
    return false;
  }

  /** @param {import("../engine.js").View} _view */
  strengths(_view) {
    return ["", ""];
  }

  upper() {
    return 0;
  }

  /** @param {import("../engine.js").View} view */
  clock(view) {
    return `turn ${view.turn + 1}`;
  }
}
customElements.define("st-generic-board", GenericBoard);
