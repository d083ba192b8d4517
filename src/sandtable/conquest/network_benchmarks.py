"""Speed of the Conquest networks that the core runs, compared with onnxruntime."""

from __future__ import annotations

from collections.abc import Iterator

from sandtable import conquest
from sandtable.nets import locate
from sandtable.nets.conquest import fresh_territory_evaluator
from sandtable.nets.evaluators import policy_network_of
from sandtable.rates import Comparison, Rate, compared_networks, runtimes

NET = "sandtable-conquest"
BATCH = 11
LIMITS = {"italy": 1.5, "earth": None, "256 territories": 3.0}  # by map, the speed-up that batches of 11 should reach


def positions(name: str, count: int) -> list[conquest.State]:
    """Positions up to seven turns into random games."""
    land = conquest.load(name) if " " not in name else conquest.maps.planar(seed=7, territories=256)
    found: list[conquest.State] = []
    for seed in range(count):
        state = land.start(seed // 8)
        for turn in range(seed % 8):
            if not state.over:
                state.resolve(state.random_move(0, turn), state.random_move(1, turn))
        found.append(land.start(seed) if state.over else state)
    return found


def networks(rounds: int, batches: tuple[int, ...] = (BATCH,)) -> Iterator[Comparison]:
    nets = {runtime: policy_network_of(locate(NET), runtime) for runtime in runtimes()}
    for where, least in LIMITS.items():
        judges = {name: fresh_territory_evaluator(net, 0) for name, net in nets.items()}
        limits = {batch: least if batch == BATCH else None for batch in batches}
        yield from compared_networks(
            "territories_48",
            where,
            judges,
            lambda judge, part: judge.evaluate(part, [0] * len(part)),
            positions(where, max(batches)),
            limits,
            rounds,
        )


def rates() -> Iterator[Rate]:
    """The rates that `sandtable bench` prints."""
    for one in networks(3):
        yield one.rate()
