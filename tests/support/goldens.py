"""The golden files: the engine's answers, written when behaviour changes on purpose.

PYTHONPATH=tests python -m support.goldens            compare
PYTHONPATH=tests python -m support.goldens --write    write them (and bump the game's version)
"""

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sandtable as st
from sandtable import _core
from sandtable.rng import Rng
from sandtable.ruleset import RuleSet
from sandtable.tubstap import State
from support.puct_oracle import policy
from support.strategies import GENERATORS

FOLDER = Path(__file__).parents[1] / "golden"


def playthrough(map_name: str, rules: str, seed: int) -> str:
    """Every answer of the API along one random game."""
    state = st.tubstap.load(map_name, rules=rules).start()
    rng = Rng(seed, "playthrough")
    lines = [f"game: tubstap {st.tubstap.VERSION}", f"map: {map_name}", f"rules: {state.scenario.rules.name}", ""]
    step = 0
    while True:
        lines += [f"# step {step}", *_answers(state), ""]
        if state.over:
            return "\n".join(lines)
        if rng.below(25) == 0:
            state.end_turn()
            lines += ["end_turn()", ""]
        else:
            attacks = [move for move in state.moves() if move.target is not None]
            move = rng.choice(attacks if attacks and rng.below(2) else state.moves())
            lines += [f"play({tuple(move)}) -> {state.play(move)}", ""]
        step += 1


