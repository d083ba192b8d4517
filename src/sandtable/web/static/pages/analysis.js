/** The analysis board: a position of a game, a search that runs while you look, and lines to try. */

import { makeBoard } from "../boards/boards.js";
import { say } from "../boards/board.js";
import { button, fill, html, icon, inWords } from "../dom.js";
import { compared, drawComparison } from "../parts/comparison.js";
import { MoveList } from "../parts/moves.js";
import { SearchView } from "../parts/search.js";
import { ValueBar, ValueCurve } from "../parts/values.js";

const SIMULATIONS = [200, 1000, 5000, 20000];
const EXPECTED_SIMULATIONS = 64; // of the search for the other side's likely move

export class AnalysisPage extends HTMLElement {
  /** @type {import("../engine.js").Engine} */ #engine;
  /** @type {"game" | "replay"} */ #kind = "game";
  #id = "";
  #ply = 0;
  /** @type {import("../engine.js").Replay | null} */ #replay = null;
  /** @type {import("../parts/comparison.js").Tried[]} */ #line = [];
  /** @type {any} */ #position = null;
  /** @type {import("../engine.js").Analysis | null} */ #analysis = null;
  /** @type {any} */ #board = null;
  /** @type {string[]} */ #sides = ["Red", "Blue"];
  #simulations = 1000;
  #side = 0;
  #running = true; // not paused: every position shown is searched
  /** @type {() => void} */ #stop = () => undefined;
  /** @type {(() => void)[]} */ #endings = [];
  #bar = new ValueBar();
  #curve = new ValueCurve();
  #moves = new MoveList();
  #lineView = html("div", { class: "line" });
  #searchView = new SearchView();
  #searchToggle = button("Search", () => this.#toggleSearch(), { class: "search-toggle" });
  #controls = html("div", { class: "controls" });
  #comparison = html("div", { class: "comparison" });
  /** @type {import("../parts/comparison.js").Compared[]} */ #compared = [];

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
    document.title = `Analysis of ${inWords(name)} – Sandtable`;
    this.#bar.sides = this.#sides;
    this.#bar.upper = this.#board.upper(replay.views[0].board);
    this.#curve.onchoose = this.#moves.onchoose = (ply) => this.#goTo(ply);
    this.#searchView.words = (candidate) => this.#board.words?.(candidate.move) || candidate.sentence;
    this.#searchView.onchoose = (candidate) => this.#try(candidate.move);
    this.#searchView.onpreview = (candidates) => this.#position.view.over || this.#board.showCandidates(candidates);
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
        html("div", { class: "row search-row" }, amount, this.#searchToggle),
        this.#searchView,
        this.#comparison,
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
    position.sentences?.forEach((sentence, place) => this.#line[place] && (this.#line[place].sentence = sentence));
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

  /** @param {import("../engine.js").Move} move */
  async #try(move) {
    let tried = move;
    if (this.#position.view.movers.length > 1) {
      const [side, answer] = [this.#side, await this.#expected(1 - this.#side)];
      tried = side === 0 ? [move, answer] : [answer, move];
    }
    this.#line.push({ move: tried, sentence: "" });
    try {
      await this.#show();
    } catch (error) {
      this.#line.pop();
      say(this, /** @type {Error} */ (error).message, "refusal");
      await this.#show();
    }
  }

  /** A side's likely move in this position, in which both sides move at once. @param {number} side @returns {Promise<import("../engine.js").Move>} */
  #expected(side) {
    this.#stop();
    const question = { game: this.#replay?.game, position: this.#where(), line: this.#line.map((tried) => tried.move), simulations: EXPECTED_SIMULATIONS, side };
    return new Promise((resolve) => {
      this.#stop = this.#engine.analyse(question, (analysis) => analysis.done && resolve(analysis.candidates?.[0]?.move ?? []));
    });
  }

  #search() {
    this.#stop();
    if (!this.#running || this.#position.view.over) {
      this.#drawAnalysis();
      return;
    }
    const question = { game: this.#replay?.game, position: this.#where(), line: this.#line.map((tried) => tried.move), simulations: this.#simulations, side: this.#side };
    this.#stop = this.#engine.analyse(question, (analysis) => {
      this.#analysis = { ...this.#analysis, ...analysis };
      this.#drawAnalysis();
    });
    if (this.#analysis) this.#analysis.done = false; // the earlier search's result stays until the new one reports
    this.#drawAnalysis();
  }

  /** Labels the button with what it does: it pauses a running search, and otherwise starts a new one. */
  #drawSearchToggle() {
    const searching = this.#isSearching();
    fill(this.#searchToggle, icon(searching ? "pause" : "search"), html("span", null, searching ? "Pause" : "Search"));
    this.#searchToggle.disabled = this.#position.view.over;
  }

  #isSearching() {
    return this.#running && !this.#analysis?.done && !this.#position.view.over;
  }

  #toggleSearch() {
    this.#running = !this.#isSearching();
    this.#search();
  }

  #drawLine() {
    const { view } = this.#position;
    this.#moves.show(/** @type {import("../engine.js").Replay} */ (this.#replay).moves, this.#ply);
    const steps = this.#line.map((tried, place) => button(tried.sentence, () => { this.#line.length = place + 1; this.#show(); }, { class: "small tried" }));
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
    this.#drawSearchToggle();
    this.#compare(analysis);
    this.#curve.show(values, this.#ply, []);
    const { view } = this.#position;
    this.#bar.value = view.over ? outcome(view) : (analysis?.value ?? null);
    this.#searchView.show(view.over ? null : analysis, this.#side, this.#insteadOfFigures());
    this.#board.showCandidates(view.over ? [] : (analysis?.candidates ?? []));
  }

  /** Records the value of the current line, and shows it beside the other lines from this position. @param {import("../engine.js").Analysis | null} analysis */
  #compare(analysis) {
    const { view } = this.#position;
    const value = view.over ? outcome(view) : analysis?.value;
    if (this.#line.length && typeof value === "number") {
      this.#compared = compared(this.#compared, { ply: this.#ply, line: [...this.#line], value, simulations: view.over ? 0 : (analysis?.simulations ?? 0) });
    }
    const replay = /** @type {import("../engine.js").Replay} */ (this.#replay);
    const begin = replay.views[this.#ply];
    const side = begin.movers.length > 1 ? this.#side : (begin.movers[0] ?? 0);
    const next = replay.moves.filter((move) => move.ply === this.#ply);
    const played = replay.views[this.#ply + 1]?.board?.last;
    drawComparison(this.#comparison, this.#compared.filter((one) => one.ply === this.#ply), side, this.#line, (line) => { this.#line = [...line]; this.#show(); },
      played ? { move: played.length > 1 ? played : played[0], sentence: next.map((move) => move.sentence).join("; ") } : null);
  }

  #insteadOfFigures() {
    const { view } = this.#position;
    if (view.over) return view.winner === null ? "The game is drawn." : `${this.#sides[view.winner]} has won.`;
    return this.#running ? undefined : "The search is paused.";
  }
}
customElements.define("st-analysis", AnalysisPage);

/** The value of a position in which the game is over. @param {import("../engine.js").View} view */
const outcome = (view) => (view.winner === null ? 0 : 1 - 2 * view.winner);
