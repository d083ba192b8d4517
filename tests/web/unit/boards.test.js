/** Functions that need no browser: choices of TUBSTAP, orders of Conquest, values. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { labelPlace, placeBeside, upperSide } from "../../../src/sandtable/web/static/boards/board.js";
import { afterStep, deploy, deployed, free, march, towards } from "../../../src/sandtable/web/static/boards/conquest-orders.js";
import { counted } from "../../../src/sandtable/web/static/dom.js";
import { merge } from "../../../src/sandtable/web/static/engine.js";
import { compared, ranked } from "../../../src/sandtable/web/static/parts/comparison.js";
import { figureWords, percent, turnBegins, turningPoints } from "../../../src/sandtable/web/static/parts/evaluation.js";
import { attacksOn, bestAttacks, hpText, lossText, optionsAt, reachOf, readyUnits, strikes } from "../../../src/sandtable/web/static/boards/tubstap-moves.js";

/** Unit 0 can stay, go to (2, 1), and attack unit 5 from two cells; unit 1 can only stay. */
const MOVES = [
  [0, 1, 1, -1, null, null],
  [0, 2, 1, -1, null, null],
  [0, 2, 1, 5, 4, 3],
  [0, 3, 1, 5, 6, 1],
  [0, 3, 1, 6, 0, 0],
  [1, 4, 4, -1, null, null],
];

test("the reach of a unit is where any of its moves ends", () => {
  assert.deepEqual([...reachOf(MOVES, 0)], ["1,1", "2,1", "3,1"]);
  assert.deepEqual([...reachOf(MOVES, 7)], []);
});

test("staying comes first, then the best exchange", () => {
  assert.deepEqual(optionsAt(MOVES, 0, 2, 1).map((move) => move[3]), [-1, 5]);
  assert.deepEqual(attacksOn(MOVES, 0, 5).map((move) => move[1]), [3, 2]);
  assert.deepEqual(bestAttacks(MOVES, 0), [MOVES[3], MOVES[4]]);
});

test("a unit strikes from wherever it can go, a ranged one from where it stands", () => {
  const terrain = [[0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 1, 1, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0]]; // row by row
  const ground = { width: 5, height: 5, terrain, range: { panzer: [1, 1], cannon: [2, 3] } };
  const sorted = (cells) => cells.map((cell) => cell.join()).sort();
  assert.deepEqual(sorted(strikes(ground, { kind: "panzer", x: 1, y: 1 }, [[1, 1], [2, 1]])), ["1,1", "1,2", "2,1", "2,2", "3,1"]);
  assert.deepEqual(sorted(strikes(ground, { kind: "cannon", x: 1, y: 1 }, [[1, 1], [2, 2]])), ["1,3", "2,2", "2,3", "3,1"]);
});

test("units that can act come in the order of the board", () => {
  const units = [{ id: 1, x: 4, y: 4 }, { id: 0, x: 1, y: 1 }, { id: 2, x: 0, y: 0 }];
  assert.deepEqual(readyUnits(MOVES, units).map((unit) => unit.id), [0, 1]);
});

test("HP are written as Python's hp_text writes them", () => {
  assert.deepEqual([10, 7.04, 5.25, 0.00001].map(hpText), ["10", "7", "5.3", "0.1"]);
  assert.deepEqual([lossText(null), lossText(0), lossText(3)], ["0", "0", "−3"]);
});

test("no more is deployed than the income", () => {
  let orders = deploy([], 2, 3, 5);
  orders = deploy(orders, 4, 5, 5);
  assert.deepEqual(orders, [[2, 3], [4, 2]]);
  assert.equal(deployed(orders), 5);
  assert.deepEqual(deploy(orders, 2, -3, 5), [[4, 2]]);
  assert.deepEqual(deploy(orders, 2, 1, 5), [[4, 2], [2, 3]]);
});

test("one march along an edge, after the deploys", () => {
  let orders = march([], 0, 1, 4);
  orders = march(orders, 0, 1, 2);
  orders = deploy(orders, 0, 1, 5);
  assert.deepEqual(orders, [[0, 1], [0, 1, 2]]);
  assert.deepEqual(march(orders, 0, 1, 0), [[0, 1]]);
  assert.deepEqual(march(orders, 0, 1, 2.5), [[0, 1], [0, 1, 2]]);
  assert.deepEqual(march(orders, 0, 1, NaN), [[0, 1]]);
  const board = { owner: [0, 1], armies: [3, 1] };
  assert.equal(free(board, orders, 0), 2);
  assert.equal(free(board, orders, 0, 1), 4);
  assert.equal(free(board, march(orders, 0, 2, 90), 0), 0);
});

