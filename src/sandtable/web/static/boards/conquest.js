/** The board of Conquest: deploy by clicking; march by dragging, by two clicks or by keys; then watch the turn step by step. */

import { button, counted, fill, html, svg } from "../dom.js";
import { animate, hasTouch, isMoving } from "../settings.js";
import { arrow, candidateLabel, choose, closePopover, pill, popover, reveal, say, scroller, upperSide } from "./board.js";
import { afterStep, deploy, deployed, free, isDeployment, march, towards } from "./conquest-orders.js";

/** @typedef {import("./conquest-orders.js").Order} Order */

const SIDES = ["red", "blue"];
// The texts for a mouse, and for a finger.
const DEPLOYING = [
  "Click your territories: each click deploys one army, with Shift five. Its order below has buttons for more.",
  "Tap your territories: each tap deploys one army. Its order below has buttons for more.",
];
const MARCHING = ["Drag from your land to a neighbour, or click one and then the other.", "Drag from your land to a neighbour, or tap one and then the other."];
const WIDE = 900; // wider maps scroll on a narrow screen, at this scale:
const LEAST_SCALE = 0.55;
const FAR = 0.7; // share of the map's width; a longer edge is drawn around the world

export class ConquestBoard extends HTMLElement {
  /** @type {any} */ #ground = null;
  /** @type {{owner: number[], armies: number[], income?: number[]}} */ #board = { owner: [], armies: [] };
  /** @type {any} */ #choices = null;
  /** @type {Order[]} */ #orders = [];
  /** @type {"deploy" | "march"} */ #mode = "deploy";
  /** @type {number | null} */ #source = null;
  /** @type {Set<number>[]} */ #neighbours = [];
  /** @type {Record<string, SVGElement>} */ #layers = {};
  /** @type {SVGElement[]} */ #territories = [];
  /** @type {SVGElement[]} */ #tokens = [];
  #cursor = 0;
  #side = 0;
  #skipping = false;
  /** @type {{source: number, before: number | null, x: number, y: number, moved: boolean} | null} */ #drag = null;
  /** @type {HTMLElement} */ #panel = html("div", { class: "orders" });
  /** @type {HTMLElement} */ #lastTurn = html("details", { class: "last-turn" });

