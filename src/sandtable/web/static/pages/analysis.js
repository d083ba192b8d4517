/** The analysis board: a position of a game, a search that runs while you look, and lines to try. */

import { makeBoard } from "../boards/boards.js";
import { say } from "../boards/board.js";
import { button, fill, html } from "../dom.js";
import { MoveList } from "../parts/moves.js";
import { SearchView } from "../parts/search.js";
import { ValueBar, ValueCurve } from "../parts/values.js";

const SIMULATIONS = [200, 1000, 5000, 20000];

export class AnalysisPage extends HTMLElement {
  /** @type {import("../engine.js").Engine} */ #engine;
  /** @type {"game" | "replay"} */ #kind = "game";
  #id = "";
  #ply = 0;
  /** @type {import("../engine.js").Replay | null} */ #replay = null;
  /** @type {{move: import("../engine.js").Move, sentence: string, value: number | null}[]} */ #line = [];
  /** @type {any} */ #position = null;
  /** @type {import("../engine.js").Analysis | null} */ #analysis = null;
  /** @type {any} */ #board = null;
  /** @type {string[]} */ #sides = ["Red", "Blue"];
  #simulations = 1000;
  #side = 0;
  #running = true;
  /** @type {() => void} */ #stop = () => undefined;
  /** @type {(() => void)[]} */ #endings = [];
  #bar = new ValueBar();
  #curve = new ValueCurve();
  #moves = new MoveList();
  #lineView = html("div", { class: "line" });
  #searchView = new SearchView();
  #controls = html("div", { class: "controls" });

  /** @param {import("../engine.js").Engine} [engine] @param {"game" | "replay"} [kind] @param {string} [id] @param {number} [ply] */
  constructor(engine, kind, id, ply) {
    super();
    this.#engine = /** @type {any} */ (engine);
    this.#kind = kind ?? "game";
    this.#id = id ?? "";
    this.#ply = ply ?? 0;
  }

