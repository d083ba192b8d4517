"""A bot in Python, standard library only: attack where you can, otherwise walk towards the enemy.

    sandtable match "bot(command='python3 examples/bots/attack_bot.py')" random --map ford --games 10

It knows the rules only through the protocol (docs/protocol.md): it asks the referee for legal moves and picks one.
"""

import json
import random
import sys


def send(**message):
    print(json.dumps(message), flush=True)


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit()  # the referee has gone
    return json.loads(line)


def score_tubstap(move, position, side):
    """An attack is best; otherwise, the nearer to an enemy, the better. Ending the turn early is worst."""
    if move is None:
        return -1000
    _, x, y, target = move
    if target != -1:
        return 1000
    return -min(abs(x - unit["x"]) + abs(y - unit["y"]) for unit in position["units"] if unit["side"] != side)


def score_conquest(orders, position, side):
    """The more attacks (marches to territories that are not ours), the better."""
    return sum(len(order) == 3 and position["owner"][order[1]] != side for order in orders)


SCORES = {"tubstap": score_tubstap, "conquest": score_conquest}


def main():
    game, side = "", 0
    while True:
        message = receive()
        if message["type"] == "hello":
            send(type="hello", version=1, name="attack bot in Python", games=list(SCORES))
        elif message["type"] == "start":
            game, side = message["game"], message["side"]
            random.seed(message["seed"])
            send(type="ready")
        elif message["type"] == "move":
            send(type="moves", count=20)
            moves = receive()["moves"]
            random.shuffle(moves)  # breaks ties at random
            best = max(moves, key=lambda move: SCORES[game](move, message["position"], side))
            send(type="move", id=message["id"], move=best)
        elif message["type"] == "error":
            print(message["message"], file=sys.stderr)
        elif message["type"] == "end":
            return


main()
