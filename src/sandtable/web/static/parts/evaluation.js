/** Values as numbers from -1 to 1 for side 0; the beginnings of turns; and the figures of a search in words. */

import { counted } from "../dom.js";

/** A fall of a side's value by this much in one move is a turning point. */
const TURNING = 0.25;

/** A value as the chance to win. @param {number} value */
export function percent(value) {
  return `${Math.round(50 + 50 * Math.max(-1, Math.min(1, value)))}%`;
}

/**
 * The moves with which a side lost much value, each with the ply of the position after it.
 * @param {(number | null)[]} values  one for each position
 * @param {{side: number, ply: number}[]} moves
 * @returns {{ply: number, side: number, loss: number}[]}
 */
export function turningPoints(values, moves) {
  const found = [];
  for (const { side, ply } of moves) {
    const [before, after] = [values[ply], values[ply + 1]];
    if (before === null || before === undefined || after === null || after === undefined) continue;
    const loss = side === 0 ? before - after : after - before;
    if (loss >= TURNING) found.push({ ply: ply + 1, side, loss });
  }
  return found;
}

/**
 * For each move, whether it begins a turn: the first of a side's moves in a row, or of both sides' simultaneous moves.
 * @param {{side: number, ply: number}[]} moves @returns {boolean[]}
 */
export function turnBegins(moves) {
  const isTogether = moves.some((move, place) => place > 0 && moves[place - 1].ply === move.ply);
  return moves.map((move, place) => {
    const before = moves[place - 1];
    return !before || (isTogether ? before.ply !== move.ply : before.side !== move.side);
  });
}

/** The progress of a search in words. @param {import("../engine.js").Analysis | null} analysis */
export function figureWords(analysis) {
  if (!analysis) return "Searching …";
  if (analysis.error) return analysis.error;
  const waits = analysis.queue ? `Waiting for a free core: place ${analysis.queue}` : "";
  const count = analysis.simulations ?? analysis.nodes ?? 0;
  if (!count) return waits || "Searching …";
  const words = [counted(count, "simulation")];
  if (analysis.nodes) words.push(counted(analysis.nodes, "node"));
  if (analysis.seconds >= 0.1) words.push(`${analysis.seconds.toFixed(1)} s`, `${Math.round(count / analysis.seconds).toLocaleString("en")} a second`);
  if (waits) words.push(waits);
  return (analysis.done || waits ? "" : "Searching: ") + words.join(", ");
}