  async connectedCallback() {
    this.classList.add("table");
    this.addEventListener("choose", (event) => this.#try(/** @type {CustomEvent} */ (event).detail.move));
    try {
      const [replay, games] = await Promise.all([this.#engine.replay(this.#id), this.#engine.games()]);
      this.#replay = replay;
      const game = games.find((other) => other.name === replay.game);
      this.#sides = game?.sides ?? this.#sides;
      this.#board = await makeBoard(this.#engine, replay.game, replay.views[0], replay.ground);
      this.#ply = Math.min(this.#ply, replay.views.length - 1);
      this.#build(replay);
      await this.#show();
      const onKey = (/** @type {KeyboardEvent} */ event) => this.#onKey(event);
      document.addEventListener("keydown", onKey);
      this.#endings = [() => document.removeEventListener("keydown", onKey), this.#engine.onConnection((connected) => connected && this.#search())];
      if (!this.isConnected) this.disconnectedCallback();
    } catch (error) {
      fill(this, html("p", { class: "empty" }, /** @type {Error} */ (error).message), html("a", { class: "button", href: "#/" }, "Choose another game"));
    }
  }

  disconnectedCallback() {
    this.#stop();
    for (const end of this.#endings) end();
  }

  /** @param {import("../engine.js").Replay} replay */
  #build(replay) {
    const name = typeof replay.map === "string" ? replay.map : replay.map.name;
    document.title = `Analysis of ${name} – Sandtable`;
    this.#bar.sides = this.#sides;
    this.#curve.onchoose = this.#moves.onchoose = (ply) => this.#goTo(ply);
    this.#searchView.onchoose = (candidate) => this.#try(candidate.move, candidate.sentence);
    const amount = html("select", { "aria-label": "Simulations", onchange: () => { this.#simulations = Number(amount.value); this.#search(); } }, ...SIMULATIONS.map((count) => html("option", { value: count, selected: count === this.#simulations }, `${count.toLocaleString("en")} simulations`)));
    const back = this.#kind === "game" ? `#/game/${this.#id}` : `#/replay/${this.#id}`;
    fill(
      this,
      html("section", { class: "board-column tall", "aria-label": "Board" }, html("div", { class: "board-row" }, this.#bar, this.#board)),
      html(
        "aside",
        { class: "panel side-panel", "aria-label": "Analysis" },
        html("div", { class: "row" }, html("h1", { class: "map-name grow" }, "Analysis"), html("a", { class: "button small", href: back }, "Back to the game")),
        this.#lineView,
        html("div", { class: "row" }, amount, button("Search", () => { this.#running = !this.#running; this.#search(); }, { sign: "search", class: "search-toggle", pressed: true })),
        this.#searchView,
        this.#controls,
        this.#curve,
        this.#moves,
      ),
    );
  }

  #last() {
    return /** @type {import("../engine.js").Replay} */ (this.#replay).views.length - 1;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const plies = /** @type {Record<string, number>} */ ({ ArrowLeft: this.#ply - 1, ArrowRight: this.#ply + 1, Home: 0, End: this.#last() });
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (!(event.key in plies) || isTyping || document.querySelector("dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#goTo(plies[event.key]);
  }

  /** @param {number} ply */
  #goTo(ply) {
    this.#ply = Math.max(0, Math.min(ply, this.#last()));
    this.#line = [];
    history.replaceState(null, "", `#/analysis/${this.#kind}/${this.#id}/${this.#ply}`);
    this.#show();
  }

  /** @returns {import("../engine.js").Position} */
  #where() {
    return this.#kind === "game" ? { game_id: this.#id, ply: this.#ply } : { replay_id: this.#id, ply: this.#ply };
  }

  async #show() {
    this.#stop();
    this.#analysis = null;
    const position = await this.#engine.line(this.#where(), this.#line.map((tried) => tried.move));
    this.#position = position;
    if (!position.view.movers.includes(this.#side)) this.#side = position.view.movers[0] ?? 0;
    const mine = position.choices?.side === this.#side;
    await this.#board.show(position.view, { choices: mine ? position.choices : null, side: this.#side });
    this.#drawLine();
    this.#drawControls();
    this.#search();
  }

  #drawControls() {
    const tools = this.#board.controls();
    fill(this.#controls, ...(tools.length ? [html("details", { class: "try" }, html("summary", null, "Try a move"), ...tools)] : []));
  }

  /** @param {import("../engine.js").Move} move @param {string} [sentence] */
  async #try(move, sentence) {
    const both = this.#position.view.movers.length > 1;
    // Where both sides move at once, the other is taken to do nothing.
    const tried = both ? (this.#side === 0 ? [move, []] : [[], move]) : move;
    const value = this.#analysis?.value ?? null;
    this.#line.push({ move: tried, sentence: sentence ?? this.#words(move), value });
    try {
      await this.#show();
    } catch (error) {
      this.#line.pop();
      say(this, /** @type {Error} */ (error).message, "refusal");
      await this.#show();
    }
  }

  /** @param {import("../engine.js").Move} move */
  #words(move) {
    const found = this.#analysis?.candidates.find((candidate) => JSON.stringify(candidate.move) === JSON.stringify(move));
    if (found) return found.sentence;
    return move === null ? "end of the turn" : `your move ${this.#line.length + 1}`;
  }

  #search() {
    this.#stop();
    this.querySelector(".search-toggle")?.setAttribute("aria-pressed", String(this.#running));
    if (!this.#running || this.#position.view.over) {
      this.#drawAnalysis();
      return;
    }
    const question = { game: this.#replay?.game, position: this.#where(), line: this.#line.map((tried) => tried.move), simulations: this.#simulations, side: this.#side };
    this.#stop = this.#engine.analyse(question, (analysis) => {
      this.#analysis = { ...this.#analysis, ...analysis };
      this.#drawAnalysis();
    });
    this.#drawAnalysis();
  }

  #drawLine() {
    const { view } = this.#position;
    this.#moves.show(/** @type {import("../engine.js").Replay} */ (this.#replay).moves, this.#ply);
    const steps = this.#line.map((tried, place) => button(tried.sentence, () => { this.#line.length = place + 1; this.#show(); }, { class: "small" }));
    fill(
      this.#lineView,
      html("div", { class: "row" }, button("Previous position", () => this.#goTo(this.#ply - 1), { sign: "back", onlySign: true, class: "small", key: "ArrowLeft", disabled: this.#ply === 0 }), html("span", { class: "grow centred" }, `Position ${this.#ply}`, html("span", { class: "quiet" }, view.over ? " · over" : ` · ${view.movers.map((/** @type {number} */ side) => this.#sides[side]).join(" and ")} to move`)), button("Next position", () => this.#goTo(this.#ply + 1), { sign: "forward", onlySign: true, class: "small", key: "ArrowRight", disabled: this.#ply === this.#last() })),
      view.movers.length > 1 ? html("div", { class: "segments", role: "group", "aria-label": "Search for" }, ...[0, 1].map((side) => button(this.#sides[side], () => { this.#side = side; this.#show(); }, { class: "segment", pressed: side === this.#side }))) : null,
      this.#line.length ? html("div", { class: "chips", "aria-label": "The line tried", role: "group" }, button("Take back", () => { this.#line.pop(); this.#show(); }, { sign: "undo", class: "small" }), ...steps) : null,
    );
  }

  #drawAnalysis() {
    const analysis = this.#analysis;
    const values = [.../** @type {import("../engine.js").Replay} */ (this.#replay).values];
    if (analysis && typeof analysis.value === "number" && !this.#line.length) values[this.#ply] = analysis.value;
    this.#curve.show(values, this.#ply, []);
    const { view } = this.#position;
    this.#bar.value = view.over ? (view.winner === null ? 0 : 1 - 2 * view.winner) : (analysis?.value ?? null);
    this.#searchView.show(view.over ? null : analysis, this.#side, this.#insteadOfFigures());
    this.#board.showCandidates(view.over ? [] : (analysis?.candidates ?? []));
  }

  #insteadOfFigures() {
    const { view } = this.#position;
    if (view.over) return view.winner === null ? "The game is drawn." : `${this.#sides[view.winner]} has won.`;
    return this.#running ? undefined : "The search is paused.";
  }
}
customElements.define("st-analysis", AnalysisPage);
