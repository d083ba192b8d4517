/** The results of a search so far: its figures, and its best moves with their visits. */

import { counted, fill, html, setProperty } from "../dom.js";
import { figureWords, percent } from "./evaluation.js";
import { sideSign } from "./players.js";

const SHOWN = 6;

export class SearchView extends HTMLElement {
  /** @type {((candidate: import("../engine.js").Candidate) => void)} */ onchoose = () => undefined;
  /** Shows candidates on the board: the one under the pointer, or all of them. @type {((candidates: import("../engine.js").Candidate[]) => void)} */ onpreview = () => undefined;
  /** A candidate in words. @type {(candidate: import("../engine.js").Candidate) => string} */ words = (candidate) => candidate.sentence;
  /** The title of a candidate: what a click on it does. */
  action = "Try this move";
  #figures = html("p", { class: "quiet figures", role: "status" });
  #list = html("div");
  /** @type {import("../engine.js").Candidate[]} */ #all = [];
  /** @type {import("../engine.js").Candidate | null} */ #previewed = null;

  connectedCallback() {
    fill(this, this.#figures, this.#list);
    const again = () => {
      this.#previewed = null;
      this.onpreview(this.#all);
    };
    this.#list.addEventListener("pointerleave", again);
    this.#list.addEventListener("focusout", again);
  }

  /**
   * @param {import("../engine.js").Analysis | null} analysis
   * @param {number} side  who moves
   * @param {string} [instead]  a text in place of the figures
   */
  show(analysis, side, instead) {
    this.#figures.textContent = instead ?? figureWords(analysis);
    const candidates = analysis?.candidates ?? [];
    const most = Math.max(1, ...candidates.map((candidate) => candidate.visits));
    this.#all = candidates;
    const rows = candidates.slice(0, SHOWN).map((candidate, rank) => this.#drawCandidate(candidate, rank, side, candidate.visits / most));
    fill(this.#list, rows.length ? html("ol", { class: "candidate-list", "aria-label": "Candidates" }, ...rows) : null);
  }

  /** Previews the candidate under a pointer that moves; a list that appears under a resting pointer is not previewed. @param {import("../engine.js").Candidate} candidate @param {PointerEvent} event */
  #preview(candidate, { movementX, movementY }) {
    if (this.#previewed === candidate || !(movementX || movementY)) return;
    this.#previewed = candidate;
    this.onpreview([candidate]);
  }

  /** @param {import("../engine.js").Candidate} candidate @param {number} rank @param {number} side @param {number} share */
  #drawCandidate(candidate, rank, side, share) {
    const bar = html("span", { class: "visit-bar", "aria-hidden": "true" });
    setProperty(bar, "--share", `${100 * share}%`);
    return html(
      "li",
      null,
      html(
        "button",
        { type: "button", class: "candidate-row", title: this.action, onclick: () => this.onchoose(candidate), onpointermove: (event) => this.#preview(candidate, event), onfocus: () => this.onpreview([candidate]) },
        html("span", { class: "rank" }, rank + 1),
        html("span", { class: "grow with-sign" }, sideSign(side), html("span", { class: "sentence" }, this.words(candidate))),
        html("strong", null, percent(candidate.value)),
        bar,
        html("span", { class: "quiet visits" }, counted(candidate.visits, "visit")),
      ),
      rank < 2 && candidate.pv?.length > 1 ? html("p", { class: "pv" }, `Then ${candidate.pv.slice(1, 5).join(" · ")}`) : null,
    );
  }
}
customElements.define("st-search", SearchView);
