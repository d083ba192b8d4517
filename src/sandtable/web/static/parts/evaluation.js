/** Values as numbers: side 0's perspective, from -1 to 1. */

/** A fall of a side's value by this much in one move is a turning point. */
const TURNING = 0.25;

/** A value as the chance to win. @param {number} value */
export function percent(value) {
  return `${Math.round(50 + 50 * Math.max(-1, Math.min(1, value)))}%`;
}

/**
 * The moves that cost their side much: [ply of the position after the move, how much].
 * @param {(number | null)[]} values  one a position
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
