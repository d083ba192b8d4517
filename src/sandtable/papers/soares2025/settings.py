"""The settings of a run of soares2025 at each scale. The thesis's constants are here, with their sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

from sandtable import conquest
from sandtable.errors import SandtableError
from sandtable.papers.settings import (
    AnyCount,
    Count,
    Epochs,
    OneOf,
    PaperSettings,
    Rate,
    Seconds,
    Seed,
    Share,
    TwoOrMore,
    Within,
)
from sandtable.papers.soares2025.searched_games import POLICY_TARGETS, VALUE_TARGETS
from sandtable.rng import Rng

MAPS = ("simple", "banana", "owl_island", "italy")  # the first is the thesis's "custom"
SMALL = MAPS[:3]
GENERATED = tuple(f"generated-{number}" for number in range(20))  # maps that no network was trained on
ITERATIONS = 3  # of the thesis: data, training, evaluation


class Small(NamedTuple):
    """A number for each small map."""

    simple: int
    banana: int
    owl_island: int


class All(NamedTuple):
    """A number for each map."""

    simple: int
    banana: int
    owl_island: int
    italy: int


# Section 5.2.2, Tables 5.3, 5.5 and 5.7: samples (one player's view of a turn) that each iteration adds to the data.
PAPER_SAMPLES = (Small(11_980, 8_744, 6_204), Small(2_506, 9_581, 10_191), All(10_000, 10_010, 10_036, 10_002))


@dataclass(frozen=True)
class Settings(PaperSettings):
    """The defaults are the thesis's values where it states them."""

    LATER: ClassVar[dict[str, str]] = {"rules": "soares2025"}

    seed: Seed = 2025
    # The rules of the authors' code, or "soares2025-text": all marches of a turn in random order.
    rules: Annotated[str, OneOf(*conquest.PRESETS)] = "soares2025"
    # Section 5.2.1: data from vanilla MCTS in the first iteration, from guided MCTS in the others.
    samples_1: Annotated[Small, Within(1, 10**6)] = PAPER_SAMPLES[0]
    samples_2: Annotated[Small, Within(1, 10**6)] = PAPER_SAMPLES[1]
    samples_3: Annotated[All, Within(1, 10**6)] = PAPER_SAMPLES[2]
    vanilla_iterations: Count = 300
    guided_iterations: Count = 150
    generations: Count = 4  # of coevolution, if it makes the data: takes about as long as the guided search
    turn_limit: Annotated[int, Within(1, 10**4)] = 100  # of the rules: a longer game is a tie
    # Sections 4.1.5 and 5.2.1. Ours: a tenth of the games is held out, and the weights with the least loss on it kept.
    batch: Annotated[int, Within(1, 10**5)] = 32
    learning_rate: Rate = 1e-3
    epochs: Epochs = 200
    patience: Epochs = 200  # epochs without a lower loss before training stops; as many as `epochs`: no early stopping
    held_out: Share = 0.1
    # The defaults follow the text; the other values are what the authors' code does, or choices of ours.
    policy_target: Annotated[str, OneOf(*POLICY_TARGETS)] = "visits"
    value_target: Annotated[str, OneOf(*VALUE_TARGETS)] = "result"
    # The search of the first iteration. Coevolution evaluates by the untrained network, coevolution_share by the shares
    # of armies and income.
    first_search: Annotated[str, OneOf("mcts", "coevolution", "coevolution_share")] = "mcts"
    # The search from the second iteration on; dropout: guided, with the network's dropout on, as in training.
    data_search: Annotated[str, OneOf("guided", "dropout", "coevolution")] = "guided"
    # Every iteration's network begins with fresh weights, or with those of the one before.
    begin: Annotated[str, OneOf("fresh", "previous")] = "fresh"
    # Sections 5.2 and 5.3.1: games of each pair on each map; seconds a move, for the authors' 12 on a slower engine.
    evaluation_games: TwoOrMore = 30
    tournament_games: TwoOrMore = 50
    seconds: Seconds = 0.25
    # Ours: the last tournament with more time, iterations beyond the third, habits, a sweep, other players, the text's
    # inputs, coevolution from nothing. `*_games` are on each map; 0 leaves a stage out. `beyond_*`: the budget of a
    # move in games that the thesis did not play, in seconds or in a count of each player's own (budgets.py).
    long_seconds: Seconds = 2.0
    long_games: AnyCount = 10
    further: Annotated[int, Within(0, 20)] = 2
    beyond_budget: Annotated[str, OneOf("seconds", "counts")] = "seconds"
    beyond_seconds: Seconds = 0.25
    habit_games: AnyCount = 50
    sweep_games: AnyCount = 50
    rival_games: AnyCount = 50
    # Games on each map: of the five best rows of sweep and rivals against each opponent; of the last tournament by the
    # text's order of marches; of networks with other layers, each trained for `network_seconds` of processor time.
    best_games: AnyCount = 100
    text_order_games: AnyCount = 20
    network_games: AnyCount = 50
    network_seconds: Annotated[float, Within(0.01, 10**6)] = 1800.0
    text_map: Annotated[str, OneOf(*MAPS)] = "italy"  # its bonuses are inputs; only on italy do they overlap
    text_games: AnyCount = 50
    from_nothing_games: AnyCount = 30
    own_games: AnyCount = 200  # of `sandtable` against each player over the four maps; as many over generated ones
    exploitability_seeds: Annotated[int, Within(0, 10**5)] = 100  # for each small game; 0 leaves the stage out

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in vars(self).items():
            if name.endswith("_games") and value % 2:
                raise SandtableError(f"{name} must be even, so that seats are swapped, not {value}")
        if self.exploitability_seeds == 1:
            raise SandtableError("exploitability_seeds must be 0 or at least 2, not 1: the seeds are divided in halves")

    def added(self, iteration: int) -> dict[str, int]:
        """The samples that an iteration adds to the data, by map; those after the third add as many as the third."""
        counts = (self.samples_1, self.samples_2, self.samples_3)[min(iteration, ITERATIONS) - 1]
        return counts._asdict()

    def maps(self, iteration: int) -> tuple[str, ...]:
        """The maps on which an iteration's network is trained and plays."""
        return tuple(self.added(iteration))

    def land(self, name: str) -> conquest.Land:
        if name in GENERATED:
            rng = Rng(self.seed, f"soares2025 {name}")
            size = rng.between(8, 24)
            found = conquest.maps.planar(rng.below(2**32 - 1), territories=size, unions=rng.between(0, 2))
        else:
            found = conquest.load(name)
        return found.with_rules(conquest.rules(self.rules).replace(turn_limit=self.turn_limit))


