/** The start page: choose a game, a map and an opponent, or continue a stored game. */

import { button, fill, html, icon, inWords } from "../dom.js";
import { say } from "../boards/board.js";
import { randomSeed } from "../engine.js";
import { confirm } from "../parts/confirm.js";
import { showRules } from "../parts/rules.js";
import { sideSign } from "../parts/players.js";

const RECENT = 12; // games in the list before all are shown
const WHEN = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const MAP_SEEDS = 100_000; // number of seeds for generated maps; the seed is part of a map's name

export class HomePage extends HTMLElement {
  /** @type {import("../engine.js").Engine} */ #engine;
  /** @type {import("../engine.js").GameEntry[]} */ #games = [];
  /** @type {import("../engine.js").Kept[]} */ #kept = [];
  /** @type {import("../engine.js").GameEntry | null} */ #game = null;
  /** @type {import("../engine.js").MapEntry | null} */ #map = null;
  /** @type {Record<string, import("../engine.js").MapEntry[]>} */ #added = {};
  /** @type {{file: string, games: import("../engine.js").OpenedGame[]}} */ #opened = { file: "", games: [] };
  #level = "";
  #watched = ["", ""]; // the levels of a game between two players
  #side = "0";
  #isWhole = false; // whether all games are listed, or only the latest
  /** @type {File | null} */ #dropped = null;

  /** @param {import("../engine.js").Engine} [engine] @param {File | null} [dropped]  a file to open at once */
  constructor(engine, dropped) {
    super();
    this.#engine = /** @type {any} */ (engine);
    this.#dropped = dropped ?? null;
  }

  async connectedCallback() {
    this.classList.add("home");
    try {
      [this.#games, this.#kept] = await Promise.all([this.#engine.games(), this.#engine.kept()]);
    } catch (error) {
      fill(this, html("p", { class: "empty" }, /** @type {Error} */ (error).message), button("Try again", () => this.connectedCallback()));
      return;
    }
    this.#choose(this.#games.find((game) => game.name === sessionStorage.getItem("game")) ?? this.#games[0]);
    if (this.#dropped) await this.open(this.#dropped);
    this.#dropped = null;
  }

  /** @param {import("../engine.js").GameEntry} game */
  #choose(game) {
    this.#game = game;
    sessionStorage.setItem("game", game.name);
    this.#map = this.#maps()[0];
    this.#chooseLevel(game);
    this.#draw();
  }

  /** The level that is chosen at first: one in the middle. @param {import("../engine.js").GameEntry} game */
  #chooseLevel(game) {
    this.#level = game.levels[Math.min(2, game.levels.length - 1)]?.name ?? "";
    this.#watched = [this.#level, this.#level];
  }

