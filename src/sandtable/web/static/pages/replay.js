/** The replay of a game: step through it move by move, with the curve of its values and the moves as sentences. */

import { makeBoard } from "../boards/boards.js";
import { button, fill, html, icon, inWords } from "../dom.js";
import { turningPoints } from "../parts/evaluation.js";
import { MoveList } from "../parts/moves.js";
import { playerStrip, sideSign } from "../parts/players.js";
import { ValueBar, ValueCurve } from "../parts/values.js";

const SECONDS_PER_MOVE = 0.9;
const SIMULATIONS = 100; // per position, to find turning points
const SHOWN = 8; // most turning points in the list

export class ReplayPage extends HTMLElement {
  /** @type {import("../engine.js").Engine} */ #engine;
  #id = "";
  #ply = 0;
  /** @type {import("../engine.js").Replay | null} */ #replay = null;
  /** @type {any} */ #board = null;
  /** @type {string[]} */ #sides = ["Red", "Blue"];
  #playing = false;
  #runs = 0; // number of playbacks started; a paused one ends when it sees that the number has changed
  #showing = Promise.resolve();
  #shown = -1; // the position on the board, which may lag behind
  /** @type {{ply: number, side: number, loss: number}[]} */ #turning = [];
  /** @type {(() => void)[]} */ #endings = [];
  #bar = new ValueBar();
  #curve = new ValueCurve();
  #moves = new MoveList();
  #strips = [html("div"), html("div")];
  #counter = html("span", { class: "quiet" });
  #status = html("p", { class: "led", "aria-live": "polite" }); // below the buttons, so that they do not move
  #scrubber = html("input", { type: "range", class: "scrubber", min: 0, "aria-label": "Position", oninput: () => this.#go(Number(this.#scrubber.value)) });
  #evaluating = false;
  #turningView = html("div", { class: "turning-points" });
  #transport = html("div", { class: "row transport", role: "group", "aria-label": "Replay" });
  #links = html("div", { class: "row links" });

  /** @param {import("../engine.js").Engine} [engine] @param {string} [id] @param {number} [ply] */
  constructor(engine, id, ply) {
    super();
    this.#engine = /** @type {any} */ (engine);
    this.#id = id ?? "";
    this.#ply = ply ?? 0;
  }