test("steps of a resolution change owners and armies", () => {
  const board = { owner: [0, 1, 0], armies: [5, 2, 1] };
  assert.deepEqual(afterStep(board, { deploy: [0, 0, 3] }).armies, [8, 2, 1]);
  assert.deepEqual(afterStep(board, { march: [0, 0, 2, 4], losses: [0, 0], captured: false }), { owner: [0, 1, 0], armies: [1, 2, 5] });
  assert.deepEqual(afterStep(board, { march: [0, 0, 1, 5], losses: [1, 2], captured: true }), { owner: [0, 0, 0], armies: [0, 4, 1] });
  assert.deepEqual(afterStep(board, { march: [0, 0, 1, 2], losses: [1, 1], captured: false }), { owner: [0, 1, 0], armies: [4, 1, 1] });
  assert.deepEqual(board, { owner: [0, 1, 0], armies: [5, 2, 1] }, "the argument is unchanged");
});

test("an arrow key leads to the nearest territory in its direction", () => {
  const places = [{ x: 0, y: 0 }, { x: 10, y: 1 }, { x: 5, y: 20 }, { x: -10, y: 0 }];
  assert.equal(towards(places, 0, [1, 0]), 1);
  assert.equal(towards(places, 0, [0, 1]), 2);
  assert.equal(towards(places, 0, [-1, 0]), 3);
  assert.equal(towards(places, 0, [0, -1]), 0);
});

test("a turning point is a move after which its side's value falls", () => {
  const moves = [{ side: 0, ply: 0 }, { side: 0, ply: 1 }, { side: 1, ply: 2 }, { side: 1, ply: 3 }, { side: 0, ply: 4 }];
  const values = [0.1, 0.2, -0.3, 0.4, null, -1];
  assert.deepEqual(turningPoints(values, moves).map(({ ply, side, loss }) => [ply, side, Number(loss.toFixed(2))]), [[2, 0, 0.5], [3, 1, 0.7]]);
});

test("a panel is placed beside its subject, and covers as little else as possible", () => {
  const [size, board] = [{ width: 100, height: 60 }, { width: 400, height: 400 }];
  const cell = (x, y) => ({ x, y, width: 40, height: 40 });
  const at = (spoken, others) => {
    const { x, y } = placeBeside(spoken, others, size, board);
    return [x, y];
  };
  assert.deepEqual(at([cell(200, 200)], []), [250, 190], "to the right");
  assert.deepEqual(at([cell(200, 200), cell(240, 200)], []), [90, 190], "to the left of a target whose attacker is right");
  assert.deepEqual(at([cell(200, 200)], [cell(250, 200), cell(100, 200)]), [170, 250], "below");
  assert.deepEqual(at([cell(360, 0)], []), [250, 0], "within the board");
  assert.deepEqual(at([cell(0, 360)], [cell(100, 360)]), [0, 410], "or lower than the board");
  assert.deepEqual(placeBeside([cell(100, 0), cell(0, 100)], [], { width: 140, height: 120 }, { width: 150, height: 150 }), { x: 10, y: 160, width: 140, height: 120 }, "or below it, where it is small");
});

test("the side that stands above is named above", () => {
  const places = [{ side: 0, y: 9 }, { side: 1, y: 2 }, { side: 1, y: 4 }, { side: -1, y: 0 }];
  assert.equal(upperSide(places), 1);
  assert.equal(upperSide(places.map((place) => ({ ...place, y: -place.y }))), 0);
  assert.equal(upperSide([]), 0);
});

test("a turn begins with a side's first move in a row, or with the moves of both sides", () => {
  const moves = [[0, 0], [0, 1], [1, 2], [1, 3], [0, 4]].map(([side, ply]) => ({ side, ply }));
  assert.deepEqual(turnBegins(moves), [true, false, true, false, true]);
  const both = [[0, 0], [1, 0], [0, 1], [1, 1]].map(([side, ply]) => ({ side, ply }));
  assert.deepEqual(turnBegins(both), [true, false, true, false]);
});