SCALES = {
    # Shows only that every stage works.
    "smoke": Settings(
        samples_1=Small(8, 8, 8),
        samples_2=Small(4, 4, 4),
        samples_3=All(4, 4, 4, 4),
        vanilla_iterations=2,
        guided_iterations=2,
        generations=1,
        turn_limit=2,
        epochs=1,
        patience=1,
        evaluation_games=2,
        tournament_games=2,
        seconds=0.001,
        long_seconds=0.001,
        long_games=2,
        further=1,
        beyond_seconds=0.001,
        habit_games=2,
        sweep_games=2,
        rival_games=2,
        best_games=2,
        text_order_games=2,
        network_games=2,
        network_seconds=0.01,
        text_map="banana",  # has a game to learn from and one to hold out
        text_games=2,
        from_nothing_games=2,
        own_games=2,
        exploitability_seeds=2,
    ),
    # Takes half an hour on two cores.
    "quick": Settings(
        samples_1=Small(1500, 1500, 1500),
        samples_2=Small(300, 300, 300),
        samples_3=All(600, 600, 600, 900),
        epochs=12,
        patience=4,
        evaluation_games=10,
        tournament_games=6,
        seconds=0.08,
        long_games=0,
        further=0,
        beyond_seconds=0.08,
        habit_games=4,
        sweep_games=2,
        rival_games=2,
        best_games=0,
        text_order_games=0,
        network_games=0,
        text_games=0,
        from_nothing_games=0,
        own_games=24,
        exploitability_seeds=20,
    ),
    "paper": Settings(),
}