  async connectedCallback() {
    this.classList.add("table");
    const onKey = (/** @type {KeyboardEvent} */ event) => this.#onKey(event);
    document.addEventListener("keydown", onKey);
    this.#endings = [() => document.removeEventListener("keydown", onKey), () => (this.#playing = false)];
    try {
      const [replay, games] = await Promise.all([this.#engine.replay(this.#id), this.#engine.games()]);
      this.#replay = replay;
      this.#sides = games.find((game) => game.name === replay.game)?.sides ?? this.#sides;
      this.#board = await makeBoard(this.#engine, replay.game, replay.views[0], replay.ground);
    } catch (error) {
      fill(this, html("p", { class: "empty" }, /** @type {Error} */ (error).message), html("a", { class: "button", href: "#/" }, "Choose another game"));
      return;
    }
    this.#build(this.#replay);
    this.#go(Math.min(this.#ply, this.#last()));
  }

  disconnectedCallback() {
    for (const end of this.#endings) end();
  }

  #last() {
    return /** @type {import("../engine.js").Replay} */ (this.#replay).views.length - 1;
  }

  /** @param {import("../engine.js").Replay} replay */
  #build(replay) {
    const name = inWords(typeof replay.map === "string" ? replay.map : replay.map.name);
    document.title = `${name} – Sandtable`;
    this.#bar.sides = this.#sides;
    const upper = (this.#bar.upper = this.#board.upper(replay.views[0].board));
    this.#scrubber.max = String(this.#last());
    this.#moves.onchoose = this.#curve.onchoose = (ply) => this.#go(ply);
    const result = replay.winner === null ? "Draw" : `${this.#sides[replay.winner]} won`;
    fill(
      this,
      html("section", { class: "board-column", "aria-label": "Board" }, this.#strips[upper], html("div", { class: "board-row" }, this.#bar, this.#board), this.#strips[1 - upper]),
      html(
        "aside",
        { class: "panel side-panel", "aria-label": "Replay" },
        html("h1", { class: "map-name" }, name),
        html("p", { class: "status-line" }, html("strong", null, result + (replay.reason ? ` (${replay.reason})` : "")), this.#counter),
        this.#scrubber,
        this.#transport,
        this.#links,
        this.#status,
        this.#curve,
        this.#turningView,
        this.#moves,
      ),
    );
    this.#drawTransport();
    this.#drawTurning();
  }

  /** Draws the list of turning points, and a button to search the positions that have no value. */
  #drawTurning() {
    const replay = /** @type {import("../engine.js").Replay} */ (this.#replay);
    this.#turning = turningPoints(replay.values, replay.moves);
    const unknown = replay.views.filter((view, ply) => !view.over && replay.values[ply] === null).length;
    const offer = this.#engine.canAnalyse && unknown ? button(this.#evaluating ? `Stop (${unknown} to go)` : "Find turning points", () => this.#evaluate(), { sign: "search" }) : null;
    const list = worst(this.#turning).map((point) => {
      const entry = button(`Move ${point.ply}, −${Math.round(50 * point.loss)}%`, () => this.#go(point.ply), { class: "small" });
      entry.prepend(sideSign(point.side), html("span", { class: "visually-hidden" }, this.#sides[point.side]));
      return entry;
    });
    fill(this.#turningView, offer, list.length ? html("h2", null, "Turning points") : null, list.length ? html("div", { class: "chips" }, ...list) : null);
    this.#curve.show(replay.values, this.#ply, this.#turning);
    this.#moves.show(replay.moves, this.#ply, this.#turning);
  }

  /** Searches every position that has no value, one after the other. */
  async #evaluate() {
    this.#evaluating = !this.#evaluating;
    const replay = /** @type {import("../engine.js").Replay} */ (this.#replay);
    for (const view of replay.views) {
      if (view.over || replay.values[view.ply] !== null) continue;
      this.#drawTurning();
      const value = await new Promise((resolve) => {
        if (!this.#evaluating || !this.isConnected) return resolve(null);
        this.#engine.analyse({ game: replay.game, position: { replay_id: this.#id, ply: view.ply }, line: [], simulations: SIMULATIONS }, (analysis) => {
          if (analysis.done) resolve(analysis.value);
        });
      });
      if (typeof value !== "number") break;
      replay.values[view.ply] = value;
      if (view.ply === this.#ply) this.#drawBar();
    }
    this.#evaluating = false;
    this.#drawTurning();
  }

  #drawTransport() {
    const step = (/** @type {string} */ name, /** @type {string} */ sign, /** @type {() => number} */ ply, /** @type {string} */ key) => button(name, () => { this.#pause(); this.#go(ply()); }, { sign, onlySign: true, key });
    fill(
      this.#transport,
      step("First position", "first", () => 0, "Home"),
      step("Previous move", "back", () => this.#ply - 1, "ArrowLeft"),
      button(this.#playing ? "Pause" : "Play", () => this.#toggle(), { sign: this.#playing ? "pause" : "play", onlySign: true, class: "primary play", key: "Space" }),
      step("Next move", "forward", () => this.#ply + 1, "ArrowRight"),
      step("Last position", "last", () => this.#last(), "End"),
    );
  }

  /** Draws the links to the analysis of this position and to the game's record. */
  #drawLinks() {
    fill(
      this.#links,
      this.#engine.canAnalyse ? html("a", { class: "button", href: `#/analysis/replay/${this.#id}/${this.#ply}` }, icon("chart"), html("span", null, "Analyse")) : null,
      this.#replay?.can_save ? html("a", { class: "button", href: this.#engine.recordAddress(this.#id), download: "game.jsonl" }, icon("download"), html("span", null, "Save record")) : null,
    );
  }

  #drawBar() {
    const replay = /** @type {import("../engine.js").Replay} */ (this.#replay);
    const view = replay.views[this.#ply];
    this.#bar.value = view.over ? (view.winner === null ? 0 : 1 - 2 * view.winner) : (replay.values[this.#ply] ?? null);
  }

  /** @param {number} ply */
  #go(ply) {
    const replay = /** @type {import("../engine.js").Replay} */ (this.#replay);
    this.#ply = Math.max(0, Math.min(ply, this.#last()));
    const view = replay.views[this.#ply];
    const led = replay.moves.filter((move) => move.ply === this.#ply - 1);
    const steps = led.flatMap((move) => move.steps ?? []);
    this.#board.hurry?.();
    this.#showing = this.#showing.then(async () => {
      if (this.#ply !== view.ply) return; // another position has been chosen since
      await this.#board.show(view, { steps: this.#shown === view.ply - 1 ? steps : [], recent: steps });
      this.#shown = view.ply;
    });
    this.#drawBar();
    this.#scrubber.value = String(this.#ply);
    this.#scrubber.setAttribute("aria-valuetext", `Position ${this.#ply} of ${this.#last()}`);
    const isTogether = (replay.views[this.#ply - 1]?.movers.length ?? 1) > 1;
    fill(this.#status, html("span", { class: "sentence" }, led.length ? led.map((move) => (isTogether ? `${this.#sides[move.side]} ${move.sentence}` : move.sentence)).join("; ") : "The start"));
    this.#counter.textContent = `${this.#ply} / ${this.#last()}`;
    const strengths = this.#board.strengths(view);
    [0, 1].forEach((side) => fill(this.#strips[side], playerStrip(side, this.#sides[side], `${this.#sides[side]}: ${replay.sides[side].title}`, strengths[side], { active: view.movers.includes(side), won: replay.winner === side })));
    this.#curve.show(replay.values, this.#ply, this.#turning);
    this.#moves.show(replay.moves, this.#ply, this.#turning);
    this.#drawLinks();
  }

  async #toggle() {
    this.#playing = !this.#playing;
    if (this.#playing && this.#ply === this.#last()) this.#go(0);
    this.#drawTransport();
    /** @type {HTMLElement | null} */ (this.#transport.querySelector(".play"))?.focus();
    const run = ++this.#runs;
    while (this.#playing && this.#runs === run && this.#ply < this.#last()) {
      this.#go(this.#ply + 1);
      await this.#showing;
      await new Promise((resolve) => setTimeout(resolve, 1000 * SECONDS_PER_MOVE));
    }
    if (this.#runs === run && this.isConnected) this.#pause();
  }

  #pause() {
    if (!this.#playing) return;
    this.#playing = false;
    this.#drawTransport();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#replay || event.target === this.#scrubber || document.querySelector("dialog")) return;
    const plies = /** @type {Record<string, number>} */ ({ ArrowLeft: this.#ply - 1, ArrowRight: this.#ply + 1, Home: 0, End: this.#last() });
    if (event.key in plies) {
      this.#pause();
      this.#go(plies[event.key]);
    } else if (event.key === " " && !(event.target instanceof HTMLButtonElement)) this.#toggle();
    else return;
    event.preventDefault();
  }
}
customElements.define("st-replay", ReplayPage);

/** The turning points with the greatest losses, in the order of the game. @param {{ply: number, side: number, loss: number}[]} turning */
function worst(turning) {
  const least = turning.map((point) => point.loss).sort((a, b) => b - a)[SHOWN - 1] ?? 0;
  return turning.filter((point) => point.loss >= least);
}