def _answers(state: State) -> list[str]:
    moves = state.moves()
    shown = ", ".join(str(tuple(move)) for move in moves[:: max(1, len(moves) // 6)][:7])
    return [
        *str(st.tubstap.text(state)).splitlines(),
        f"{state!r} side {state.side} quiet {state.quiet} hp_lost {state.hp_lost} over {state.over}",
        f"winner {state.winner} reason {state.reason} hash {state.hash():016x}",
        f"moves: {len(moves)}: {shown}",
    ]


def conquest_playthrough(map_name: str, rules: str, seed: int) -> str:
    """Every answer of the API along one random game."""
    state = st.conquest.load(map_name, rules=rules).start(seed)
    rng = Rng(seed, "playthrough")
    lines = [f"game: conquest {st.conquest.VERSION}", f"map: {map_name}", f"rules: {rules}", ""]
    while True:
        lines += [*str(st.conquest.text(state)).splitlines(), f"{state!r} over {state.over} winner {state.winner}"]
        lines += [f"income {state.income(0)} {state.income(1)} hash {state.hash():016x}", ""]
        if state.over:
            return "\n".join(lines)
        orders = [state.random_move(player, rng.below(1000)) for player in (0, 1)]
        if rng.below(4) == 0:
            genes = state.encode(orders[0])
            genes[:] = [gene + rng.between(-2, 2) for gene in genes]
            orders[0] = state.decode(state.repair(genes, 0, rng.below(1000)))
        first = rng.below(2)
        lines += [f"player {player}: {orders[player]}" for player in (0, 1)] + [f"first: {first}", ""]
        state.resolve(orders[0], orders[1], first=first, seed=rng.below(1000))


def perft() -> str:
    """Counts to depth 4 on three maps: plains with real HP, all kinds and terrains, islands with aircraft."""
    table = {
        name: [st.tubstap.perft(st.tubstap.load(name, rules=rules).start(), depth) for depth in range(5)]
        for name, rules in (("duel", "li2022"), ("crossroads", "original"), ("islands", "original"))
    }
    return json.dumps(table, indent=1) + "\n"


def platform_perft() -> str:
    """Counts under the platform's rules, from positions in random games where an attack can do no damage."""
    table = {}
    for name in ("crossroads", "islands"):
        state = st.tubstap.load(name, rules="platform").start()
        rng = Rng(1, "platform perft")
        while not any(combat is not None and not combat.dealt for combat in map(state.combat, state.moves())):
            state.play(rng.choice(state.moves()))
        table[name] = {
            "turn": state.turn,
            "hash": f"{state.hash():016x}",
            "perft": [st.tubstap.perft(state, depth) for depth in range(4)],
        }
    return json.dumps(table, indent=1) + "\n"


def rule_sets() -> str:
    """Every preset in JSON, with the digest that names it in records and cards."""
    presets: dict[str, RuleSet] = {f"tubstap {name}": rules for name, rules in st.tubstap.PRESETS.items()}
    presets |= {f"conquest {name}": rules for name, rules in st.conquest.PRESETS.items()}
    table = {name: {"digest": rules.digest, "json": rules.to_json()} for name, rules in presets.items()}
    return json.dumps(table, indent=1) + "\n"


def playouts() -> str:
    """Sums of playouts by map, rules and policy: they must be the same on every machine."""
    sums = {
        f"{name} {rules} {policy}": st.tubstap.playouts(st.tubstap.load(name, rules=rules).start(), 200, 1, policy)
        for name in ("duel", "crossroads", "capital")
        for rules in ("original", "li2022")
        for policy in st.tubstap.counting.POLICIES
    }
    return json.dumps(sums, indent=1) + "\n"


def conquest_playouts() -> str:
    sums = {
        f"{name} {rules}": st.conquest.playouts(st.conquest.load(name, rules=rules).start(1), 300, seed=1)
        for name in st.conquest.maps.shipped()
        for rules in st.conquest.PRESETS
    }
    return json.dumps(sums, indent=1) + "\n"


def search_trees() -> str:
    """The candidates that every search leaves at its root: best first, with visits and values."""
    tubstap = {"duel": st.tubstap.load("duel").start(), "crossroads": st.tubstap.load("crossroads").start()}
    conquest = {name: st.conquest.load(name).start(1) for name in ("banana", "italy")}
    specs = (
        "pmc(playouts=3)",
        "uct(simulations=500)",
        "uct(simulations=500, c=1, expand_after=10)",
        "muct(simulations=500)",
        "muct(simulations=500, opponent=adversarial)",
        "minimax(depth=2)",
    )
    trees = {}
    turns = (
        "mcts(iterations=20)",
        "coevolution(generations=5)",
        "coevolution(generations=5, selection=tournament, crossover_kind=two_point)",
        "coevolution(generations=5, crossover_kind=uniform)",
        "cmaes(generations=5)",
        "duct(simulations=300)",
        "regret(simulations=300)",
    )
    for states, players in ((tubstap, specs), (conquest, turns)):
        for where, state in states.items():
            for spec in players:
                analysis = st.player(spec).analyse(state, 0)  # type: ignore[attr-defined]
                all_moves = [[candidate.move, candidate.visits, candidate.value] for candidate in analysis.candidates]
                trees[f"{spec} on {where}"] = {
                    "value": analysis.value,
                    "nodes": analysis.nodes,
                    "candidates": len(all_moves),
                    "digest": hashlib.sha256(json.dumps(all_moves).encode()).hexdigest()[:16],
                    "best": all_moves[:3],
                }
    return json.dumps(trees, indent=1) + "\n"


def policy_trees() -> str:
    """Every move at the root of searches with a policy: visits, value and prior; the network is that of the oracle."""
    late = st.tubstap.maps.skirmish(9, red=2, blue=2).start()
    for _ in range(3):
        late.play(late.moves()[-1])
    states = {
        "kimura-map01": st.tubstap.load("kimura-map01").start(),
        "two against one": st.tubstap.maps.skirmish(6, red=2, blue=1).start(),
        "two against two, blue's second operation": late,
    }
    settings: dict[str, dict[str, Any]] = {
        "puct": {"batch": 1},
        "puct without a bonus, in batches": {"batch": 8, "attack_bonus": 0.0},
        "gumbel": {"root": "gumbel", "batch": 1},
    }
    trees = {}
    for where, state in states.items():
        for name, changes in settings.items():
            how = _core.tubstap.PuctSettings(simulations=200, max_nodes=1 << 20, **changes)
            found = _core.tubstap.PolicyTree().search(state, policy(), how, seed=0)
            rows = [[*one.move, one.visits, round(one.value, 6), round(one.prior or 0, 6)] for one in found.candidates]
            tree = {"value": round(found.value, 6), "nodes": found.nodes, "best": rows[found.best][:4]}
            lines = ",\n   ".join(json.dumps(row) for row in rows)
            trees[f"{name} on {where}"] = json.dumps(tree)[:-1] + f', "children": [\n   {lines}]}}'
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {tree}" for name, tree in trees.items()) + "\n}\n"


def streams() -> str:
    """The first numbers of some random streams, and a map from each generator."""
    numbers = {}
    for seed in (0, 1, 2**64 - 1):
        for name in ("a", "b"):
            rng = Rng(seed, name)
            numbers[f"{seed} {name}"] = [rng.below(1000) for _ in range(8)]
    made = {name: st.tubstap.jsonmap.format(make(1)).splitlines() for name, make in GENERATORS.items()}
    made["planar"] = st.conquest.mapfile.format(st.conquest.maps.planar(1)).splitlines()
    return json.dumps({"numbers": numbers, "maps": made}, indent=1) + "\n"


GOLDENS: dict[str, Callable[[], str]] = {
    "tubstap_playthrough_crossroads.txt": lambda: playthrough("crossroads", "original", 1),
    "tubstap_playthrough_duel_real.txt": lambda: playthrough("duel", "li2022", 2),
    "tubstap_playthrough_ambush.txt": lambda: playthrough("ambush", "takahashi", 3),
    "tubstap_perft.json": perft,
    "tubstap_perft_platform.json": platform_perft,
    "rule_sets.json": rule_sets,
    "tubstap_playouts.json": playouts,
    "conquest_playthrough_banana.txt": lambda: conquest_playthrough("banana", "soares2025", 1),
    "conquest_playthrough_italy_shuffled.txt": lambda: conquest_playthrough("italy", "soares2025-text", 2),
    "conquest_playouts.json": conquest_playouts,
    "search_trees.json": search_trees,
    "policy_trees.json": policy_trees,
    "streams.json": streams,
}


def main() -> int:
    changed = []
    for name, make in GOLDENS.items():
        path, text = FOLDER / name, make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            changed.append(name)
            if "--write" in sys.argv:
                path.write_text(text, encoding="utf-8")
    print("changed: " + ", ".join(changed) if changed else "all unchanged")
    return bool(changed) and "--write" not in sys.argv


if __name__ == "__main__":
    sys.exit(main())
