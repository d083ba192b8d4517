/** The parts that boards share: arrows, labels, popovers, and a game's symbols, which are added to the document once. */

import { html, setProperty, svg } from "../dom.js";
import { percent } from "../parts/evaluation.js";

const GAP = 10; // pixels between a panel and the part of the board that it is about

/** @type {Set<string>} */
const present = new Set();

/** Adds the symbols of an SVG file to the document. @param {string} name @param {string} text */
export function addSymbols(name, text) {
  if (!text || present.has(name)) return;
  present.add(name);
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const holder = svg("svg", { class: "symbols", "aria-hidden": "true", width: 0, height: 0 });
  for (const symbol of parsed.querySelectorAll("symbol")) holder.append(document.importNode(symbol, true));
  document.body.append(holder);
}

/**
 * An arrow between two points, shortened at both ends, with an optional label.
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @param {{class: string, width?: number, short?: number, bend?: number, label?: string}} style
 */
export function arrow([x1, y1], [x2, y2], style) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1) return svg("g");
  const width = style.width ?? 5;
  const short = Math.min(style.short ?? 0, length / 3);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const bend = (style.bend ?? 0) * length;
  const [cx, cy] = [(x1 + x2) / 2 - uy * bend, (y1 + y2) / 2 + ux * bend];
  const head = width * 2.4;
  const [ex, ey] = [x2 - ux * short, y2 - uy * short];
  // The head points along the end of the curve.
  const end = Math.hypot(ex - cx, ey - cy) || 1;
  const [hx, hy] = [(ex - cx) / end, (ey - cy) / end];
  const [bx, by] = [ex - hx * head, ey - hy * head];
  const d = `M${x1 + ux * short} ${y1 + uy * short}Q${cx} ${cy} ${bx} ${by}`;
  const tip = `M${ex} ${ey}L${bx - hy * head * 0.55} ${by + hx * head * 0.55}L${bx + hy * head * 0.55} ${by - hx * head * 0.55}Z`;
  const group = svg("g", { class: `arrow ${style.class}` }, svg("path", { class: "arrow-line", d, "stroke-width": width }), svg("path", { class: "arrow-tip", d: tip }));
  if (style.label) {
    group.append(pill((x1 + 2 * cx + x2) / 4, (y1 + 2 * cy + y2) / 4, style.label, "arrow-label")); // the middle of the curve
  }
  return group;
}

/** @typedef {{x: number, y: number, width: number, height: number}} Box  around its centre */

/**
 * Chooses the text and the place of a label: the first text that fits at one of the spots without covering a taken box or a
 * label that is already placed. If none fits, the last text is placed at the last spot.
 * @param {string[]} texts  the longest first
 * @param {[number, number][]} spots  the best first
 * @param {Box[]} taken @param {Box[]} placed  the label is appended
 */
export function labelPlace(texts, spots, taken, placed) {
  const boxes = texts.flatMap((text) => spots.map(([x, y]) => ({ text, x, y, width: pillWidth(text), height: 15 })));
  const isFree = (/** @type {Box} */ box) => [...taken, ...placed].every((other) => Math.abs(box.x - other.x) >= (box.width + other.width) / 2 || Math.abs(box.y - other.y) >= (box.height + other.height) / 2);
  const found = boxes.find(isFree) ?? boxes[boxes.length - 1];
  placed.push(found);
  return found;
}

/** A candidate's chance to win, after its rank if there are several.
 * @param {import("../engine.js").Candidate[]} candidates @param {number} rank */
export function candidateLabel(candidates, rank) {
  const { value } = candidates[rank] ?? {};
  if (typeof value !== "number") return "";
  return candidates.length > 1 ? `${rank + 1}: ${percent(value)}` : percent(value);
}

/** @param {string} text */
const pillWidth = (text) => 8 + 6.2 * text.length;

/** A text on a rounded rectangle. @param {number} x @param {number} y @param {string} text @param {string} name  its class */
export function pill(x, y, text, name) {
  const width = pillWidth(text);
  return svg(
    "g",
    { class: `pill ${name}`, transform: `translate(${x} ${y})` },
    svg("rect", { x: -width / 2, y: -7.5, width, height: 15, rx: 7.5 }),
    svg("text", { y: 3.7, "text-anchor": "middle" }, text),
  );
}

/**
 * A small panel on a board, beside the part that it is about. Escape closes it.
 * @param {HTMLElement} board
 * @param {Element[]} spoken  parts of the board that it is about; it is placed beside the first and avoids covering any
 * @param {Element[]} others  parts that it also avoids covering, with lower priority
 * @param {string} name
 * @param {Node[]} content
 * @param {() => void} onclose
 */