  #maps() {
    const game = /** @type {import("../engine.js").GameEntry} */ (this.#game);
    return [...(this.#added[game.name] ?? []), ...game.maps];
  }

  #draw() {
    const game = /** @type {import("../engine.js").GameEntry} */ (this.#game);
    document.title = "Sandtable";
    fill(
      this,
      html("div", { class: "home-head" }, html("h1", null, "Play a game"), this.#gameTabs(), this.#goOn(), game.about ? html("p", { class: "about-game" }, game.about, " ", button("How to play", () => showRules(game), { class: "link" })) : null),
      html("div", { class: "home-columns" }, html("section", { class: "maps", "aria-label": "Maps" }, this.#gallery()), html("aside", { class: "start panel", "aria-label": "New game" }, ...this.#startForm(game)), this.#sources()),
      this.#openedGames(),
      this.#keptGames(),
    );
  }

  #gameTabs() {
    return html("div", { class: "segments", role: "group", "aria-label": "Game" }, ...this.#games.map((game) => button(game.title, () => this.#choose(game), { class: "segment", pressed: game === this.#game })));
  }

  #gallery() {
    const game = /** @type {import("../engine.js").GameEntry} */ (this.#game);
    const cards = this.#maps().map((map) => {
      const picture = html("img", { class: "thumbnail", src: this.#engine.thumbnail(game.name, map.id), alt: "", loading: "lazy", width: 160, height: 160 });
      return html("li", null, html("button", { type: "button", class: "card", "aria-pressed": String(map === this.#map), "data-map": map.id, onclick: () => this.#pick(map) }, picture, html("span", { class: "card-name" }, inWords(map.name)), html("span", { class: "card-about" }, map.size)));
    });
    return html("ul", { class: "gallery" }, ...cards);
  }

  /** @param {import("../engine.js").MapEntry} map */
  #pick(map) {
    this.#map = map;
    for (const card of this.querySelectorAll(".card")) card.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (card).dataset.map === map.id));
    fill(/** @type {Element} */ (this.querySelector(".start")), ...this.#startForm(/** @type {any} */ (this.#game)));
  }

  /** A map from a file, or a generated one. */
  #sources() {
    const game = /** @type {import("../engine.js").GameEntry} */ (this.#game);
    const file = html("input", { type: "file", id: "map-file", class: "visually-hidden", accept: ".tbsmap,.json,.jsonl,.sqlite", onchange: () => file.files?.[0] && this.open(file.files[0]) });
    const generators = html("select", { id: "generator", onchange: () => showOptions() }, ...game.generators.map((generator) => html("option", { value: generator.name }, generator.name)));
    const options = html("div", { class: "row generator-options" });
    const showOptions = () => {
      const chosen = game.generators.find((generator) => generator.name === generators.value);
      fill(options, ...(chosen?.options ?? []).map(({ name, default: value, low, high }) => html("label", null, html("span", null, name), html("input", { type: "number", class: "number", name, value, min: low, max: high }))));
    };
    showOptions();
    const chosenOptions = () => Object.fromEntries([...options.querySelectorAll("input")].filter((input) => input.value).map((input) => [input.name, Number(input.value)]));
    return html(
      "div",
      { class: "sources panel" },
      html("div", { class: "source" }, html("h2", null, "A file"), html("p", { class: "quiet" }, "A map or recorded games: choose a file, or drop it on the page."), file, html("label", { for: "map-file", class: "button" }, "Open a file …")),
      game.generators.length
        ? html("div", { class: "source" }, html("h2", null, "A new map"), html("p", { class: "quiet" }, "Made by a generator: no two are alike."), html("div", { class: "row" }, html("label", { class: "visually-hidden", for: "generator" }, "Generator"), generators, button("Generate", () => this.#generate(generators.value, chosenOptions()), { sign: "dice" })), options)
        : null,
    );
  }

  /** @param {import("../engine.js").GameEntry} game */
  #startForm(game) {
    if (!this.#map) return [html("p", { class: "empty" }, "There is no map: open a file.")];
    const sides = [["0", game.sides[0]], ["1", game.sides[1]], ["both", "Both sides"], ["watch", "Neither: watch"]].map(([value, words]) =>
      html("label", { class: "chip" }, html("input", { type: "radio", name: "side", value, checked: value === this.#side, onchange: () => this.#sit(game, value) }), html("span", null, value < "2" ? sideSign(Number(value)) : null, words)),
    );
    return [
      html("h2", null, inWords(this.#map.name)),
      html("p", { class: "quiet" }, [this.#map.size, this.#map.rules && `rules ${this.#map.rules}`].filter(Boolean).join(" · ")),
      this.#map.comment ? html("p", { class: "comment" }, this.#map.comment) : null,
      html("fieldset", null, html("legend", null, "You play"), html("div", { class: "chips" }, ...sides)),
      html("div", { class: "opponents" }, this.#opponents(game)),
      html("div", { class: "start-bar" }, button("Start", () => this.#start(), { class: "primary wide" })),
    ].filter((part) => part !== null);
  }

  /** @param {import("../engine.js").GameEntry} game @param {string} side */
  #sit(game, side) {
    this.#side = side;
    fill(/** @type {Element} */ (this.querySelector(".opponents")), this.#opponents(game));
  }

  /** The choice of the player for each side that the person does not play. @param {import("../engine.js").GameEntry} game */
  #opponents(game) {
    if (this.#side === "both") return html("p", { class: "quiet" }, "Two people at this screen.");
    const withElo = game.levels.some((level) => level.elo) ? html("span", { class: "quiet" }, " with Elo and its 95% interval") : null;
    if (this.#side === "watch") {
      const choices = game.sides.map((name, side) => {
        const select = html("select", { class: "grow", name: `level-${side}`, "aria-label": `${name} is played by`, onchange: () => (this.#watched[side] = select.value) }, ...game.levels.map((level) => html("option", { value: level.name, selected: level.name === this.#watched[side] }, level.title + (level.elo ? ` (${Math.round(level.elo[0])})` : ""))));
        return html("label", { class: "row watched" }, sideSign(side), html("span", null, name), select);
      });
      return html("fieldset", null, html("legend", null, "Players", withElo), ...choices);
    }
    const levels = game.levels.map((level) =>
      html(
        "label",
        { class: "level" },
        html("input", { type: "radio", name: "level", value: level.name, checked: level.name === this.#level, onchange: () => (this.#level = level.name) }),
        html("span", { class: "level-text" }, html("span", { class: "level-title" }, html("strong", null, level.title), level.elo ? html("span", { class: "elo", title: `95% interval: ${level.elo[1]} to ${level.elo[2]}; a lead of 200 wins three games in four` }, `${Math.round(level.elo[0])} ± ${Math.round((level.elo[2] - level.elo[1]) / 2)}`) : null), html("span", { class: "quiet" }, level.about)),
      ),
    );
    return html("fieldset", null, html("legend", null, "Opponent", withElo), html("div", { class: "levels" }, ...levels));
  }

  /** A link to the latest game that is not over. */
  #goOn() {
    const kept = this.#kept.find((one) => !one.over);
    return kept ? html("a", { class: "button go-on", href: `#/game/${kept.id}` }, icon("play"), html("span", null, "Continue ", html("strong", null, inWords(mapName(kept.map)))), html("span", { class: "quiet" }, against(kept))) : null;
  }

  #keptGames() {
    const shown = this.#isWhole ? this.#kept : this.#kept.slice(0, RECENT);
    const list = gameList("Your games", shown.map((kept) => {
      const entry = gameEntry(kept, kept.over ? `#/replay/${kept.id}` : `#/game/${kept.id}`, mapName(kept.map), kept.over, this.#sideNames(kept.game));
      const when = new Date(1000 * kept.when);
      entry.querySelector("a")?.append(html("time", { class: "quiet", datetime: when.toISOString() }, WHEN.format(when)));
      entry.append(button(`Remove ${inWords(mapName(kept.map))}, ${WHEN.format(when)}`, () => this.#askToRemove(kept), { sign: "cross", onlySign: true, class: "small bare" }));
      return entry;
    }));
    if (shown.length < this.#kept.length) list.append(button(`Show all ${this.#kept.length}`, () => { this.#isWhole = true; list.replaceWith(this.#keptGames()); }, { class: "small" }));
    return list;
  }

  /** @param {import("../engine.js").Kept} kept */
  #askToRemove(kept) {
    const words = `Remove this game on ${inWords(mapName(kept.map))}? It cannot be brought back; a record of it can be saved from its replay.`;
    confirm("Remove", words, "Keep it", "Remove", async () => {
      try {
        await this.#engine.remove(kept.id);
        this.#kept = this.#kept.filter((one) => one !== kept);
        this.#draw();
      } catch (error) {
        say(this, /** @type {Error} */ (error).message, "refusal");
      }
    });
  }

  /** @param {string} name  of a game */
  #sideNames(name) {
    return this.#games.find((game) => game.name === name)?.sides ?? ["Red", "Blue"];
  }

  /** The list of games from an opened file that holds several. */
  #openedGames() {
    return gameList(`Games of ${this.#opened.file}`, this.#opened.games.map((game) => gameEntry(game, `#/replay/${game.id}`, `Game ${game.number}`, true, this.#sideNames(game.game))));
  }

  async #start() {
    const [person, seat] = [{ kind: "human" }, { kind: "player", level: this.#level }];
    const watched = this.#watched.map((level) => ({ kind: "player", level }));
    const sides = { 0: [person, seat], 1: [seat, person], both: [person, person], watch: watched }[this.#side];
    try {
      const { game_id } = await this.#engine.newGame({ game: this.#game?.name, map: this.#map?.id, seed: randomSeed(), sides });
      location.hash = `#/game/${game_id}`;
    } catch (error) {
      say(this, /** @type {Error} */ (error).message, "refusal");
    }
  }

  /** @param {string} generator @param {Record<string, number>} options */
  async #generate(generator, options) {
    const game = /** @type {import("../engine.js").GameEntry} */ (this.#game);
    try {
      this.#add(await this.#engine.generate({ game: game.name, generator, options, seed: randomSeed(MAP_SEEDS) }));
    } catch (error) {
      say(this, /** @type {Error} */ (error).message, "refusal");
    }
  }

  /** Opens a map or recorded games. A name that ends with .json may be either. @param {File} file */
  async open(file) {
    const mayBeMap = !/\.(jsonl|sqlite|db)$/i.test(file.name);
    const mayBeRecord = !mayBeMap || /\.json$/i.test(file.name);
    try {
      const map = mayBeMap ? await this.#engine.openMap(file).catch((error) => ({ error })) : null;
      if (map && !map.error) return this.#add(map);
      const games = mayBeRecord ? await this.#engine.openRecords(file).catch((error) => ({ replays: null, error })) : null;
      if (!games?.replays) throw map?.error ?? games?.error;
      if (games.replays.length === 1) location.hash = `#/replay/${games.replays[0].id}`;
      else this.#list(file.name, games.replays);
    } catch (error) {
      say(this, `${file.name}: ${/** @type {Error} */ (error).message}`, "refusal");
    }
  }

  /** @param {string} file @param {import("../engine.js").OpenedGame[]} games */
  #list(file, games) {
    this.#opened = { file, games };
    this.#draw();
    this.querySelector(".kept")?.scrollIntoView();
    say(this, `${file}: ${games.length} games to choose from`);
  }

  /** @param {any} map */
  #add(map) {
    this.#game = this.#games.find((game) => game.name === map.game) ?? this.#game;
    const game = /** @type {import("../engine.js").GameEntry} */ (this.#game);
    this.#added[game.name] = [map, ...(this.#added[game.name] ?? [])];
    this.#map = map;
    if (!game.levels.some((level) => level.name === this.#level)) this.#chooseLevel(game);
    this.#draw();
    say(this, `${map.name} is ready`);
  }
}
customElements.define("st-home", HomePage);

/** A list of games; nothing if there are none. @param {string} title @param {HTMLElement[]} entries */
const gameList = (title, entries) => (entries.length ? html("section", { class: "kept", "aria-label": title }, html("h2", null, title), html("ul", null, ...entries)) : html("div"));

/** @param {{sides: any[], winner: number | null}} game @param {string} address @param {string} name @param {boolean} over @param {string[]} sideNames */
function gameEntry(game, address, name, over, sideNames) {
  const words = over ? (game.winner === null ? "draw" : `${sideNames[game.winner]} won`) : "in play";
  const names = titles(game.sides);
  const seats = names.every((title) => title === "You") ? ["Two people"] : names.map((title, side) => html("span", { class: "seat" }, sideSign(side), html("span", null, title)));
  return html("li", null, html("a", { href: address }, html("strong", null, inWords(name)), html("span", { class: "seats" }, ...seats), html("span", { class: over ? "result quiet" : "result badge" }, words)));
}

/** @param {any[]} sides @returns {string[]} */
const titles = (sides) => sides.map((side) => (typeof side === "string" ? side : side.title));

/** @param {{sides: any[]}} game */
function against({ sides }) {
  const names = titles(sides);
  return names.every((name) => name === "You") ? "Two people" : names.join(" – ");
}

/** @param {any} map */
const mapName = (map) => (typeof map === "string" ? map : (map?.name ?? ""));
