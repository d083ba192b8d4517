/** Values as pictures: the bar beside a board, and the curve over a game. Values are for side 0, from -1 to 1. */

import { fill, html, setProperty, svg } from "../dom.js";

/** The value as a bar: each side's share begins at its end of the board. */
export class ValueBar extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "meter");
    this.setAttribute("aria-valuemin", "0");
    this.setAttribute("aria-valuemax", "100");
    this.value ??= null;
  }

  /** @type {string[]} */ sides = ["Red", "Blue"];
  upper = 0; // the side whose share is above
  /** @type {number | null | undefined} */ #value;

  get value() {
    return this.#value;
  }

  set value(value) {
    this.#value = value;
    const share = Math.round(50 + 50 * Math.max(-1, Math.min(1, value ?? 0)));
    setProperty(this, "--share", `${share}%`);
    this.classList.toggle("unknown", value === null || value === undefined);
    this.classList.toggle("first-above", this.upper === 0);
    this.classList.toggle("upper-leads", this.upper === 0 ? share >= 50 : share < 50); // the number is the leading side's, at that side's end
    this.setAttribute("aria-valuenow", String(share));
    const words = typeof value === "number" ? `${this.sides[0]} wins ${share}%, ${this.sides[1]} ${100 - share}%` : "not evaluated";
    this.setAttribute("aria-label", `Value: ${words}`);
    this.title = words;
    fill(this, html("span", { class: "value-share", "aria-hidden": "true" }), html("span", { class: "value-label", "aria-hidden": "true" }, typeof value === "number" ? String(Math.max(share, 100 - share)) : ""));
  }
}
customElements.define("st-value-bar", ValueBar);

/** The values of a game's positions as a curve; a click chooses a position. */
export class ValueCurve extends HTMLElement {
  /** @type {(ply: number) => void} */ onchoose = () => undefined;

  /** @param {(number | null)[]} values @param {number} ply @param {{ply: number, side: number, loss: number}[]} turning */
  show(values, ply, turning) {
    const known = values.filter((value) => value !== null).length;
    this.hidden = known < 2;
    if (this.hidden) return;
    const [width, height] = [300, 72];
    const last = Math.max(1, values.length - 1);
    /** @param {number} p */ const x = (p) => (p / last) * width;
    /** @param {number} value */ const y = (value) => height / 2 - (value * (height - 8)) / 2;
    const points = values.flatMap((value, p) => (value === null ? [] : [`${x(p).toFixed(1)} ${y(value).toFixed(1)}`]));
    const [begin, end] = [points[0].split(" ")[0], points[points.length - 1].split(" ")[0]];
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true", onclick: (/** @type {MouseEvent} */ event) => {
        const box = picture.getBoundingClientRect();
        this.onchoose(Math.round(((event.clientX - box.left) / box.width) * last));
      } },
      svg("path", { class: "curve-area", d: `M${begin} ${height}L${points.join("L")}L${end} ${height}Z` }),
      svg("path", { class: "curve-middle", d: `M0 ${height / 2}H${width}` }),
      svg("path", { class: "curve-line", d: `M${points.join("L")}` }),
      ...turning.map((t) => svg("path", { class: `curve-turning side-${t.side}`, d: `M${x(t.ply)} 0V${height}` })),
      svg("path", { class: "curve-now", d: `M${x(ply).toFixed(1)} 0V${height}` }),
    );
    fill(this, picture);
  }
}
customElements.define("st-value-curve", ValueCurve);
