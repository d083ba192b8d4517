"""Our networks run by the core against onnxruntime: alone, in whole searches, and in self-play.

    python benchmarks/network_runtimes.py [--rounds 9] [--only networks,searches,self-play,update]

Both runtimes alternate in one run, and what is printed are medians of many short measurements: of the network alone the
time inside it, of the others processor time. Nothing is in a cache. Ratios are times of onnxruntime over those of the
core. `update` is one of the learner, of 256 positions of the recipe tubstap-fast; there is nothing to compare it with.
"""

import argparse
import functools
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from sandtable import _core, conquest, tubstap
from sandtable.learn import recipe as recipes
from sandtable.nets import evaluators, locate
from sandtable.nets.architectures import TOKENS, TRAINABLE
from sandtable.nets.conquest import fresh_territory_evaluator
from sandtable.tubstap.training import self_play

RUNTIMES = ("native", "onnx")
BATCHES = (1, 11, 16, 64)  # 11 is the mean of searches in batches of 16
BOARDS = {"3 v 3": tubstap.maps.symmetric(1), "6 v 6": tubstap.load("ford"), "10 v 10": tubstap.maps.mixed(1)}
LANDS = ("italy", "earth", "256 territories")
SIMULATIONS = 300
SEARCH = _core.tubstap.PuctSettings(simulations=SIMULATIONS, batch=16)


def judges(net: str) -> dict[str, _core.tubstap.PolicyEvaluator]:
    path = locate(net)
    return {
        runtime: evaluators.fresh_policy_evaluator(TOKENS, evaluators.policy_network_of(path, runtime), 0)
        for runtime in RUNTIMES
    }


def territory_judges(net: str) -> dict[str, _core.conquest.TerritoryEvaluator]:
    path = locate(net)
    return {runtime: fresh_territory_evaluator(evaluators.policy_network_of(path, runtime), 0) for runtime in RUNTIMES}


def battles(start: tubstap.Scenario, count: int) -> list[tubstap.State]:
    """Positions along random games."""
    rng = random.Random(1)
    found: list[tubstap.State] = []
    while len(found) < count:
        state = start.start()
        for number in range(60):
            if state.over or len(found) == count:
                break
            if number % 3 == 0:
                found.append(state.copy())
            state.play(rng.choice(state.moves()))
    return found


