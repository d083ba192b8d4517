/** The choices of a player, from the list of legal moves [unit, x, y, target, dealt, taken]. */

/** @typedef {[number, number, number, number, number | null, number | null]} Choice */
/** @typedef {{id: number, kind: string, side: number, x: number, y: number, hp: number, acted: boolean}} Unit */

export const NOBODY = -1; // in place of a target
const NO_ENTRY = 0; // the terrain that no unit can enter

/** @param {number} x @param {number} y */
export const cellKey = (x, y) => `${x},${y}`;

/** The cells that a unit can go to. @param {Choice[]} moves @param {number} unit @returns {Set<string>} */
export function reachOf(moves, unit) {
  return new Set(moves.filter((move) => move[0] === unit).map((move) => cellKey(move[1], move[2])));
}

/** The moves of a unit that end at a cell: without an attack first, then the attacks, the best exchange first.
 * @param {Choice[]} moves @param {number} unit @param {number} x @param {number} y */
export function optionsAt(moves, unit, x, y) {
  return moves.filter((move) => move[0] === unit && move[1] === x && move[2] === y).sort(byExchange);
}

/** The attacks of a unit on a target, the best exchange first. @param {Choice[]} moves @param {number} unit @param {number} target */
export function attacksOn(moves, unit, target) {
  return moves.filter((move) => move[0] === unit && move[3] === target).sort(byExchange);
}

/** The best attack of a unit on each target that it can reach. @param {Choice[]} moves @param {number} unit @returns {Choice[]} */
export function bestAttacks(moves, unit) {
  /** @type {Map<number, Choice>} */
  const best = new Map();
  for (const move of moves) {
    if (move[0] !== unit || move[3] === NOBODY) continue;
    const other = best.get(move[3]);
    if (!other || byExchange(move, other) < 0) best.set(move[3], move);
  }
  return [...best.values()];
}

/** @param {Choice} a @param {Choice} b */
function byExchange(a, b) {
  if ((a[3] === NOBODY) !== (b[3] === NOBODY)) return a[3] === NOBODY ? -1 : 1;
  return exchange(b) - exchange(a) || (a[5] ?? 0) - (b[5] ?? 0);
}

/** @param {Choice} move */
const exchange = (move) => (move[4] ?? 0) - (move[5] ?? 0);

/**
 * The cells that a unit could strike from the cells that it can reach; ranged units fire from where they stand.
 * @param {{width: number, height: number, terrain: number[][], range: Record<string, [number, number]>}} ground
 * @param {Unit} unit @param {[number, number][]} reach @returns {[number, number][]}
 */
export function strikes({ width, height, terrain, range }, unit, reach) {
  const [low, high] = range[unit.kind];
  /** @type {Map<string, [number, number]>} */
  const cells = new Map();
  for (const [x, y] of high > 1 ? [[unit.x, unit.y]] : reach) {
    for (let right = -high; right <= high; right++) {
      for (let down = -high; down <= high; down++) {
        const [to, at] = [x + right, y + down];
        const far = Math.abs(right) + Math.abs(down);
        const inside = to > 0 && to < width - 1 && at > 0 && at < height - 1;
        if (far >= low && far <= high && inside && terrain[at][to] !== NO_ENTRY) cells.set(cellKey(to, at), [to, at]);
      }
    }
  }
  return [...cells.values()];
}

/** Units that can still act, in the order of the board. @param {Choice[]} moves @param {Unit[]} units */
export function readyUnits(moves, units) {
  const movable = new Set(moves.map((move) => move[0]));
  return units.filter((unit) => movable.has(unit.id)).sort((a, b) => a.y - b.y || a.x - b.x);
}

/** HP as a short text, like Python's hp_text. @param {number} hp */
export function hpText(hp) {
  return String(Math.max(Math.round(hp * 10) / 10, 0.1));
}

/** A loss of HP, which may be 0, as text. @param {number | null} hp */
export function lossText(hp) {
  return hp ? `−${hpText(hp)}` : "0";
}
