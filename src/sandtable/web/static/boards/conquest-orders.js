/** Pure functions on the orders of a turn that is being composed, and on the steps of its resolution. */

/** @typedef {[number, number] | [number, number, number]} Order  a deployment [territory, armies], or a march [source, target, armies] */
/** @typedef {{owner: number[], armies: number[]}} Armies */

/** @param {Order} order @returns {order is [number, number]} */
export function isDeployment(order) {
  return order.length === 2;
}

/** The number of armies that are deployed. @param {Order[]} orders */
export function deployed(orders) {
  return orders.filter(isDeployment).reduce((sum, [, armies]) => sum + armies, 0);
}

/**
 * The orders with more (or fewer) armies deployed on a territory, within the income.
 * @param {Order[]} orders @param {number} territory @param {number} armies @param {number} income
 * @returns {Order[]}
 */
export function deploy(orders, territory, armies, income) {
  const before = orders.filter(isDeployment).find((order) => order[0] === territory)?.[1] ?? 0;
  const after = Math.max(0, Math.min(before + armies, before + income - deployed(orders)));
  const rest = orders.filter((order) => !isDeployment(order) || order[0] !== territory);
  const deploys = rest.filter(isDeployment);
  const marches = rest.filter((order) => !isDeployment(order));
  return after ? [...deploys, [territory, after], ...marches] : rest;
}

/**
 * The orders with this march in place of any other along the same edge; a march of 0 armies is removed.
 * @param {Order[]} orders @param {number} source @param {number} target @param {number} armies
 * @returns {Order[]}
 */
export function march(orders, source, target, armies) {
  const rest = orders.filter((order) => isDeployment(order) || order[0] !== source || order[1] !== target);
  const whole = Math.floor(armies); // a person may type a fraction
  return whole > 0 ? [...rest, [source, target, whole]] : rest;
}

/**
 * Armies of a territory that no order uses yet. A march to `except` does not count as a use.
 * @param {Armies} board @param {Order[]} orders @param {number} territory @param {number} [except]
 */
export function free(board, orders, territory, except = -1) {
  let armies = board.armies[territory];
  for (const order of orders) {
    if (order[0] !== territory) continue;
    if (isDeployment(order)) armies += order[1];
    else if (order[1] !== except) armies -= order[2];
  }
  return Math.max(0, armies);
}

/**
 * The board after a step of a resolution.
 * @param {Armies} board @param {any} step
 * @returns {Armies}
 */
export function afterStep(board, step) {
  const [owner, armies] = [[...board.owner], [...board.armies]];
  if (step.deploy) {
    const [, territory, count] = step.deploy;
    armies[territory] += count;
  } else if (step.march) {
    const [side, source, target, count] = step.march;
    const [lost, killed] = step.losses ?? [0, 0];
    armies[source] -= count;
    if (owner[target] === side) armies[target] += count;
    else if (step.captured) {
      owner[target] = side;
      armies[target] = count - lost;
    } else {
      armies[target] -= killed;
      armies[source] += count - lost;
    }
  }
  return { owner, armies };
}

/**
 * The nearest territory in a direction, for the arrow keys; the same one if there is none.
 * @param {{x: number, y: number}[]} places @param {number} from @param {[number, number]} direction
 */
export function towards(places, from, [dx, dy]) {
  let [best, least] = [from, Infinity];
  places.forEach((place, t) => {
    const [x, y] = [place.x - places[from].x, place.y - places[from].y];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    const cost = Math.hypot(x, y) + 2 * aside;
    if (t !== from && along > 0 && aside <= 2.5 * along && cost < least) [best, least] = [t, cost];
  });
  return best;
}
