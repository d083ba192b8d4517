/** Which board shows which game. */

import { ConquestBoard } from "./conquest.js";
import { GenericBoard } from "./generic.js";
import { TubstapBoard } from "./tubstap.js";

const BOARDS = /** @type {Record<string, new () => TubstapBoard | ConquestBoard | GenericBoard>} */ ({ tubstap: TubstapBoard, conquest: ConquestBoard });

/** An empty board. @param {string} game @param {boolean} drawn  whether positions come with a board's data @returns {any} */
export function makeBoard(game, drawn) {
  const board = drawn && game in BOARDS ? new BOARDS[game]() : new GenericBoard();
  board.classList.add("board");
  return board;
}
