/**
 * The one interface between the page and an engine. ServerEngine speaks to the server's HTTP and WebSocket; a
 * WebAssembly build or a file with a finished game can stand in its place.
 */

/** @typedef {any} Move  as a bot sends it (docs/protocol.md); opaque to everything but its board */
/** @typedef {{ply: number, turn: number, movers: number[], over: boolean, winner: number | null, reason: string | null, board?: any, svg?: string, text?: string}} View  text: in place of a board */
/** @typedef {{id: string, number: number, game: string, sides: {title: string}[], winner: number | null}} OpenedGame */
/** @typedef {{ply: number, side: number, sentence: string, notation: string, steps?: any[]}} PlayedMove */
/** @typedef {{kind: "human" | "player", level?: string, title: string}} Seat */
/** @typedef {{id: string, game: string, map: {id: string, name: string}, seed: number, sides: Seat[], ground?: any, begin?: any, view: View, choices: any, pending: number[], since: number, moves: PlayedMove[], values: (number | null)[], can_undo: boolean, thinking: {side: number, queue: number} | null}} GameState  since: the ply from which on moves and values are told; 0 in all that an engine hands over */
/** @typedef {{side: number, move: Move, sentence: string, steps: any[]}} Played */
/** @typedef {{game: string, map: {id: string, name: string}, sides: Seat[], winner: number | null, reason: string | null, ground?: any, can_save?: boolean, views: View[], moves: PlayedMove[], values: (number | null)[]}} Replay */
/** @typedef {{move: Move, sentence: string, notation: string, visits: number, value: number, prior: number | null, pv: string[]}} Candidate */
/** @typedef {{value: number | null, candidates: Candidate[], nodes: number, seconds: number, simulations?: number, done: boolean, queue: number | null, error?: string}} Analysis */
/** @typedef {{game_id: string, ply: number} | {replay_id: string, ply: number}} Position */
/** @typedef {{id: string, name: string, size: string, rules: string, comment: string}} MapEntry */
/** @typedef {{name: string, title: string, elo: [number, number, number] | null, about: string}} Level */
/** @typedef {{name: string, options: {name: string, default: any, low?: number, high?: number}[]}} Generator */
/** @typedef {{name: string, title: string, about: string, how: string[], simultaneous: boolean, sides: string[], has_board: boolean, maps: MapEntry[], generators: Generator[], levels: Level[]}} GameEntry */
/** @typedef {{id: string, game: string, map: string, sides: string[], over: boolean, winner: number | null, when: number}} Kept  when: in seconds since 1970, as Python counts them */

/**
 * @typedef {object} Engine
 * @property {() => Promise<GameEntry[]>} games
 * @property {(game: string) => Promise<string>} symbols  the drawings of a game, an SVG text
 * @property {(game: string, id: string) => string} thumbnail  an address
 * @property {(file: File) => Promise<any>} openMap
 * @property {(question: {game: string, generator: string, options: object, seed: number}) => Promise<any>} generate
 * @property {(file: Blob) => Promise<{replays: OpenedGame[]}>} openRecords
 * @property {() => Promise<Kept[]>} kept
 * @property {(id: string) => Promise<any>} remove  a kept game
 * @property {(id: string) => Promise<Replay>} replay
 * @property {(id: string) => string} recordAddress
 * @property {(what: object) => Promise<{game_id: string, state: GameState}>} newGame
 * @property {(game_id: string) => Promise<{state: GameState}>} join
 * @property {(game_id: string, ply: number, move: Move, side?: number) => Promise<any>} move
 * @property {(game_id: string) => Promise<any>} undo
 * @property {(game_id: string, side: number) => Promise<any>} resign
 * @property {(game_id: string) => Promise<{move: Move, sentence: string, value: number | null}>} hint
 * @property {(position: Position, line: Move[]) => Promise<{view: View, choices: any, ground?: any, sentences?: string[]}>} line
 * @property {(question: object, onProgress: (analysis: Analysis) => void) => () => void} analyse  returns what stops it
 * @property {(game_id: string, listener: (state: GameState, played: Played[]) => void) => () => void} watch  returns what ends it
 * @property {(listener: (connected: boolean) => void) => () => void} onConnection
 * @property {boolean} canAnalyse  a file with a finished game cannot
 */