  /** @param {any} ground */
  setGround(ground) {
    this.#ground = ground;
    this.#neighbours = ground.territories.map(() => new Set());
    for (const [a, b] of ground.edges) {
      this.#neighbours[a].add(b);
      this.#neighbours[b].add(a);
    }
    for (const name of ["roads", "last", "tokens", "orders", "arrows", "effects"]) this.#layers[name] = svg("g", { class: `layer-${name}`, "aria-hidden": "true" });
    this.#layers.territories = svg("g", { class: "layer-territories" });
    this.#territories = ground.territories.map((/** @type {any} */ _, /** @type {number} */ t) => this.#drawTerritory(t));
    this.#layers.territories.append(...this.#territories);
    this.#tokens = ground.territories.map(() => svg("g", { class: "token" }));
    fill(this.#layers.tokens, ...this.#tokens, ...ground.territories.map(drawName));
    for (const [a, b] of ground.edges) this.#layers.roads.append(this.#drawRoad(a, b));
    const tiles = svg("g", { class: "layer-tiles", "aria-hidden": "true" }, ...ground.territories.map((/** @type {any} */ _, /** @type {number} */ t) => this.#drawTile(t)));
    const picture = svg(
      "svg",
      { class: "board-picture", viewBox: `0 0 ${ground.width} ${ground.height}`, role: "group", "aria-label": "Map" },
      tiles,
      ...["roads", "last", "tokens", "territories", "orders", "arrows", "effects"].map((name) => this.#layers[name]),
    );
    this.#listen(picture);
    this.style.setProperty("--aspect", String(ground.width / ground.height));
    this.style.setProperty("--least", ground.width > WIDE ? `${LEAST_SCALE * ground.width}px` : "0");
    fill(this, scroller(picture));
  }

  /** @param {number} t */
  #outline(t) {
    return `M${this.#ground.territories[t].tile.map((/** @type {number[]} */ [x, y]) => `${x} ${y}`).join("L")}Z`;
  }

  /** @param {number} t */
  #bonus(t) {
    const { bonus } = this.#ground.territories[t];
    return bonus === null || bonus === undefined ? null : this.#ground.bonuses[bonus];
  }

  /** @param {number} t */
  #drawTile(t) {
    const bonus = this.#bonus(t);
    const tile = svg("path", { class: "tile", d: this.#outline(t) });
    tile.style.setProperty("--bonus", bonus?.colour ?? "#a8a192");
    tile.style.setProperty("--bonus-tint", bonus?.tint ?? "#e9e4d8");
    return tile;
  }

  /** @param {number} t */
  #drawTerritory(t) {
    return svg("path", { class: "territory", role: "button", tabindex: t === 0 ? 0 : -1, "data-territory": t, d: this.#outline(t) });
  }

  /** @param {number} a @param {number} b */
  #drawRoad(a, b) {
    const ways = this.#ways(a, b);
    return svg("path", { class: ways.length > 1 ? "road far" : "road", d: ways.map(([[x1, y1], [x2, y2]]) => `M${x1} ${y1}L${x2} ${y2}`).join("") });
  }

  /** The lines that lead from a territory to its neighbour: one, or two for an edge that leaves the map at one side and
   * comes back at the other. @param {number} a @param {number} b @returns {[[number, number], [number, number]][]} */
  #ways(a, b) {
    const [from, to] = [a, b].map((t) => /** @type {[number, number]} */ ([this.#ground.territories[t].x, this.#ground.territories[t].y - 6]));
    const { width } = this.#ground;
    if (Math.abs(from[0] - to[0]) <= FAR * width) return [[from, to]];
    const [out, back] = from[0] < to[0] ? [0, width] : [width, 0];
    const toEdge = Math.abs(from[0] - out);
    const y = from[1] + ((to[1] - from[1]) * toEdge) / (toEdge + Math.abs(to[0] - back) || 1);
    return [[from, [out, y]], [[back, y], to]];
  }

  /** A march along an edge. @param {number} a @param {number} b @param {{class: string, width: number, short: number, bend?: number, label?: string}} style */
  #marchArrows(a, b, style) {
    const ways = this.#ways(a, b);
    return ways.map(([from, to], place) => arrow(from, to, { ...style, bend: ways.length > 1 ? 0 : style.bend, label: place ? undefined : style.label }));
  }

  /**
   * Shows a position, after playing the steps that led to it.
   * @param {import("../engine.js").View} view
   * @param {{choices?: any, steps?: any[], side?: number}} [options]
   */
  async show(view, options = {}) {
    closePopover(this);
    this.#choices = null;
    this.#source = null;
    this.#orders = [];
    this.#drawOrders();
    this.showCandidates([]); // the candidates were orders of the previous position
    if (options.steps?.length) await this.#resolve(options.steps);
    this.#board = view.board;
    this.#drawLast(view.board.last ?? [], options.steps ?? []);
    this.#choices = options.choices ?? null;
    this.#side = options.side ?? view.movers[0] ?? 0;
    this.#mode = this.#choices?.income ? "deploy" : "march";
    this.#drawBoard();
    // Clears the panel of orders that can no longer be given; the steps of the turn stay while the others play.
    if (!this.#choices && (view.over || !options.steps?.length)) fill(this.#panel);
    if (view.over) this.#lastTurn.toggleAttribute("open", true);
    this.#drawPanel();
  }

  #drawBoard() {
    const tiles = this.querySelectorAll(".tile");
    this.#territories.forEach((territory, t) => {
      const owner = this.#board.owner[t];
      const planned = this.#orders.filter(isDeployment).find((order) => order[0] === t)?.[1];
      fill(this.#tokens[t], ...token(owner, this.#board.armies[t]), planned && pill(23, -19, `+${planned}`, "deployed"));
      const { name, x, y } = this.#ground.territories[t];
      this.#tokens[t].setAttribute("transform", `translate(${x} ${y - 6})`);
      const bonus = this.#bonus(t);
      const words = [name, owner < 0 ? "neutral" : SIDES[owner], counted(this.#board.armies[t], "army", "armies")];
      if (planned) words.push(`${planned} more deployed`);
      if (bonus) words.push(`bonus ${bonus.name}`);
      territory.setAttribute("aria-label", words.join(", "));
      territory.classList.toggle("mine", this.#isMine(t));
      territory.classList.toggle("source", t === this.#source);
      territory.classList.toggle("goal", this.#source !== null && this.#neighbours[this.#source].has(t));
      tiles[t].setAttribute("class", `tile owner-${owner}${t === this.#source ? " source" : ""}${territory.classList.contains("goal") ? " goal" : ""}`);
    });
  }

  /** @param {number} t */
  #isMine(t) {
    return this.#choices !== null && this.#board.owner[t] === this.#side;
  }

  /** The marches of the last turn, and its steps in words. @param {Order[][]} orders @param {any[]} steps */
  #drawLast(orders, steps) {
    fill(this.#layers.last, ...orders.flatMap((own, side) => own.flatMap((order) => (isDeployment(order) ? [] : this.#marchArrows(order[0], order[1], { class: `march last side-${side}`, width: 4, short: 18, bend: 0.05 })))));
    if (!orders.length) fill(this.#lastTurn);
    else if (steps.length) fill(this.#lastTurn, html("summary", null, "The last turn"), html("ol", { class: "steps" }, ...steps.map((step) => this.#stepItem(step))));
  }

  // The resolution.

  /** @param {any[]} steps */
  async #resolve(steps) {
    this.#skipping = !isMoving();
    fill(this.#panel, html("div", { class: "row" }, html("h3", { class: "grow" }, "The turn"), button("Skip", () => this.hurry(), { class: "small" })), html("ol", { class: "steps" }));
    const list = /** @type {Element} */ (this.#panel.querySelector(".steps"));
    for (const step of steps) {
      list.append(this.#stepItem(step));
      list.scrollTop = list.scrollHeight;
      if (!this.#skipping) await this.#play(step);
      this.#board = { ...this.#board, ...afterStep(this.#board, step) };
      this.#drawBoard();
      if (!this.#skipping) await animate(130, () => undefined);
      fill(this.#layers.effects);
    }
  }

  /** Skips to the end of the turn that is shown step by step. */
  hurry() {
    this.#skipping = true;
  }

  /** @param {any} step */
  async #play(step) {
    const places = this.#ground.territories;
    if (step.deploy) {
      const [side, t, count] = step.deploy;
      this.#layers.effects.append(pill(places[t].x, places[t].y - 32, `+${count}`, `gain side-${side}`));
      await animate(230, () => undefined);
      return;
    }
    const [side, source, target, count] = step.march;
    this.#layers.effects.append(...this.#marchArrows(source, target, { class: `march side-${side}`, width: 6, short: 16, label: String(count) }));
    await animate(280, () => undefined);
    const [lost, killed] = step.losses ?? [0, 0];
    if (lost) this.#layers.effects.append(pill(places[source].x, places[source].y - 32, `−${lost}`, "loss"));
    if (killed) this.#layers.effects.append(pill(places[target].x, places[target].y - 32, `−${killed}`, "loss"));
    if (lost || killed) await animate(320, () => undefined);
  }

  /** @param {any} step */
  #stepItem(step) {
    return html("li", { class: `side-${(step.deploy ?? step.march)[0]}` }, this.#stepWords(step));
  }

  /** @param {any} step */
  #stepWords(step) {
    const name = (/** @type {number} */ t) => this.#ground.territories[t].name;
    if (step.deploy) return `${SIDES[step.deploy[0]]} deploys ${step.deploy[2]} on ${name(step.deploy[1])}`;
    const [side, source, target, count] = step.march;
    const [lost, killed] = step.losses ?? [0, 0];
    const words = `${SIDES[side]} marches ${count} from ${name(source)} to ${name(target)}`;
    if (!lost && !killed && !step.captured) return words;
    return `${words}: loses ${lost}, kills ${killed}${step.captured ? ", takes it" : ", is beaten back"}`;
  }

  // Orders.

  /** @param {Order[]} orders */
  #setOrders(orders) {
    this.#orders = orders;
    if (this.#mode === "deploy" && deployed(orders) >= this.#choices.income) this.#mode = "march";
    this.#drawOrders();
    this.#drawBoard();
    this.#drawPanel();
  }

  #drawOrders() {
    if (!this.#layers.orders) return;
    fill(this.#layers.orders, ...this.#orders.flatMap((order) => {
      if (isDeployment(order)) return [];
      const [source, target, armies] = order;
      return this.#marchArrows(source, target, { class: `march planned side-${this.#side}`, width: 5, short: 17, bend: 0.08, label: String(armies) });
    }));
  }

  #drawPanel() {
    if (!this.#choices) return;
    const { income } = this.#choices;
    const left = income - deployed(this.#orders);
    const mode = (/** @type {"deploy" | "march"} */ name, /** @type {string} */ words, /** @type {string} */ key) => button(words, () => this.#setMode(name), { class: "segment", pressed: this.#mode === name, key });
    const more = (/** @type {Order} */ order, /** @type {string} */ words, /** @type {number} */ armies) => {
      const name = `${words} on ${this.#ground.territories[order[0]].name}`;
      return html("button", { type: "button", class: "button small", "aria-label": name, title: name, onclick: () => this.#setOrders(deploy(this.#orders, order[0], armies, income)) }, words);
    };
    const list = this.#orders.map((order, place) => html("li", null, html("span", { class: "grow" }, this.#orderWords(order)), isDeployment(order) && left > 5 ? more(order, "+5", 5) : null, isDeployment(order) && left ? more(order, `All +${left}`, left) : null, button(`Remove: ${this.#orderWords(order)}`, () => this.#setOrders(this.#orders.filter((_, i) => i !== place)), { sign: "cross", onlySign: true, class: "small bare" })));
    fill(
      this.#panel,
      html("div", { class: "segments", role: "group", "aria-label": `What a ${hasTouch() ? "tap" : "click"} does` }, mode("deploy", `Deploy (${left} left)`, "d"), mode("march", "March", "m")),
      html("p", { class: "quiet" }, this.#mode === "deploy" ? DEPLOYING[hasTouch() ? 1 : 0] : MARCHING[hasTouch() ? 1 : 0]),
      list.length ? html("ol", { class: "order-list", "aria-label": "Orders" }, ...list) : html("p", { class: "empty" }, "No orders yet."),
      html("div", { class: "row" }, button("Clear", () => this.#setOrders([]), { disabled: !list.length }), button("Send orders", () => this.#send(), { class: "primary", sign: "end", key: "e" })),
    );
  }

  /** @param {"deploy" | "march"} mode */
  #setMode(mode) {
    this.#mode = mode;
    this.#source = null;
    this.#drawBoard();
    this.#drawPanel();
    /** @type {HTMLElement | null} */ (this.#panel.querySelector("[aria-pressed=true]"))?.focus();
  }

  /** @param {Order} order */
  #orderWords(order) {
    const name = (/** @type {number} */ t) => this.#ground.territories[t].name;
    return isDeployment(order) ? `Deploy ${order[1]} on ${name(order[0])}` : `March ${order[2]}: ${name(order[0])} → ${name(order[1])}`;
  }

  #send() {
    const left = this.#choices.income - deployed(this.#orders);
    if (left > 0 && !this.#panel.dataset.asked) {
      this.#panel.dataset.asked = "yes";
      say(this, `${left} ${left === 1 ? "army is" : "armies are"} not deployed and will be lost: send again to confirm`, "refusal");
      return;
    }
    delete this.#panel.dataset.asked;
    choose(this, this.#orders);
  }

  /** @param {number} t @param {boolean} five */
  #onTerritory(t, five) {
    this.#moveCursor(t);
    closePopover(this);
    if (!this.#choices) return;
    if (this.#mode === "deploy") {
      if (!this.#isMine(t)) say(this, `${this.#ground.territories[t].name} is not yours: deploy armies on your own land`, "refusal");
      else this.#setOrders(deploy(this.#orders, t, five ? 5 : 1, this.#choices.income));
    } else if (this.#source === null || (this.#source !== t && !this.#neighbours[this.#source].has(t))) {
      this.#setSource(t);
    } else if (this.#source === t) this.#setSource(null);
    else this.#askAmount(this.#source, t);
  }

  /** @param {number | null} t */
  #setSource(t) {
    if (t !== null && !this.#isMine(t)) {
      say(this, `${this.#ground.territories[t].name} is not yours: march from your own land`, "refusal");
      t = null;
    }
    this.#source = t;
    this.#drawBoard();
    if (t !== null) say(this, `From ${this.#ground.territories[t].name}: choose a neighbour`, "aside");
  }

  /** @param {number} source @param {number} target */
  #askAmount(source, target) {
    if (!this.#neighbours[source].has(target)) {
      say(this, `${this.#ground.territories[target].name} is not a neighbour of ${this.#ground.territories[source].name}`, "refusal");
      this.#setSource(null);
      return;
    }
    const available = free(this.#board, this.#orders, source, target);
    const needed = this.#choices.needed?.[target] ?? null;
    const give = (/** @type {number} */ armies) => {
      closePopover(this);
      this.#source = null;
      this.#setOrders(march(this.#orders, source, target, armies));
      this.#focusCursor();
    };
    const input = html("input", { type: "number", min: 1, max: 1000000, value: Math.max(1, needed !== null && needed <= available ? needed : available), "aria-label": "Armies", class: "number" });
    input.addEventListener("keydown", (event) => event.key === "Enter" && give(Number(input.value)));
    popover(this, [this.#tokens[target], this.#tokens[source]], this.#tokens, `March to ${this.#ground.territories[target].name}`, [
      html("p", { class: "popover-title" }, `March to ${this.#ground.territories[target].name}`),
      html("div", { class: "row" }, button(`All ${available}`, () => give(available), { disabled: !available }), button(`Half ${Math.ceil(available / 2)}`, () => give(Math.ceil(available / 2)), { disabled: !available })),
      ...(needed === null ? [] : [button(needed <= available ? `Just enough: ${needed}` : `Needs ${needed}, ${needed - available} too few`, () => give(needed), { class: "option" })]),
      html("div", { class: "row" }, input, button("March", () => give(Number(input.value)), { class: "primary" })),
    ], () => {
      closePopover(this);
      this.#setSource(null);
      this.#focusCursor();
    });
  }

  // Pointer and keys.

  /** @param {SVGElement} picture */
  #listen(picture) {
    const at = (/** @type {PointerEvent} */ event) => {
      const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-territory]");
      return found instanceof SVGElement && this.contains(found) ? Number(found.dataset.territory) : null;
    };
    picture.addEventListener("pointerdown", (/** @type {any} */ event) => {
      const t = at(event);
      if (t !== null && event.button === 0) this.#drag = { source: t, before: this.#source, x: event.clientX, y: event.clientY, moved: false };
    });
    picture.addEventListener("pointermove", (/** @type {any} */ event) => this.#onDrag(event, picture));
    picture.addEventListener("pointerup", (/** @type {any} */ event) => {
      const drag = this.#drag;
      const t = at(event);
      if (!drag || t === null || (t !== drag.source && !drag.moved)) return this.#endDrag();
      this.#drag = null;
      fill(this.#layers.effects);
      if (t !== drag.source) return this.#askAmount(drag.source, t);
      this.#source = drag.before; // a finger trembles: a drag that ends where it began is a click
      this.#onTerritory(t, event.shiftKey);
    });
    picture.addEventListener("pointercancel", () => this.#endDrag());
    // A finger that drags a march must not scroll the page. (Chromium ignores touch-action on parts of an SVG picture.)
    picture.addEventListener("touchmove", (event) => this.#drag && this.#isMine(this.#drag.source) && event.cancelable && event.preventDefault(), { passive: false });
    picture.addEventListener("keydown", (/** @type {any} */ event) => this.#onKey(event));
  }

  /** Ends a drag that does not give an order. */
  #endDrag() {
    const moved = this.#drag?.moved;
    this.#drag = null;
    if (!moved) return;
    fill(this.#layers.effects);
    this.deselect();
  }

  /** @param {PointerEvent} event @param {SVGElement} picture */
  #onDrag(event, picture) {
    const drag = this.#drag;
    if (!drag || !this.#isMine(drag.source)) return;
    if (!event.buttons) return this.#endDrag(); // the button was released outside the map
    drag.moved ||= Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 8;
    if (!drag.moved) return;
    const box = picture.getBoundingClientRect();
    const scale = this.#ground.width / box.width;
    const from = this.#ground.territories[drag.source];
    this.#source = drag.source;
    this.#drawBoard();
    fill(this.#layers.effects, arrow([from.x, from.y - 6], [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale], { class: `march side-${this.#side}`, width: 5, short: 4 }));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const directions = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
    if (event.key in directions) {
      this.#moveCursor(towards(this.#ground.territories, this.#cursor, directions[event.key]));
      this.#focusCursor();
    } else if (event.key === "Enter" || event.key === " ") this.#onTerritory(this.#cursor, event.shiftKey);
    else if (event.key === "Escape") this.deselect();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} t */
  #moveCursor(t) {
    this.#territories[this.#cursor].setAttribute("tabindex", "-1");
    this.#cursor = t;
    this.#territories[t].setAttribute("tabindex", "0");
  }

  #focusCursor() {
    this.#territories[this.#cursor].focus({ preventScroll: true });
    reveal(this, this.#territories[this.#cursor]);
  }

  deselect() {
    closePopover(this);
    this.#source = null;
    this.#drawBoard();
  }

  /** Shows the best candidate's orders; those of several candidates could not be told apart. Its rank and chance to win are
   * drawn above the territory of its largest order. @param {import("../engine.js").Candidate[]} candidates */
  showCandidates(candidates) {
    const places = this.#ground.territories;
    const [best] = candidates;
    const orders = /** @type {Order[]} */ (Array.isArray(best?.move) ? best.move : []);
    const drawn = orders.flatMap((order) => {
      const at = places[order[0]];
      if (isDeployment(order)) return [pill(at.x - 24, at.y - 25, `+${order[1]}`, "arrow-label")];
      return this.#marchArrows(order[0], order[1], { class: "candidate best", width: 5, short: 16, label: String(order[2]) });
    });
    const label = candidateLabel(candidates, 0);
    fill(this.#layers.arrows, ...drawn, label && pill(...this.#labelSpot(orders, label), label, "arrow-label chance"));
  }

  /** The place of the label: above the territory of the largest order. @param {Order[]} orders @param {string} label @returns {[number, number]} */
  #labelSpot(orders, label) {
    const { territories, width } = this.#ground;
    const [main] = [...orders].sort((a, b) => b[b.length - 1] - a[a.length - 1]);
    const at = main ? territories[main[0]] : { x: 0, y: 0 };
    const half = 8 + 4.5 * label.length;
    return [Math.min(Math.max(at.x, half), width - half), Math.max(at.y - 46, 12)];
  }

  /** A turn's orders in short notation, since the sentences of many candidates begin alike. @param {Order[]} orders */
  words(orders) {
    const name = (/** @type {number} */ t) => this.#ground.territories[t].name;
    return orders.map((order) => (isDeployment(order) ? `+${order[1]} ${name(order[0])}` : `${name(order[0])} → ${name(order[1])} ${order[2]}`)).join(" · ");
  }

  controls() {
    return [this.#panel, this.#lastTurn, this.#drawBonuses()];
  }

  #drawBonuses() {
    const rows = this.#ground.bonuses.map((/** @type {any} */ bonus) => {
      const held = [0, 1].map((side) => bonus.territories.filter((/** @type {number} */ t) => this.#board.owner[t] === side).length);
      const swatch = html("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.setProperty("--bonus", bonus.colour);
      return html("li", null, swatch, html("span", { class: "grow" }, bonus.name), html("span", { class: "quiet" }, `${held[0]} : ${held[1]} of ${bonus.territories.length}`), html("strong", null, `+${bonus.value}`));
    });
    return html("details", { class: "bonuses" }, html("summary", null, "Bonuses"), html("ul", null, ...rows));
  }

  /** Keys that work anywhere on the page. @param {string} key */
  onShortcut(key) {
    if (!this.#choices) return false;
    if (key === "e") this.#send();
    else if (key === "d" || key === "m") this.#setMode(key === "d" ? "deploy" : "march");
    else return false;
    return true;
  }

  /** The strength of each side in a few words. @param {import("../engine.js").View} view */
  strengths(view) {
    const { owner, armies, income } = view.board;
    return [0, 1].map((side) => {
      const land = owner.filter((/** @type {number} */ other) => other === side).length;
      const total = armies.reduce((/** @type {number} */ sum, /** @type {number} */ count, /** @type {number} */ t) => sum + (owner[t] === side ? count : 0), 0);
      return `${counted(land, "territory", "territories")}, ${counted(total, "army", "armies")}, income ${income[side]}`;
    });
  }

  /** The side whose land is higher on the screen. @param {{owner: number[]}} board */
  upper({ owner }) {
    return upperSide(owner.map((side, t) => ({ side, y: this.#ground.territories[t].y })));
  }

  /** @param {import("../engine.js").View} view */
  clock(view) {
    return `turn ${view.turn + 1}`;
  }
}
customElements.define("st-conquest-board", ConquestBoard);

/** @param {number} owner @param {number} armies */
function token(owner, armies) {
  const shapes = [
    svg("circle", { class: "token-shape side-0", r: 20 }),
    svg("rect", { class: "token-shape side-1", x: -18.5, y: -18.5, width: 37, height: 37, rx: 8 }),
  ];
  const shape = shapes[owner] ?? svg("circle", { class: "token-shape neutral", r: 17 });
  return [shape, svg("text", { class: owner < 0 ? "armies neutral" : "armies", y: 6, "text-anchor": "middle" }, armies)];
}

/** @param {{name: string, x: number, y: number}} territory */
function drawName({ name, x, y }) {
  return svg("text", { class: "name", x, y: y + 27, "text-anchor": "middle" }, ...nameLines(name).map((line, i) => svg("tspan", { x, dy: i ? 11 : 0 }, line)));
}

/** A name on one line or two. @param {string} name */
function nameLines(name) {
  if (name.length <= 11 || !name.includes(" ")) return [name];
  const spaces = [...name.matchAll(/ /g)].map((found) => found.index);
  const middle = spaces.reduce((best, place) => (Math.abs(place - name.length / 2) < Math.abs(best - name.length / 2) ? place : best));
  return [name.slice(0, middle), name.slice(middle + 1)];
}