export function popover(board, spoken, others, name, content, onclose) {
  closePopover(board);
  const panel = html("div", { class: "popover", role: "dialog", "aria-label": name, onkeydown: (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onclose();
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") moveFocus(panel, event);
  } }, ...content);
  board.append(panel);
  const view = board.getBoundingClientRect();
  const rectangle = (/** @type {Element} */ part) => {
    const { x, y, width, height } = part.getBoundingClientRect();
    return { x: x - view.x, y: y - view.y, width, height };
  };
  const size = { width: panel.offsetWidth, height: panel.offsetHeight };
  const { x, y } = placeBeside(spoken.map(rectangle), others.map(rectangle), size, view);
  setProperty(panel, "--x", `${x}px`);
  setProperty(panel, "--y", `${y}px`);
  panel.scrollIntoView({ block: "nearest" });
  /** @type {HTMLElement | null} */ (panel.querySelector("button, input"))?.focus({ preventScroll: true });
}

/** @typedef {{x: number, y: number, width: number, height: number}} Rectangle  by its upper left corner */

/**
 * Places a panel beside the first of the `spoken` rectangles: right, left, below or above, where it covers the fewest parts;
 * below the board if it would cover one of `spoken` in all four places.
 * @param {Rectangle[]} spoken @param {Rectangle[]} others
 * @param {{width: number, height: number}} size  of the panel @param {{width: number, height: number}} board
 */
export function placeBeside(spoken, others, { width, height }, board) {
  const [at] = spoken;
  const [middleX, middleY] = [at.x + (at.width - width) / 2, at.y + (at.height - height) / 2];
  const within = (/** @type {number} */ value, /** @type {number} */ most) => Math.max(0, Math.min(most, value));
  const places = [[at.x + at.width + GAP, middleY], [at.x - width - GAP, middleY], [middleX, at.y + at.height + GAP], [middleX, at.y - height - GAP], [middleX, board.height + GAP]].map(([x, y], place) => ({
    x: within(x, board.width - width),
    y: place === 2 || place === 4 ? y : within(y, board.height - height),
    width,
    height,
  }));
  const covers = (/** @type {Rectangle} */ place) => {
    const count = (/** @type {Rectangle[]} */ all) => all.filter((one) => one.x < place.x + width && place.x < one.x + one.width && one.y < place.y + height && place.y < one.y + one.height).length;
    return 100 * count(spoken) + count(others);
  };
  const beside = places.slice(0, 4).reduce((best, place) => (covers(place) < covers(best) ? place : best));
  return covers(beside) < 100 ? beside : places[4];
}

/** The part of a board that scrolls sideways if the screen is too narrow for its cells. @param {Element} picture */
export const scroller = (picture) => html("div", { class: "board-scroll" }, picture);

/** The side whose pieces are higher on the screen on average. @param {{side: number, y: number}[]} places */
export function upperSide(places) {
  const [first, second] = [0, 1].map((side) => {
    const own = places.filter((place) => place.side === side);
    return own.reduce((sum, place) => sum + place.y, 0) / (own.length || 1);
  });
  return first <= second ? 0 : 1;
}

/** Scrolls a board sideways to a part of its picture that is out of view. @param {HTMLElement} board @param {Element | undefined} part */
export function reveal(board, part) {
  const frame = board.querySelector(".board-scroll");
  if (!frame || !part || frame.scrollWidth <= frame.clientWidth) return;
  const [box, view] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
  if (box.left < view.left || box.right > view.right) frame.scrollLeft += box.left + box.width / 2 - view.left - view.width / 2;
}

/** @param {HTMLElement} panel @param {KeyboardEvent} event */
function moveFocus(panel, event) {
  const controls = /** @type {HTMLElement[]} */ ([...panel.querySelectorAll("button")]);
  const place = controls.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (place < 0) return;
  event.preventDefault();
  controls[(place + (event.key === "ArrowDown" ? 1 : controls.length - 1)) % controls.length].focus();
}

/** @param {HTMLElement} board */
export function closePopover(board) {
  board.querySelector(".popover")?.remove();
}

/**
 * Asks the page to show a message: news, the reason for a refusal, or an aside for screen readers alone.
 * @param {HTMLElement} from
 * @param {string} text
 * @param {"news" | "refusal" | "aside"} [kind]
 */
export function say(from, text, kind = "news") {
  from.dispatchEvent(new CustomEvent("say", { detail: { text, kind }, bubbles: true }));
}

/** Hands the page a move that the player has chosen. @param {HTMLElement} board @param {import("../engine.js").Move} move */
export function choose(board, move) {
  say(board, ""); // clears the reason of an earlier refusal
  board.dispatchEvent(new CustomEvent("choose", { detail: { move }, bubbles: true }));
}
