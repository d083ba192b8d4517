/** A game that is being played. */

import { makeBoard } from "../boards/boards.js";
import { say } from "../boards/board.js";
import { button, fill, html, icon, inWords } from "../dom.js";
import { randomSeed } from "../engine.js";
import { confirm } from "../parts/confirm.js";
import { percent } from "../parts/evaluation.js";
import { MoveList } from "../parts/moves.js";
import { playerStrip } from "../parts/players.js";
import { showRules } from "../parts/rules.js";
import { SearchView } from "../parts/search.js";
import { ValueBar, ValueCurve } from "../parts/values.js";

const SIMULATIONS = 1000; // of the live analysis

export class PlayPage extends HTMLElement {
  /** @type {import("../engine.js").Engine} */ #engine;
  #id = "";
  /** @type {import("../engine.js").GameState | null} */ #state = null;
  /** @type {any} */ #board = null;
  #busy = false;
  #changes = 0; // counts changes of what is shown
  #showing = Promise.resolve();
  /** @type {(() => void)[]} */ #endings = [];
  /** @type {import("../engine.js").Played[]} */ #recent = [];
  /** @type {import("../engine.js").GameEntry | undefined} */ #game;
  /** @type {string[]} */ #sides = ["Red", "Blue"];
  /** @type {string | null} */ #hint = null;
  #bar = new ValueBar();
  #curve = new ValueCurve();
  #moves = new MoveList();
  #strips = [html("div"), html("div")];
  #status = html("div", { class: "game-status" });
  #controls = html("div", { class: "controls" });
  #search = new SearchView();
  #isAnalysing = false;
  /** @type {() => void} */ #stop = () => undefined;

  /** @param {import("../engine.js").Engine} [engine] @param {string} [id] */
  constructor(engine, id) {
    super();
    this.#engine = /** @type {any} */ (engine);
    this.#id = id ?? "";
  }

  async connectedCallback() {
    this.classList.add("table");
    this.addEventListener("choose", (event) => this.#play(/** @type {CustomEvent} */ (event).detail.move));
    const onKey = (/** @type {KeyboardEvent} */ event) => this.#onKey(event);
    document.addEventListener("keydown", onKey);
    this.#endings = [
      () => document.removeEventListener("keydown", onKey),
      this.#engine.watch(this.#id, (state, played) => this.#update(state, played)),
      this.#engine.onConnection((connected) => connected && this.#board && this.#join()),
    ];
    this.#search.hidden = true;
    this.#search.action = "Play this move";
    this.#search.words = (candidate) => this.#board.words?.(candidate.move) || candidate.sentence;
    this.#search.onchoose = (candidate) => this.#play(candidate.move);
    this.#search.onpreview = (candidates) => this.#board.showCandidates(candidates);
    this.#moves.onchoose = (ply) => (location.hash = `#/analysis/game/${this.#id}/${ply}`);
    this.#curve.onchoose = this.#moves.onchoose;
    await this.#join();
  }