test("a search that waits in the queue keeps its figures", () => {
  assert.equal(figureWords(null), "Searching …");
  assert.equal(figureWords({ queue: 3, done: false }), "Waiting for a free core: place 3");
  assert.equal(figureWords({ queue: null, done: false }), "Searching …");
  const found = { simulations: 256, nodes: 4000, seconds: 2, done: false };
  assert.equal(figureWords({ ...found, queue: null }), "Searching: 256 simulations, 4,000 nodes, 2.0 s, 128 a second");
  assert.equal(figureWords({ ...found, queue: 2 }), "256 simulations, 4,000 nodes, 2.0 s, 128 a second, Waiting for a free core: place 2");
});

test("a count of one has the singular", () => {
  assert.deepEqual([0, 1, 2, 1024].map((count) => counted(count, "visit")), ["0 visits", "1 visit", "2 visits", "1,024 visits"]);
  assert.deepEqual([1, 2].map((count) => counted(count, "army", "armies")), ["1 army", "2 armies"]);
});

test("a value is shown as the chance to win", () => {
  assert.deepEqual([-1, 0, 0.5, 1, 1.0001].map(percent), ["0%", "50%", "75%", "100%", "100%"]);
});

test("an update is merged into the known game", () => {
  const known = { since: 0, ground: "ground", view: { ply: 2 }, moves: [{ ply: 0 }, { ply: 1 }], values: [0.1, null, null] };
  const played = merge(known, { since: 2, view: { ply: 3 }, moves: [{ ply: 2 }], values: [0.3, null] });
  assert.deepEqual(played, { since: 0, ground: "ground", view: { ply: 3 }, moves: [{ ply: 0 }, { ply: 1 }, { ply: 2 }], values: [0.1, null, 0.3, null] });
  const undone = merge(played, { since: 1, view: { ply: 1 }, moves: [], values: [null] });
  assert.deepEqual([undone.moves, undone.values], [[{ ply: 0 }], [0.1, null]]);
  assert.equal(merge(known, { since: 3, view: { ply: 4 }, moves: [{ ply: 3 }], values: [null, null] }), null, "a move is missing");
  assert.equal(merge(undefined, { since: 1, view: { ply: 2 }, moves: [{ ply: 1 }], values: [null, null] }), null);
  const whole = { since: 0, ground: null, view: { ply: 9 }, moves: [], values: [] };
  assert.equal(merge(known, whole), whole);
});

test("lines are compared by the values of their longest searches, for the side to move", () => {
  const line = (...moves) => moves.map((move) => ({ move, sentence: String(move) }));
  let list = compared([], { ply: 3, line: line([1, 2]), value: 0.5, simulations: 100 });
  list = compared(list, { ply: 3, line: line([1, 3]), value: 0.2, simulations: 100 });
  list = compared(list, { ply: 3, line: line([1, 2]), value: -0.1, simulations: 1000 });
  assert.equal(list.length, 2);
  assert.deepEqual(ranked(list, 0).map((one) => one.value), [0.2, -0.1]);
  assert.deepEqual(ranked(list, 1).map((one) => one.value), [-0.1, 0.2]);
  assert.equal(compared(list, { ply: 3, line: line([1, 2]), value: 0.9, simulations: 200 }), list, "a shorter search changes nothing");
  assert.equal(compared(list, { ply: 4, line: line([1, 2]), value: 0.9, simulations: 200 }).length, 3, "another position's");
});

test("labels keep clear of units and of each other, and are short where there is no room", () => {
  const placed = [];
  const [unit, spots] = [{ x: 0, y: 0, width: 36, height: 36 }, [[20, 0], [60, 0], [140, 0]]];
  const at = (texts, where = spots) => {
    const { text, x, y } = labelPlace(texts, where, [unit], placed);
    return [text, x, y];
  };
  assert.deepEqual(at(["1: 60%", "1"]), ["1: 60%", 60, 0], "nearer to the unit it would cover it");
  assert.deepEqual(at(["2: 59%", "2"]), ["2: 59%", 140, 0], "the first spot that is far enough from the other label");
  assert.deepEqual(at(["3: 58%", "3"], [[20, 30], [60, 30]]), ["3: 58%", 20, 30], "another row is free");
  assert.deepEqual(at(["4: 57%", "4"], [[20, 0], [27, 0]]), ["4", 27, 0], "the rank alone fits beside the unit");
  assert.deepEqual(at(["5: 56%", "5"], [[0, 0], [20, 0]]), ["5", 20, 0], "where nothing fits, it stands on the last spot");
  assert.equal(placed.length, 5);
});
