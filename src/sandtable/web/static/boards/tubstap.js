/** The board of TUBSTAP: select a unit, see where it can go and what each attack would do, then choose a move. */

import { button, counted, fill, html, svg } from "../dom.js";
import { animate } from "../settings.js";
import { arrow, candidateLabel, choose, closePopover, labelPlace, pill, popover, reveal, say, scroller, upperSide } from "./board.js";
import { NOBODY, attacksOn, bestAttacks, cellKey, hpText, lossText, optionsAt, reachOf, readyUnits, strikes } from "./tubstap-moves.js";

/** @typedef {import("./tubstap-moves.js").Unit} Unit */
/** @typedef {import("./tubstap-moves.js").Choice} Choice */

const CELL = 40;
const EDGE = 14;
const LEAST_CELL = 26; // pixels: the smallest cell that a finger can hit
const SHOWN = 4; // candidates on the board
const UNIT = 36; // size of the part of a unit's cell that no label may cover
const ON_THE_WAY = [0.72, 0.5, 0.88, 0.32, 1]; // places of a label along an arrow, as shares of its length
const KINDS = ["fighter", "attacker", "panzer", "cannon", "antiair", "infantry"];
const TERRAINS = ["no entry", "plain", "sea", "forest", "mountain", "road", "fortress"];
const SIDES = ["red", "blue"];

/** @param {number} coordinate */
const left = (coordinate) => (coordinate - 1) * CELL;
/** @param {[number, number]} at @param {number} size @returns {import("./board.js").Box} */
const box = ([x, y], size) => ({ x, y, width: size, height: size });
/** @param {number} x @param {number} y @returns {[number, number]} */
const centre = (x, y) => [left(x) + CELL / 2, left(y) + CELL / 2];

export class TubstapBoard extends HTMLElement {
  /** @type {any} */ #ground = null;
  /** @type {Unit[]} */ #units = [];
  /** @type {any} */ #choices = null;
  /** @type {Unit | null} */ #selected = null;
  /** @type {[number, number]} */ #cursor = [1, 1];
  /** @type {Record<string, SVGElement>} */ #layers = {};
  /** @type {Map<string, SVGElement>} */ #cells = new Map();
  /** @type {Map<number, SVGElement>} */ #tokens = new Map();
  #asked = false; // whether the player has asked once to end the turn while units can still act
  #about = html("p", { class: "quiet about" });

