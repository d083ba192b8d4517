// A bot in JavaScript for node: attack where you can, otherwise walk towards the enemy.
//
//     sandtable match "bot(command='node examples/bots/attack_bot.js')" random --map ford --games 10
//
// It knows the rules only through the protocol (docs/protocol.md): it asks the referee for legal moves and picks one.

"use strict";

const scores = {
  // An attack is best; otherwise, the nearer to an enemy, the better. Ending the turn early is worst.
  tubstap(move, position, side) {
    if (move === null) return -1000;
    const [, x, y, target] = move;
    if (target !== -1) return 1000;
    const enemies = position.units.filter((unit) => unit.side !== side);
    return -Math.min(...enemies.map((unit) => Math.abs(x - unit.x) + Math.abs(y - unit.y)));
  },
  // The more attacks (marches to territories that are not ours), the better.
  conquest(orders, position, side) {
    return orders.filter((order) => order.length === 3 && position.owner[order[1]] !== side).length;
  },
};

let state = 1; // of the random numbers; set from the seed
let game = "";
let side = 0;
let asked = null; // the `move` message that waits for the list of moves

function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

function best(moves) {
  let [chosen, highest] = [null, -Infinity];
  for (const move of moves) {
    const score = scores[game](move, asked.position, side) + 0.5 * random(); // breaks ties at random
    if (score > highest) [chosen, highest] = [move, score];
  }
  return chosen;
}

function answer(message) {
  switch (message.type) {
    case "hello":
      return send({ type: "hello", version: 1, name: "attack bot in JavaScript", games: Object.keys(scores) });
    case "start":
      [game, side, state] = [message.game, message.side, message.seed >>> 0];
      return send({ type: "ready" });
    case "move":
      asked = message;
      return send({ type: "moves", count: 20 });
    case "moves":
      return send({ type: "move", id: asked.id, move: best(message.moves) });
    case "error":
      return process.stderr.write(message.message + "\n");
  }
}

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => answer(JSON.parse(line)));