  disconnectedCallback() {
    this.#stop();
    for (const end of this.#endings) end();
  }

  async #join() {
    try {
      const isNew = !this.#board;
      const listing = isNew ? this.#engine.games().catch(() => []) : []; // the board works without it
      const { state } = await this.#engine.join(this.#id);
      // Do not await anything between this answer and showing it: the next update is newer.
      if (!isNew) this.#update(state, []);
      const games = await listing;
      if (!this.isConnected) return;
      if (isNew) {
        this.#game = games.find((one) => one.name === state.game);
        this.#sides = this.#game?.sides ?? this.#sides;
        this.#board = await makeBoard(this.#engine, state.game, state.view, state.ground);
        this.#build(state);
      }
      // An update that came while the board was made is newer than the answer.
      const told = this.#state && this.#state.view.ply >= state.view.ply ? this.#state : state;
      if (isNew) {
        this.#state = null;
        this.#update(told, []);
      }
    } catch (error) {
      if (!this.#board) fill(this, html("p", { class: "empty" }, /** @type {Error} */ (error).message), html("a", { class: "button", href: "#/" }, "Choose another game"));
    }
  }

  /** @param {import("../engine.js").GameState} state */
  #build(state) {
    this.#bar.sides = this.#sides;
    const upper = (this.#bar.upper = this.#board.upper(state.begin));
    fill(
      this,
      html("section", { class: "board-column", "aria-label": "Board" }, this.#strips[upper], html("div", { class: "board-row" }, this.#bar, this.#board), this.#strips[1 - upper]),
      html("aside", { class: "panel side-panel", "aria-label": "Game" }, html("div", { class: "row" }, html("h1", { class: "map-name grow" }, inWords(state.map.name)), this.#game?.how.length ? button("How to play", () => showRules(/** @type {any} */ (this.#game)), { class: "link" }) : null), this.#status, this.#controls, this.#search, this.#curve, this.#moves),
    );
  }

  /** @param {import("../engine.js").GameState} state @param {import("../engine.js").Played[]} played */
  #update(state, played) {
    const before = this.#state;
    this.#state = state;
    this.#busy = false;
    if (!this.#board) return;
    if (before && !played.length && isSame(before, state)) {
      // A player began to think, or the server reconnected: the person's unfinished input stays.
      this.#showing = this.#showing.then(() => this.#drawStrips(state));
      return;
    }
    this.#hint = null;
    const steps = played.flatMap((move) => move.steps ?? []);
    const mine = played.length > 0 && state.sides[played[0].side]?.kind === "human" && state.view.board?.units;
    if (state.view.ply < (before?.view.ply ?? 0)) this.#recent = [];
    else if (played.length) this.#recent = mine ? played : inARow([...this.#recent, ...played]);
    const recent = this.#recent.flatMap((move) => move.steps ?? []);
    const change = ++this.#changes;
    this.#closeChoices(state);
    // Positions that arrive during an animation wait, and the panels beside the board are updated only with the board.
    this.#showing = this.#showing.then(async () => {
      if (steps.length > 0 && this.#game?.simultaneous) fill(this.#status, html("p", { class: "status-line" }, html("strong", null, "The orders are carried out")));
      await this.#board.show(state.view, { choices: state.choices, side: state.choices?.side, steps, recent });
      this.#drawStrips(state);
      this.#drawCourse(state);
      if (this.#changes !== change) return;
      this.#drawPanel();
      this.#analyseLive();
    });
  }

  /** @param {import("../engine.js").GameState} state */
  #drawStrips(state) {
    const strengths = this.#board.strengths(state.view);
    [0, 1].forEach((side) => {
      const thinking = state.thinking?.side === side ? (state.thinking.queue ? `waiting, place ${state.thinking.queue}` : "thinking …") : null;
      const { kind, title } = state.sides[side];
      const person = state.sides[1 - side].kind === "human" ? this.#sides[side] : `${this.#sides[side]} (you)`;
      const isAwaited = state.view.movers.includes(side) && !state.pending.includes(side);
      fill(this.#strips[side], playerStrip(side, this.#sides[side], kind === "human" ? person : `${this.#sides[side]}: ${title}`, strengths[side], { active: isAwaited, thinking, won: state.view.over && state.view.winner === side }));
    });
    const last = [...state.values].reverse().find((value) => value !== null);
    this.#bar.value = state.view.over ? (state.view.winner === null ? 0 : 1 - 2 * state.view.winner) : (last ?? null);
  }

  /** Disables at once the controls that no longer apply, although the panel is redrawn only after the board. @param {import("../engine.js").GameState} state */
  #closeChoices(state) {
    this.dataset.turn = "";
    const close = (/** @type {string} */ key, /** @type {boolean} */ open) => open || this.#controls.querySelector(`[aria-keyshortcuts="${key}"]`)?.setAttribute("disabled", "");
    close("u", state.can_undo);
    close("h", !!state.choices);
  }

  #drawPanel() {
    const state = /** @type {import("../engine.js").GameState} */ (this.#state);
    const { view } = state;
    document.title = `${state.choices ? "Your turn – " : ""}${inWords(state.map.name)} – Sandtable`;
    fill(this.#status, view.over ? html("p", { class: "verdict" }, verdict(state)) : null, html("p", { class: "status-line" }, html("strong", null, this.#statusWords(state)), html("span", { class: "quiet" }, view.over ? "" : this.#board.clock(view))), this.#hint ? html("p", { class: "hint" }, this.#hint) : null, /** @type {any} */ (state).error ? html("p", { class: "refused" }, /** @type {any} */ (state).error) : null);
    const human = state.choices?.side ?? state.sides.findIndex((side) => side.kind === "human");
    fill(
      this.#controls,
      ...this.#board.controls(),
      view.over
        ? this.#afterwards(state)
        : html(
            "div",
            { class: "row tools" },
            this.#mayUndo(state) ? button("Undo", () => this.#ask(() => this.#engine.undo(this.#id)), { sign: "undo", disabled: !state.can_undo, key: "u" }) : null,
            button("Hint", () => this.#showHint(), { sign: "hint", disabled: !state.choices, key: "h" }),
            button("Live analysis", () => this.#toggleAnalysis(), { sign: "search", pressed: this.#isAnalysing, class: "toggle", key: "t" }),
            html("a", { class: "button", href: `#/analysis/game/${this.#id}/${view.ply}` }, icon("chart"), html("span", null, "Analyse")),
            human >= 0 ? button("Resign", () => this.#resign(human), { sign: "flag" }) : null,
          ),
    );
    this.dataset.turn = state.choices ? "mine" : "";
  }

  /** Whether undo can ever apply: in a game of simultaneous turns against a player, a turn is played as soon as it is given.
   * @param {import("../engine.js").GameState} state */
  #mayUndo(state) {
    return state.can_undo || !this.#game?.simultaneous || state.sides.every((side) => side.kind === "human");
  }

  /** Draws the moves and the values of the game so far. @param {import("../engine.js").GameState} state */
  #drawCourse({ moves, values, view }) {
    this.#moves.show(moves, view.ply);
    this.#curve.show(values, view.ply, []);
  }

  /** @param {import("../engine.js").GameState} state */
  #statusWords(state) {
    const { view } = state;
    if (view.over) return (view.winner === null ? "Draw" : `${this.#sides[view.winner]} won`) + (view.reason ? ` (${view.reason})` : "");
    if (state.choices) return state.sides.every((side) => side.kind === "human") ? `${this.#sides[state.choices.side ?? view.movers[0]]} to move` : "Your turn";
    return `${view.movers.map((side) => this.#sides[side]).join(" and ")} to move`;
  }

  /** The controls after the game is over. @param {import("../engine.js").GameState} state */
  #afterwards(state) {
    const levels = this.#game?.levels ?? [];
    const opponent = state.sides.find((side) => side.kind === "player");
    const canRepeat = state.sides.every((side) => side.kind === "human" || side.level);
    const beaten = state.view.winner !== null && state.sides[state.view.winner].kind === "human" ? levels.findIndex((level) => level.name === opponent?.level) : -1;
    const next = beaten >= 0 ? levels[beaten + 1] : undefined;
    return html(
      "div",
      { class: "row tools" },
      next ? button(`Next: ${next.title}`, () => this.#again(next.name), { class: "primary" }) : null,
      canRepeat ? button("Play again", () => this.#again(), { class: next ? "" : "primary" }) : null,
      html("a", { class: "button", href: `#/replay/${this.#id}` }, "Replay"),
      html("a", { class: "button", href: "#/" }, "New game"),
      html("a", { class: "button", href: this.#engine.recordAddress(this.#id), download: "game.jsonl" }, "Save record"),
    );
  }

  /** Starts a new game on the same map with the same seats. @param {string} [level]  a different level for the players */
  #again(level) {
    const { game, map, sides } = /** @type {import("../engine.js").GameState} */ (this.#state);
    const seats = sides.map((side) => (side.kind === "human" ? { kind: "human" } : { kind: "player", level: level ?? side.level }));
    this.#ask(async () => {
      const { game_id } = await this.#engine.newGame({ game, map: map.id, seed: randomSeed(), sides: seats });
      location.hash = `#/game/${game_id}`;
    });
  }

  /** @param {import("../engine.js").Move} move */
  #play(move) {
    const state = /** @type {import("../engine.js").GameState} */ (this.#state);
    if (this.#busy || !state.choices) return;
    this.#busy = true;
    const side = state.view.movers.length > 1 ? state.choices.side : undefined;
    this.#ask(() => this.#engine.move(this.#id, state.view.ply, move, side));
  }

  async #showHint() {
    say(this, "Searching …");
    await this.#ask(async () => {
      const hint = await this.#engine.hint(this.#id);
      this.#hint = `Hint: ${hint.sentence}${typeof hint.value === "number" ? ` (${percent(hint.value)} to win)` : ""}`;
      this.#board.showCandidates([{ move: hint.move, visits: 1, value: hint.value, sentence: hint.sentence, notation: "", prior: null, pv: [] }]);
      this.#drawPanel();
      say(this, this.#hint, "aside");
    });
  }

  #toggleAnalysis() {
    this.#isAnalysing = !this.#isAnalysing;
    this.#board.showCandidates([]);
    this.#drawPanel();
    this.#analyseLive();
  }

  /** Searches the position in which the person is to move, and shows the results as they come. */
  #analyseLive() {
    this.#stop();
    this.#stop = () => undefined;
    const state = /** @type {import("../engine.js").GameState} */ (this.#state);
    this.#search.hidden = !this.#isAnalysing || !state.choices;
    if (this.#search.hidden) return this.#search.show(null, 0);
    const side = state.choices.side ?? state.view.movers[0];
    /** @type {any} */ let found = null;
    this.#search.show(found, side);
    const question = { game: state.game, position: { game_id: this.#id, ply: state.view.ply }, line: [], simulations: SIMULATIONS, side };
    this.#stop = this.#engine.analyse(question, (analysis) => {
      found = { ...found, ...analysis };
      this.#search.show(found, side);
      this.#board.showCandidates(found.candidates ?? []);
      if (typeof found.value === "number") this.#bar.value = found.value;
    });
  }

  /** @param {number} side */
  #resign(side) {
    const twoPeople = this.#state?.sides.every((one) => one.kind === "human");
    const question = twoPeople ? `Resign this game for ${this.#sides[side]}?` : "Resign this game?";
    confirm("Resign", question, "Keep playing", "Resign", () => this.#ask(() => this.#engine.resign(this.#id, side)));
  }

  /** @param {() => Promise<any>} question */
  async #ask(question) {
    try {
      const answer = await question();
      if (answer?.state) this.#update(answer.state, answer.played ?? []);
    } catch (error) {
      this.#busy = false;
      say(this, /** @type {Error} */ (error).message, "refusal");
    }
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || document.querySelector("dialog, .popover")) return;
    const state = this.#state;
    if (event.key === "u" && state?.can_undo) this.#ask(() => this.#engine.undo(this.#id));
    else if (event.key === "h" && state?.choices) this.#showHint();
    else if (event.key === "t" && state && !state.view.over) this.#toggleAnalysis();
    else if (!this.#board?.onShortcut(event.key)) return;
    event.preventDefault();
  }
}
customElements.define("st-play", PlayPage);

/** Whether two states look the same on the page. @param {import("../engine.js").GameState} a @param {import("../engine.js").GameState} b */
function isSame(a, b) {
  return JSON.stringify([a.view, a.choices, a.can_undo]) === JSON.stringify([b.view, b.choices, b.can_undo]);
}

/** The last moves in a row by one side. @param {import("../engine.js").Played[]} moves */
function inARow(moves) {
  const side = moves[moves.length - 1].side;
  let begin = moves.length - 1;
  while (begin > 0 && moves[begin - 1].side === side) begin--;
  return moves.slice(begin);
}

/** The result of a game in a word; if a single person played, from that person's point of view. @param {import("../engine.js").GameState} state */
function verdict({ view, sides }) {
  const people = sides.flatMap((side, number) => (side.kind === "human" ? [number] : []));
  if (view.winner === null || people.length !== 1) return "Game over";
  return people[0] === view.winner ? "Victory" : "Defeat";
}