const ANSWER_SECONDS = 60;

/** A seed for a new game or map. */
export const randomSeed = (below = 2 ** 32 - 1) => Math.floor(Math.random() * below);

/**
 * Merges the known state of a game with an update from the server, which holds only the latest moves. Null if moves between
 * them are missing.
 * @param {GameState | undefined} known @param {GameState} told @returns {GameState | null}
 */
export function merge(known, told) {
  if (!told.since && told.ground !== undefined) return told;
  if (!known || known.view.ply < told.since) return null;
  const moves = [...known.moves.filter((move) => move.ply < told.since), ...told.moves];
  return { ...told, since: 0, ground: known.ground, moves, values: [...known.values.slice(0, told.since), ...told.values] };
}

/** @implements {Engine} */
export class ServerEngine {
  canAnalyse = true;
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {Promise<WebSocket> | null} */ #opening = null;
  #number = 0;
  #attempts = 0;
  /** @type {Map<number, {resolve: (ok: any) => void, reject: (error: Error) => void, timer: any}>} */ #waiting = new Map();
  /** @type {Map<string, Set<(state: GameState, played: Played[]) => void>>} */ #watchers = new Map();
  /** @type {Map<string, GameState>} */ #states = new Map(); // the latest known states of the watched games
  /** @type {Map<string, (analysis: Analysis) => void>} */ #analyses = new Map();
  /** @type {Set<(connected: boolean) => void>} */ #onConnection = new Set();

  games() {
    return this.#get("/api/games");
  }

  /** @param {string} game */
  async symbols(game) {
    const answer = await fetch(`/static/symbols/${encodeURIComponent(game)}.svg`);
    return answer.ok ? answer.text() : "";
  }

  /** @param {string} game @param {string} id */
  thumbnail(game, id) {
    return `/api/maps/${encodeURIComponent(game)}/${encodeURIComponent(id)}.svg`;
  }

  /** @param {File} file */
  openMap(file) {
    return this.#get(`/api/maps?name=${encodeURIComponent(file.name.replace(/\.[^.]*$/, ""))}`, { method: "POST", body: file });
  }

  /** @param {object} question */
  generate(question) {
    return this.#get("/api/maps/generate", { method: "POST", body: JSON.stringify(question), headers: { "content-type": "application/json" } });
  }

  /** @param {Blob} file */
  openRecords(file) {
    return this.#get("/api/records", { method: "POST", body: file });
  }

  kept() {
    return this.#get("/api/kept");
  }

  /** @param {string} id */
  remove(id) {
    return this.#get(`/api/kept/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  /** @param {string} id */
  replay(id) {
    return this.#get(`/api/replays/${encodeURIComponent(id)}`);
  }

  /** @param {string} id */
  recordAddress(id) {
    return `/api/kept/${encodeURIComponent(id)}/record`;
  }

  /** @param {object} what */
  async newGame(what) {
    return this.#keep(await this.#ask("new_game", what));
  }

  /** @param {string} game_id */
  async join(game_id) {
    return this.#keep(await this.#ask("join", { game_id }));
  }

  /** @template {{state: GameState}} T @param {T} answer */
  #keep(answer) {
    this.#states.set(answer.state.id, answer.state);
    return answer;
  }

  /** @param {string} game_id @param {number} ply @param {Move} move @param {number} [side] */
  move(game_id, ply, move, side) {
    return this.#ask("move", side === undefined ? { game_id, ply, move } : { game_id, ply, move, side });
  }

  /** @param {string} game_id */
  undo(game_id) {
    return this.#ask("undo", { game_id });
  }

  /** @param {string} game_id @param {number} side */
  resign(game_id, side) {
    return this.#ask("resign", { game_id, side });
  }

  /** @param {string} game_id */
  hint(game_id) {
    return this.#ask("hint", { game_id });
  }

  /** @param {Position} position @param {Move[]} line */
  line(position, line) {
    return this.#ask("line", { position, line });
  }

