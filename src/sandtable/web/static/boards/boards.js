/** The board of each game. */

import { addSymbols } from "./board.js";
import { ConquestBoard } from "./conquest.js";
import { GenericBoard } from "./generic.js";
import { TubstapBoard } from "./tubstap.js";

/** Boards by game; some are drawn with symbols of the game's own. */
const BOARDS = /** @type {Record<string, {make: () => HTMLElement, symbols: boolean}>} */ ({
  tubstap: { make: () => new TubstapBoard(), symbols: true },
  conquest: { make: () => new ConquestBoard(), symbols: false },
});

/**
 * A board for the positions of a game. `ground` is the part of it that does not change.
 * @param {import("../engine.js").Engine} engine
 * @param {string} game
 * @param {import("../engine.js").View} view  any position of the game: shows whether positions carry board data
 * @param {any} ground
 * @returns {Promise<any>}
 */
export async function makeBoard(engine, game, view, ground) {
  const known = view.board ? BOARDS[game] : undefined;
  if (known?.symbols) addSymbols(game, await engine.symbols(game));
  const board = /** @type {any} */ (known ? known.make() : new GenericBoard());
  board.classList.add("board", `board-${known ? game : "generic"}`);
  board.setGround(ground);
  return board;
}