  /** @param {any} ground */
  setGround(ground) {
    this.#ground = ground;
    const [width, height] = [left(ground.width - 1), left(ground.height - 1)];
    for (const name of ["terrain", "marks", "reach", "tokens", "arrows", "effects"]) this.#layers[name] = svg("g", { class: `layer-${name}`, "aria-hidden": "true" });
    this.#layers.cells = svg("g", { class: "layer-cells", role: "grid", "aria-label": "Board" });
    this.#drawTerrain(width, height);
    const picture = svg("svg", { class: "board-picture", viewBox: `${-EDGE} ${-EDGE} ${width + 2 * EDGE} ${height + 2 * EDGE}` }, ...Object.values(this.#layers));
    picture.addEventListener("keydown", (event) => this.#onKey(/** @type {KeyboardEvent} */ (event)));
    picture.addEventListener("click", (event) => {
      const cell = /** @type {SVGElement} */ (event.target).closest?.("[data-x]");
      if (cell instanceof SVGElement) this.#onCell(Number(cell.dataset.x), Number(cell.dataset.y));
    });
    const onCell = (/** @type {Event} */ event) => this.#tellAbout(/** @type {SVGElement} */ (event.target).closest?.("[data-x]"));
    for (const kind of ["pointerover", "focusin"]) picture.addEventListener(kind, onCell);
    picture.addEventListener("pointerleave", () => this.#tellAbout());
    this.style.setProperty("--aspect", String((width + 2 * EDGE) / (height + 2 * EDGE)));
    this.style.setProperty("--least", `${(LEAST_CELL / CELL) * (width + 2 * EDGE)}px`);
    fill(this, scroller(picture));
  }

  /** @param {number} width @param {number} height */
  #drawTerrain(width, height) {
    const { terrain } = this.#ground;
    this.#cells.clear();
    this.#layers.terrain.append(svg("rect", { class: "board-ground", width, height }));
    for (let y = 1; y < this.#ground.height - 1; y++) {
      const row = svg("g", { role: "row" });
      this.#layers.terrain.append(label(-EDGE / 2, left(y) + CELL / 2 + 3, y), label(width + EDGE / 2, left(y) + CELL / 2 + 3, y));
      for (let x = 1; x < this.#ground.width - 1; x++) {
        this.#layers.terrain.append(svg("use", { href: `#st-terrain-${terrain[y][x]}`, x: left(x), y: left(y) }));
        const cell = svg("rect", { role: "gridcell", tabindex: -1, "data-x": x, "data-y": y, x: left(x), y: left(y), width: CELL, height: CELL });
        this.#cells.set(cellKey(x, y), cell);
        row.append(cell);
      }
      this.#layers.cells.append(row);
    }
    for (let x = 1; x < this.#ground.width - 1; x++) this.#layers.terrain.append(label(left(x) + CELL / 2, -4, x), label(left(x) + CELL / 2, height + 11, x));
    let lines = "";
    for (let x = 1; x < this.#ground.width; x++) lines += `M${left(x)} 0V${height}`;
    for (let y = 1; y < this.#ground.height; y++) lines += `M0 ${left(y)}H${width}`;
    this.#layers.terrain.append(svg("path", { class: "board-lines", d: lines }));
  }

  /**
   * Shows a position, after playing the steps that led to it.
   * @param {import("../engine.js").View} view
   * @param {{choices?: any, steps?: any[], recent?: any[]}} [options]  recent: the steps to mark as the last moves
   */
  async show(view, options = {}) {
    this.deselect();
    this.#asked = false;
    this.#choices = null;
    this.showCandidates([]); // the candidates were moves of the previous position
    for (const step of options.steps ?? []) await this.#play(step);
    this.#units = view.board.units;
    this.#choices = options.choices ?? null;
    this.#drawUnits();
    this.#drawLast(options.recent ?? options.steps ?? []);
    this.#nameCells();
  }

  #drawUnits() {
    this.#tokens.clear();
    const movable = new Set((this.#choices?.moves ?? []).map((/** @type {Choice} */ move) => move[0]));
    fill(this.#layers.tokens, ...this.#units.map((unit) => {
      const token = drawUnit(unit, movable.has(unit.id));
      this.#tokens.set(unit.id, token);
      return token;
    }));
  }

  /** Marks the last moves: where each unit came from and where it went. @param {any[]} steps */
  #drawLast(steps) {
    fill(this.#layers.marks);
    for (const step of steps) {
      if (!step.from || !step.to) continue;
      this.#layers.marks.append(mark(step.from, "mark-last"), mark(step.to, "mark-last"));
      const [from, to] = [centre(step.from[0], step.from[1]), centre(step.to[0], step.to[1])];
      if (from[0] !== to[0] || from[1] !== to[1]) this.#layers.marks.append(svg("path", { class: "trace", d: `M${from[0]} ${from[1]}L${to[0]} ${to[1]}` }));
    }
  }

  #nameCells() {
    const units = new Map(this.#units.map((unit) => [cellKey(unit.x, unit.y), unit]));
    const reach = this.#selected && this.#choices ? reachOf(this.#choices.moves, this.#selected.id) : null;
    for (const [key, cell] of this.#cells) {
      const [x, y] = key.split(",").map(Number);
      const unit = units.get(key);
      const terrain = this.#ground.terrain[y][x];
      const words = [`${TERRAINS[terrain]} at ${x}, ${y}`];
      if (this.#ground.defence?.[terrain]) words.push(`defence ${this.#ground.defence[terrain]}`);
      if (unit) words.push(`${SIDES[unit.side]} ${unit.kind}, HP ${hpText(unit.hp)}${unit.acted ? ", acted" : ""}`);
      if (reach?.has(key)) words.push("in reach");
      cell.setAttribute("aria-label", words.join(", "));
      cell.setAttribute("tabindex", key === cellKey(...this.#cursor) ? "0" : "-1");
    }
  }

  /** Animates one unit's move and its attack. @param {any} step */
  async #play(step) {
    const token = this.#tokens.get(step.unit);
    if (!token || !step.from || !step.to) return;
    this.#layers.tokens.append(token);
    reveal(this, this.#cells.get(cellKey(step.to[0], step.to[1])));
    const [fx, fy] = [left(step.from[0]), left(step.from[1])];
    const [tx, ty] = [left(step.to[0]), left(step.to[1])];
    const steps = Math.abs(step.to[0] - step.from[0]) + Math.abs(step.to[1] - step.from[1]);
    if (steps) await animate(110 + 45 * Math.min(steps, 6), (share) => token.setAttribute("transform", `translate(${fx + share * (tx - fx)} ${fy + share * (ty - fy)})`));
    const target = step.target === undefined || step.target === null ? null : this.#units.find((unit) => unit.id === step.target);
    if (target) await this.#strike(token, [tx, ty], target, step);
  }

  /** @param {SVGElement} token @param {[number, number]} at @param {Unit} target @param {any} step */
  async #strike(token, [tx, ty], target, step) {
    const [vx, vy] = [left(target.x), left(target.y)];
    const reach = 0.25 * Math.min(1, CELL / (Math.hypot(vx - tx, vy - ty) || 1));
    await animate(140, (share) => {
      const lunge = Math.sin(share * Math.PI) * reach;
      token.setAttribute("transform", `translate(${tx + lunge * (vx - tx)} ${ty + lunge * (vy - ty)})`);
    });
    const numbers = [pill(vx + 20, vy + 4, lossText(step.dealt), "loss"), step.taken ? pill(tx + 20, ty + 4, lossText(step.taken), "loss") : null];
    for (const number of numbers) if (number) this.#layers.effects.append(number);
    await animate(420, (share) => numbers.forEach((number) => number?.setAttribute("opacity", String(1 - share * share))));
    numbers.forEach((number) => number?.remove());
  }

  /** Candidate moves as arrows. @param {import("../engine.js").Candidate[]} candidates */
  showCandidates(candidates) {
    fill(this.#layers.arrows);
    const most = Math.max(1, ...candidates.map((candidate) => candidate.visits));
    const taken = this.#units.map((unit) => box(centre(unit.x, unit.y), UNIT));
    /** @type {import("./board.js").Box[]} */
    const placed = [];
    const shown = candidates.slice(0, SHOWN);
    const labels = shown.map(({ move }, rank) => this.#drawLabel(move, [candidateLabel(candidates, rank), candidates.length > 1 ? String(rank + 1) : ""].filter(Boolean), taken, placed));
    const arrows = shown.map((candidate, rank) => this.#drawMove(candidate.move, rank === 0 ? "best" : "other", 2.5 + 4.5 * (candidate.visits / most)));
    this.#layers.arrows.append(...arrows.reverse().flat(), ...labels.reverse().flat()); // the best on top
  }

  /** A candidate's rank and chance to win, beside the units; the rank alone if there is no room for both.
   * @param {any} move @param {string[]} texts  the longest first
   * @param {import("./board.js").Box[]} taken @param {import("./board.js").Box[]} placed */
  #drawLabel(move, texts, taken, placed) {
    const unit = Array.isArray(move) && this.#units.find((other) => other.id === move[0]);
    if (!unit || !texts.length) return [];
    const [[x1, y1], [x2, y2]] = [centre(unit.x, unit.y), centre(move[1], move[2])];
    const along = ON_THE_WAY.map((share) => /** @type {[number, number]} */ ([x1 + share * (x2 - x1), y1 + share * (y2 - y1)]));
    const stays = x1 === x2 && y1 === y2;
    const around = [0, -20, 20].flatMap((aside) => [-26, 26].map((down) => /** @type {[number, number]} */ ([x1 + aside, y1 + down])));
    const label = labelPlace(texts, stays ? [...around, [x1 - 14, y1 - 14]] : along, taken, placed);
    return [pill(label.x, label.y, label.text, "arrow-label")];
  }

  /** @param {any} move @param {string} style @param {number} width */
  #drawMove(move, style, width) {
    if (!Array.isArray(move)) return [];
    const [id, x, y, target] = move;
    const unit = this.#units.find((other) => other.id === id);
    if (!unit) return [];
    const drawn = [];
    const from = centre(unit.x, unit.y);
    const to = centre(x, y);
    if (x !== unit.x || y !== unit.y) drawn.push(arrow(from, to, { class: `candidate ${style}`, width, short: 4 }));
    else drawn.push(svg("circle", { class: `candidate-stay ${style}`, cx: from[0], cy: from[1], r: 18 }));
    const victim = this.#units.find((other) => other.id === target);
    if (victim) drawn.push(arrow(to, centre(victim.x, victim.y), { class: `candidate strike ${style}`, width, short: 8 }));
    return drawn;
  }

  // The player's choice.

  deselect() {
    this.#selected = null;
    closePopover(this);
    this.#drawSelection();
  }

  /** Selects the next unit that can act. */
  next() {
    const ready = readyUnits(this.#choices?.moves ?? [], this.#units);
    if (!ready.length) return;
    const place = ready.findIndex((unit) => unit.id === this.#selected?.id);
    const unit = ready[(place + 1) % ready.length];
    this.#moveCursor(unit.x, unit.y);
    this.#select(unit);
  }

  /** @param {Unit} unit */
  #select(unit) {
    closePopover(this);
    this.#selected = unit;
    this.#drawSelection();
    if (this.#choices) {
      const attacks = bestAttacks(this.#choices.moves, unit.id);
      const reach = reachOf(this.#choices.moves, unit.id);
      if (reach.size) say(this, `${SIDES[unit.side]} ${unit.kind}: ${reach.size} cells in reach, ${counted(attacks.length, "target")}`, "aside");
    }
  }

  /** Describes a cell; without one, or for the selected unit's cell, describes the selection or how many units can still act. @param {Element | null} [cell] */
  #tellAbout(cell) {
    const moves = /** @type {Choice[]} */ (this.#choices?.moves ?? []);
    const unit = this.#selected;
    const waiting = readyUnits(moves, this.#units).length;
    let words = `${counted(waiting, "unit")} can act.`;
    const isSelected = unit && cell === this.#cells.get(cellKey(unit.x, unit.y));
    if (cell && !isSelected) words = `${cell.getAttribute("aria-label")}.`;
    else if (unit && bestAttacks(moves, unit.id).length) words = `${unit.kind}, HP ${hpText(unit.hp)}. On its targets: damage dealt | taken.`;
    else if (unit) words = `${SIDES[unit.side]} ${unit.kind}, HP ${hpText(unit.hp)}${moves.some((move) => move[0] === unit.id) ? ": no target in reach." : "."}`;
    this.#about.textContent = words;
  }

  #drawSelection() {
    if (!this.#layers.effects) return;
    fill(this.#layers.effects);
    fill(this.#layers.reach);
    this.#nameCells();
    this.#tellAbout();
    const unit = this.#selected;
    if (!unit) return;
    const moves = /** @type {Choice[]} */ (this.#choices?.moves ?? []);
    const threat = this.#choices?.threats?.[unit.id];
    const draw = (/** @type {string | number[]} */ cell, /** @type {string} */ style) => this.#layers.reach.append(mark(typeof cell === "string" ? cell.split(",").map(Number) : cell, style));
    if (threat) {
      for (const cell of strikes(this.#ground, unit, threat)) draw(cell, "mark-threat");
      for (const cell of threat) draw(cell, "mark-enemy-reach");
    }
    for (const key of reachOf(moves, unit.id)) draw(key, "mark-reach");
    draw([unit.x, unit.y], "mark-selected");
    for (const attack of bestAttacks(moves, unit.id)) {
      const target = this.#units.find((other) => other.id === attack[3]);
      if (!target) continue;
      draw([target.x, target.y], "mark-target");
      this.#layers.effects.append(pill(left(target.x) + CELL / 2, left(target.y) - 1, `${lossText(attack[4])} | ${lossText(attack[5])}`, "forecast"));
    }
  }

  /** @param {number} x @param {number} y */
  #onCell(x, y) {
    this.#moveCursor(x, y);
    const moves = /** @type {Choice[]} */ (this.#choices?.moves ?? []);
    const here = this.#units.find((unit) => unit.x === x && unit.y === y) ?? null;
    const selected = this.#selected;
    const mine = selected && moves.some((move) => move[0] === selected.id) ? selected : null;
    const hadMenu = this.querySelector(".popover") !== null;
    closePopover(this);
    if (mine && here && here.side !== mine.side && attacksOn(moves, mine.id, here.id).length) this.#askAttack(mine, here);
    else if (mine && here === mine && !hadMenu) this.#askAt(mine, x, y);
    else if (mine && (!here || here === mine) && reachOf(moves, mine.id).has(cellKey(x, y))) this.#askAt(mine, x, y);
    else if (here && here !== mine) this.#select(here);
    else {
      if (mine && !here) say(this, `${mine.kind} cannot go to ${x}, ${y}`, "refusal");
      this.deselect();
    }
  }

  /** A cell was chosen: go there at once, or ask what to do there. @param {Unit} unit @param {number} x @param {number} y */
  #askAt(unit, x, y) {
    const options = optionsAt(this.#choices.moves, unit.id, x, y);
    if (options.length === 1 && options[0][3] === NOBODY && (x !== unit.x || y !== unit.y)) this.#choose(options[0]);
    else this.#menu([x, y], `What ${unit.kind} does at ${x}, ${y}`, options, (option) => (option[3] === NOBODY ? (x === unit.x && y === unit.y ? "Stay" : "Move here") : this.#attackWords(option)));
  }

  /** A target was chosen: attack at once, or ask from where. @param {Unit} unit @param {Unit} target */
  #askAttack(unit, target) {
    const options = attacksOn(this.#choices.moves, unit.id, target.id);
    this.#menu([target.x, target.y], `How ${unit.kind} attacks ${target.kind}`, options.slice(0, 5), (option) => `From ${option[1]}, ${option[2]}`);
  }

  /** @param {Choice} option */
  #attackWords(option) {
    const target = this.#units.find((unit) => unit.id === option[3]);
    return `Attack ${target?.kind ?? ""}`;
  }

  /** @param {[number, number]} at @param {string} name @param {Choice[]} options @param {(option: Choice) => string} words */
  #menu(at, name, options, words) {
    const buttons = options.map((option) => {
      const entry = button(words(option), () => this.#choose(option), { class: "option" });
      if (option[3] !== NOBODY) {
        entry.append(html("span", { class: "exchange" }, html("span", { class: "dealt", title: "damage dealt" }, `deals ${hpOrNone(option[4])}`), html("span", { class: "taken", title: "damage taken" }, `takes ${hpOrNone(option[5])}`)));
      }
      entry.addEventListener("focus", () => this.#preview(option));
      entry.addEventListener("pointerenter", () => this.#preview(option));
      return entry;
    });
    const cancel = button("Cancel", () => this.#cancelMenu(), { class: "option quiet" });
    const cells = (/** @type {number[][]} */ all) => all.flatMap(([x, y]) => this.#cells.get(cellKey(x, y)) ?? []);
    const targets = this.#units.filter((unit) => unit === this.#selected || options.some((option) => option[3] === unit.id));
    const spoken = cells([at, ...targets.map((unit) => [unit.x, unit.y])]);
    popover(this, spoken, cells([...this.#units.map((unit) => [unit.x, unit.y]), ...options.map((option) => [option[1], option[2]])]), name, [...buttons, cancel], () => this.#cancelMenu());
  }

  #cancelMenu() {
    closePopover(this);
    this.#drawSelection();
    this.#focusCursor();
  }

  /** Draws a ghost of the unit at the cell where it would go. @param {Choice} option */
  #preview(option) {
    this.#layers.effects.querySelector(".ghost")?.remove();
    const unit = this.#selected;
    if (!unit) return;
    const group = svg("g", { class: "ghost" });
    if (unit.x !== option[1] || unit.y !== option[2]) group.append(drawUnit({ ...unit, x: option[1], y: option[2] }, false));
    const target = this.#units.find((other) => other.id === option[3]);
    if (target) group.append(arrow(centre(option[1], option[2]), centre(target.x, target.y), { class: "strike", width: 4, short: 9 }));
    this.#layers.effects.append(group);
  }

  /** @param {Choice} option */
  #choose(option) {
    this.deselect();
    this.#focusCursor();
    choose(this, option.slice(0, 4));
  }

  /** Ends the turn. While units can still act, the player must ask twice. */
  #endTurn() {
    const waiting = readyUnits(this.#choices.moves, this.#units).length;
    if (waiting && !this.#asked) {
      this.#asked = true;
      say(this, `${counted(waiting, "unit")} can still act: end the turn again to confirm`, "refusal");
      return;
    }
    choose(this, null);
  }

  // Keys.

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const steps = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
    const step = steps[event.key];
    if (step && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const x = Math.min(Math.max(this.#cursor[0] + step[0], 1), this.#ground.width - 2);
      const y = Math.min(Math.max(this.#cursor[1] + step[1], 1), this.#ground.height - 2);
      this.#moveCursor(x, y);
      this.#focusCursor();
    } else if (event.key === "Enter" || event.key === " ") this.#onCell(...this.#cursor);
    else if (event.key === "Escape") this.deselect();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} x @param {number} y */
  #moveCursor(x, y) {
    this.#cells.get(cellKey(...this.#cursor))?.setAttribute("tabindex", "-1");
    this.#cursor = [x, y];
    this.#cells.get(cellKey(x, y))?.setAttribute("tabindex", "0");
  }

  #focusCursor() {
    const cell = /** @type {any} */ (this.#cells.get(cellKey(...this.#cursor)));
    cell?.focus({ preventScroll: true });
    reveal(this, cell);
  }

  /** The player's controls beside the board. */
  controls() {
    if (!this.#choices) return [];
    this.#tellAbout();
    return [
      this.#about,
      html("div", { class: "row" }, button("Next unit", () => { this.next(); this.#focusCursor(); }, { sign: "next", key: "n" }), button("End turn", () => this.#endTurn(), { sign: "end", class: "primary", key: "e" })),
    ];
  }

  /** Keys that work anywhere on the page. @param {string} key */
  onShortcut(key) {
    if (!this.#choices) return false;
    if (key === "n") {
      this.next();
      this.#focusCursor();
    } else if (key === "e") this.#endTurn();
    else return false;
    return true;
  }

  /** The strength of each side in a few words. @param {import("../engine.js").View} view */
  strengths(view) {
    return [0, 1].map((side) => {
      const units = /** @type {Unit[]} */ (view.board.units).filter((unit) => unit.side === side);
      const hp = units.reduce((sum, unit) => sum + unit.hp, 0);
      return `${counted(units.length, "unit")}, ${hp ? hpText(hp) : 0} HP`;
    });
  }

  /** The side whose units are higher on the screen. @param {{units: Unit[]}} board */
  upper({ units }) {
    return upperSide(units);
  }

  /** The turn, and when the game ends at the latest. @param {import("../engine.js").View} view */
  clock(view) {
    const limit = this.#ground?.turn_limit;
    return limit ? `turn ${Math.min(view.turn + 1, limit)} of ${limit}` : `turn ${view.turn + 1}`;
  }
}
customElements.define("st-tubstap-board", TubstapBoard);

/** @param {number | null} hp */
const hpOrNone = (hp) => (hp ? hpText(hp) : "0");

/** @param {number} x @param {number} y @param {number} text */
function label(x, y, text) {
  return svg("text", { class: "coordinate", x, y, "text-anchor": "middle" }, text);
}

/** @param {number[]} cell @param {string} name */
function mark([x, y], name) {
  return svg("rect", { class: name, x: left(x) + 1, y: left(y) + 1, width: CELL - 2, height: CELL - 2, rx: 5 });
}

/** @param {Unit} unit @param {boolean} ready */
function drawUnit(unit, ready) {
  const hp = hpText(unit.hp);
  return svg(
    "g",
    { class: `unit side-${unit.side}${ready ? " ready" : ""}`, transform: `translate(${left(unit.x)} ${left(unit.y)})` },
    svg("use", { href: `#st-token-${unit.side}` }),
    svg("use", { href: `#st-kind-${KINDS.indexOf(unit.kind)}` }),
    unit.acted && svg("use", { href: `#st-veil-${unit.side}` }),
    svg("rect", { class: "hp-ground", x: 38.5 - Math.max(15, 5 + 5.8 * hp.length), y: 26.5, width: Math.max(15, 5 + 5.8 * hp.length), height: 12.5, rx: 4 }),
    svg("text", { class: "hp", x: 38.5 - Math.max(15, 5 + 5.8 * hp.length) / 2, y: 36.4, "text-anchor": "middle" }, hp),
  );
}
