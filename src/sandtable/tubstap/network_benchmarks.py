"""Speed of the TUBSTAP networks that the core runs, compared with onnxruntime: the network alone, whole searches and
self-play; and speed of the learner's update. `sandtable bench` and benchmarks/network_runtimes.py run these benchmarks.

The two runtimes alternate. For a network alone the time inside it is measured, otherwise processor time. No cache is
reused. The limits are the speed-ups that the networks in the core were written to reach.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from sandtable import _core, tubstap
from sandtable.learn import recipe as recipes
from sandtable.nets import locate
from sandtable.nets.architectures import TOKENS, TRAINABLE
from sandtable.nets.evaluators import fresh_policy_evaluator, policy_network_of
from sandtable.rates import Comparison, Rate, compared, compared_networks, processor_seconds, runtimes
from sandtable.tubstap.training import self_play

NET, RECIPE = "sandtable", "tubstap-fast"
SIMULATIONS = 300
SEARCH = _core.tubstap.PuctSettings(simulations=SIMULATIONS, batch=16)
BATCH = 11  # the mean batch size of searches that collect up to 16 positions
SELF_PLAY_LIMIT = 2.0
FIRST_GAME = 5000  # from this game on, the recipe uses all its sources of maps
# The time of an update divided by that of an update with all states padded alike. The padded update takes 0.89 of the
# time that an update took before positions were added to units instead of moves and AdamW was fused. The target is 0.65
# of that earlier time, and 0.65 / 0.89 = 0.73.
UPDATE_LIMIT = 0.73

# The speed-ups over onnxruntime that each board should reach: batches of 11 positions, whole searches.
LIMITS = {"3 v 3": (2.0, 1.8), "6 v 6": (2.0, 1.7), "10 v 10": (1.5, 1.5)}


def boards() -> dict[str, tubstap.Scenario]:
    return {"3 v 3": tubstap.maps.symmetric(1), "6 v 6": tubstap.load("ford"), "10 v 10": tubstap.maps.mixed(1)}


def positions(start: tubstap.Scenario, count: int) -> list[tubstap.State]:
    """Every third position of random games from the start."""
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


def _judges(cache: int) -> Callable[[], dict[str, _core.tubstap.PolicyEvaluator]]:
    """A function that makes new evaluators, one for each runtime."""
    nets = {runtime: policy_network_of(locate(NET), runtime) for runtime in runtimes()}
    return lambda: {name: fresh_policy_evaluator(TOKENS, net, cache) for name, net in nets.items()}


def networks(rounds: int, batches: tuple[int, ...] = (BATCH,)) -> Iterator[Comparison]:
    for where, start in boards().items():
        limits = {batch: LIMITS[where][0] if batch == BATCH else None for batch in batches}
        judges, states = _judges(0)(), positions(start, 64)
        yield from compared_networks(
            "tokens_64", where, judges, lambda judge, part: judge.evaluate(part), states, limits, rounds
        )


def searches(rounds: int) -> Iterator[Comparison]:
    """Single decisions with the player's settings, each with a new tree and a new cache."""
    made = _judges(1 << 17)
    for where, start in boards().items():
        times = []
        for state in positions(start, rounds):
            seconds = {name: processor_seconds(_search, judge, state) for name, judge in made().items()}
            times.append({name: found / SIMULATIONS for name, found in seconds.items()})
        yield compared(f"pvmcts({SIMULATIONS})", where, "simulation", times, LIMITS[where][1])


def _search(judge: _core.tubstap.PolicyEvaluator, state: tubstap.State) -> None:
    _core.tubstap.PolicyTree().search(state, judge, SEARCH, seed=1)


def play(rounds: int, games: int) -> Iterator[Comparison]:
    """Self-play games of the recipe: a worker's task without reading and writing its files."""
    recipe = recipes.load(recipes.locate(RECIPE))
    made, times = _judges(recipe.search.cache), []
    for number in range(rounds):
        numbers = range(FIRST_GAME + games * number, FIRST_GAME + games * (number + 1))
        starts = [self_play.beginning(recipe, one) for one in numbers]

        rest = starts, list(numbers), recipe.search.settings
        seconds = {name: processor_seconds(_core.tubstap.self_play, judge, *rest) for name, judge in made().items()}
        times.append({name: found / games for name, found in seconds.items()})
    yield compared(f"self-play, {RECIPE}", f"{games} games at a time", "game", times, SELF_PLAY_LIMIT)


def _update_samples(recipe: recipes.Recipe, games: int) -> Iterator[self_play.Sample]:
    """Positions of random games on the recipe's maps, with random policies and results."""
    rng, draw = random.Random(1), np.random.default_rng(1)
    for number in range(FIRST_GAME, FIRST_GAME + games):
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


def updates(rounds: int) -> Iterator[Rate]:
    """The learner's update of 256 positions, compared with one that pads all states alike; nothing without torch."""
    if find_spec("torch") is None:
        return
    import torch

    torch.set_num_threads(1)
    recipe = recipes.load(recipes.locate(RECIPE))
    samples, generator = list(_update_samples(recipe, 400)), np.random.default_rng(2)
    grouped, padded = _updater(recipe), _updater(recipe, groups=1)
    batches = [[samples[i] for i in generator.integers(len(samples), size=256)] for _ in range(rounds + 1)]
    grouped(batches[0]), padded(batches[0])  # warm-up: allocates memory and the optimiser's moments
    pairs = [(processor_seconds(grouped, one), processor_seconds(padded, one)) for one in batches[1:]]
    seconds = statistics.median(one for one, _ in pairs)
    share = statistics.median(one / other for one, other in pairs)
    moves = statistics.median(sum(len(sample.policy) for sample in batch) for batch in batches)
    where = f"256 positions, {moves:,.0f} moves"
    note = f"{share:.0%} of the time with padded states, should be {UPDATE_LIMIT:.0%} or less"
    yield Rate(f"update, {RECIPE}", where, 1 / seconds, "updates", note)


def _updater(recipe: recipes.Recipe, **options: int) -> Callable[[list[self_play.Sample]], None]:
    import torch

    from sandtable.learn.optimisation import optimiser
    from sandtable.tubstap.training.losses import losses

    module = TRAINABLE[recipe.network.architecture].build()
    optimizer = optimiser(module, recipe.learning)

    def update(batch: list[self_play.Sample]) -> None:
        found: dict[str, Any] = losses(module, TOKENS, batch, recipe.learning, np.random.default_rng(), **options)
        optimizer.zero_grad(set_to_none=True)
        found["total"].backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 5.0)
        optimizer.step()

    return update


def rates(seconds: float) -> Iterator[Rate]:
    """The rates that `sandtable bench` prints; the number of self-play games, 4 to 48, grows with `seconds`."""
    rounds = 3
    for one in (*networks(rounds), *searches(rounds), *play(1, max(4, min(48, round(48 * seconds))))):
        yield one.rate()
    yield from updates(3 * rounds)