def campaigns(name: str, count: int) -> list[conquest.State]:
    land = conquest.load(name) if " " not in name else conquest.maps.planar(seed=7, territories=256)
    found: list[conquest.State] = []
    for seed in range(count):
        state = land.start(seed // 8)
        for turn in range(seed % 8):
            if not state.over:
                state.resolve(state.random_move(0, turn), state.random_move(1, turn))
        found.append(land.start(seed) if state.over else state)
    return found


def alternating(tasks: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of what each task measures."""
    found: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            found[name].append(task())
    return {name: statistics.median(values) for name, values in found.items()}


def processor_seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def show(what: str, seconds: dict[str, float], each: str) -> None:
    native, onnx = (1e6 * seconds[runtime] for runtime in RUNTIMES)
    print(
        f"{what:44} native {native:12,.1f}  onnxruntime {onnx:12,.1f} microseconds {each}: {onnx / native:5.2f}",
        flush=True,
    )


def networks(rounds: int) -> None:
    for where, start in BOARDS.items():
        states, made = battles(start, max(BATCHES)), judges("sandtable")
        for batch in BATCHES:
            parts = [states[i : i + batch] for i in range(0, len(states) - batch + 1, batch)][:8]

            def inside(judge: _core.tubstap.PolicyEvaluator, parts: Sequence[list[tubstap.State]]) -> float:
                times = []
                for part in parts:
                    before = judge.forward_seconds
                    judge.evaluate(part)
                    times.append((judge.forward_seconds - before) / len(part))
                return statistics.median(times)

            tasks = {runtime: functools.partial(inside, judge, parts) for runtime, judge in made.items()}
            show(f"tokens_64, {where}, batch {batch}", alternating(tasks, rounds), "a position")
    for where in LANDS:
        turns, made_too = campaigns(where, max(BATCHES)), territory_judges("sandtable-conquest")
        for batch in BATCHES:
            some = [turns[i : i + batch] for i in range(0, len(turns) - batch + 1, batch)][:4]

            def within(judge: _core.conquest.TerritoryEvaluator, some: Sequence[list[conquest.State]] = some) -> float:
                times = []
                for part in some:
                    before = judge.forward_seconds
                    judge.evaluate(part, [0] * len(part))
                    times.append((judge.forward_seconds - before) / len(part))
                return statistics.median(times)

            both = {runtime: functools.partial(within, judge, some) for runtime, judge in made_too.items()}
            show(f"territories_48, {where}, batch {batch}", alternating(both, rounds), "a position")


def searches(rounds: int) -> None:
    """First decisions at the player's settings, each with a tree and a cache of its own."""
    path = locate("sandtable")
    nets = {runtime: evaluators.policy_network_of(path, runtime) for runtime in RUNTIMES}
    for where, start in BOARDS.items():
        states = iter(battles(start, 64) * rounds)

        def search(runtime: str, state: tubstap.State) -> float:
            judge = evaluators.fresh_policy_evaluator(TOKENS, nets[runtime], 1 << 17)
            tree = _core.tubstap.PolicyTree()
            return processor_seconds(lambda: tree.search(state, judge, SEARCH, seed=1)) / SIMULATIONS

        ratios: list[float] = []
        times: dict[str, list[float]] = {runtime: [] for runtime in RUNTIMES}
        for _ in range(rounds):
            state = next(states)
            for runtime in RUNTIMES:
                times[runtime].append(search(runtime, state))
            ratios.append(times["onnx"][-1] / times["native"][-1])
        medians = {runtime: statistics.median(found) for runtime, found in times.items()}
        show(f"search, {where}", medians, "a simulation")
        print(f"{'':44} median of the ratios of each position: {statistics.median(ratios):.2f}")


def play(rounds: int) -> None:
    """Games of the recipe tubstap-fast, all that a task of a worker has but for its files."""
    recipe = recipes.load(recipes.locate("tubstap-fast"))
    path, games = locate("sandtable"), 48
    nets = {runtime: evaluators.policy_network_of(path, runtime) for runtime in RUNTIMES}

    def one(runtime: str, first: int) -> float:
        judge = evaluators.fresh_policy_evaluator(TOKENS, nets[runtime], recipe.search.cache)
        numbers = range(first, first + games)
        starts = [self_play.beginning(recipe, number) for number in numbers]
        return (
            processor_seconds(lambda: _core.tubstap.self_play(judge, starts, list(numbers), recipe.search.settings))
            / games
        )

    for number in range(max(1, rounds // 3)):
        seconds = {runtime: one(runtime, 5000 + games * number) for runtime in RUNTIMES}
        show(f"self-play, {games} games from number {5000 + games * number}", seconds, "a game")


def update_samples() -> Iterator[self_play.Sample]:
    """Positions of games at random from the recipe's maps, with any policies."""
    recipe, rng, draw = recipes.load(recipes.locate("tubstap-fast")), random.Random(1), np.random.default_rng(1)
    for number in range(4000, 4400):
        state, seen = self_play.beginning(recipe, number), []
        while not state.over:
            moves = state.moves()
            attacks = [move for move in moves if move.target is not None]
            seen.append((state.copy(), [unit.id for unit in state.units], len(moves)))
            state.play(rng.choice(attacks if attacks and rng.random() < 0.5 else moves))
        hp = {unit.id: unit.hp for unit in state.units}
        for before, ids, moves_there in rng.sample(seen, min(4, len(seen))):
            policy = draw.dirichlet(np.ones(moves_there)).astype(np.float32)
            last = np.array([hp.get(unit, 0.0) for unit in ids], np.float32)
            yield self_play.Sample(before, policy, True, float(draw.integers(-1, 2)), last)


def update(rounds: int) -> None:
    import torch

    from sandtable.learn.optimisation import optimiser
    from sandtable.tubstap.training.losses import losses

    torch.set_num_threads(1)
    recipe = recipes.load(recipes.locate("tubstap-fast"))
    samples, generator = list(update_samples()), np.random.default_rng(2)
    module = TRAINABLE["tokens_64"].build()
    optimizer = optimiser(module, recipe.learning)
    times, moves = [], []
    for _ in range(max(5, rounds)):
        batch = [samples[i] for i in generator.integers(len(samples), size=256)]

        def step(batch: list[self_play.Sample] = batch) -> None:
            found = losses(module, TOKENS, batch, recipe.learning, generator)
            optimizer.zero_grad(set_to_none=True)
            found["total"].backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(module.parameters(), 5.0)
            optimizer.step()

        times.append(1000 * processor_seconds(step))
        moves.append(sum(len(sample.policy) for sample in batch))
    print(f"an update of 256 positions and {statistics.median(moves):,.0f} moves: {statistics.median(times):.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="networks,searches,self-play,update")
    arguments = parser.parse_args()
    parts = {"networks": networks, "searches": searches, "self-play": play, "update": update}
    print(f"instructions: {_core.instruction_sets()[0]}")
    for name in arguments.only.split(","):
        parts[name](arguments.rounds)


if __name__ == "__main__":
    main()