  /** @param {object} question @param {(analysis: Analysis) => void} onProgress */
  analyse(question, onProgress) {
    const analysis_id = `a${++this.#number}`;
    this.#analyses.set(analysis_id, onProgress);
    this.#ask("analyse", { analysis_id, ...question }).catch((error) => {
      if (this.#analyses.delete(analysis_id)) {
        onProgress({ value: null, candidates: [], nodes: 0, seconds: 0, done: true, queue: null, error: error.message });
      }
    });
    return () => {
      if (this.#analyses.delete(analysis_id)) this.#ask("stop", { analysis_id }).catch(() => undefined);
    };
  }

  /** @param {string} game_id @param {(state: GameState, played: Played[]) => void} listener */
  watch(game_id, listener) {
    const listeners = this.#watchers.get(game_id) ?? new Set();
    this.#watchers.set(game_id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (!listeners.size) this.#states.delete(game_id);
      // Players think only while their game is watched.
      if (!listeners.size && this.#socket) this.#ask("unwatch", { game_id }).catch(() => undefined);
    };
  }

  /** @param {(connected: boolean) => void} listener */
  onConnection(listener) {
    this.#onConnection.add(listener);
    return () => this.#onConnection.delete(listener);
  }

  /** @param {string} path @param {RequestInit} [request] */
  async #get(path, request) {
    let answer;
    try {
      answer = await fetch(path, request);
    } catch {
      throw new Error("The server does not answer.");
    }
    const content = await answer.json().catch(() => null);
    if (!answer.ok) throw new Error(content?.error ?? `The server answered ${answer.status}.`);
    return content;
  }

  /** @returns {Promise<WebSocket>} */
  #open() {
    this.#opening ??= new Promise((resolve, reject) => {
      const address = new URL("/api/live", location.href);
      address.protocol = address.protocol.replace("http", "ws");
      const socket = new WebSocket(address);
      socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
      socket.onopen = () => {
        this.#socket = socket;
        this.#attempts = 0;
        resolve(socket);
        for (const listener of this.#onConnection) listener(true);
      };
      socket.onclose = () => {
        reject(new Error("The server does not answer."));
        this.#lost();
      };
    });
    return this.#opening;
  }

  /** Rejects all waiting requests, and reconnects after a delay that doubles with every failure. */
  #lost() {
    this.#socket = this.#opening = null;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error("The connection to the server was lost."));
    }
    this.#waiting.clear();
    for (const listener of this.#onConnection) listener(false);
    const seconds = Math.min(8, 0.25 * 2 ** this.#attempts++);
    setTimeout(() => this.#open().catch(() => undefined), 1000 * seconds);
  }

  /** @param {string} what @param {object} fields @returns {Promise<any>} */
  async #ask(what, fields) {
    const socket = this.#socket ?? (await this.#open());
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error("The server did not answer in time."));
      }, 1000 * ANSWER_SECONDS);
      this.#waiting.set(id, { resolve, reject, timer });
      socket.send(JSON.stringify({ id, do: what, ...fields }));
    });
  }

  /** @param {GameState} told @param {Played[]} played */
  async #tell(told, played) {
    const state = merge(this.#states.get(told.id), told);
    const listeners = this.#watchers.get(told.id) ?? new Set();
    if (state) {
      this.#states.set(told.id, state);
      for (const listener of listeners) listener(state, played);
    } else if (listeners.size) {
      const answer = await this.join(told.id).catch(() => null); // if the connection is lost, its listeners join again
      if (answer) for (const listener of listeners) listener(answer.state, []);
    }
  }

  /** @param {any} message */
  #receive(message) {
    const waiting = this.#waiting.get(message.re);
    if (waiting) {
      this.#waiting.delete(message.re);
      clearTimeout(waiting.timer);
      if ("error" in message) waiting.reject(new Error(message.error));
      else waiting.resolve(message.ok);
    } else if (message.event === "game") {
      this.#tell(message.state, message.played ?? []);
    } else if (message.event === "queue") {
      const state = this.#states.get(message.game_id);
      if (state?.thinking) this.#tell({ ...state, thinking: { ...state.thinking, queue: message.place } }, []);
    } else if (message.event === "analysis") {
      this.#analyses.get(message.analysis_id)?.(message);
      if (message.done) this.#analyses.delete(message.analysis_id);
    }
  }
}
