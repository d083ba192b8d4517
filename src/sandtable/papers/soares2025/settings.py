"""What a run of soares2025 consists of, at each scale. Constants of the thesis stand here, with their sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from sandtable import conquest
from sandtable.errors import SandtableError
from sandtable.papers.settings import PaperSettings
from sandtable.papers.soares2025.turns import POLICY_TARGETS, VALUE_TARGETS
from sandtable.rng import Rng

MAPS = ("simple", "banana", "owl_island", "italy")  # the first is the thesis's "custom"
SMALL = MAPS[:3]
GENERATED = tuple(f"generated-{number}" for number in range(20))  # maps that no network was trained on
ITERATIONS = 3  # of the thesis: data, training, evaluation


class Small(NamedTuple):
    """Of each small map."""

    simple: int
    banana: int
    owl_island: int


class All(NamedTuple):
    """Of each map."""

    simple: int
    banana: int
    owl_island: int
    italy: int


# Section 5.2.2, Tables 5.3, 5.5 and 5.7: turns that each iteration adds to the data.
PAPER_SAMPLES = (Small(11_980, 8_744, 6_204), Small(2_506, 9_581, 10_191), All(10_000, 10_010, 10_036, 10_002))


@dataclass(frozen=True)
class Settings(PaperSettings):
    """The thesis's numbers are the defaults."""

    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "rules": tuple(conquest.PRESETS),
        "policy_target": POLICY_TARGETS,
        "value_target": VALUE_TARGETS,
        "first_search": ("mcts", "coevolution", "coevolution_share"),
        "data_search": ("guided", "dropout", "coevolution"),
        "begin": ("fresh", "previous"),
        "text_map": MAPS,
        "beyond_budget": ("seconds", "counts"),
    }
    # Older runs do not know these: stages leave them out of what they depend on while they have their defaults.
    LATER: ClassVar[frozenset[str]] = frozenset({"rules"})
    RANGES: ClassVar[dict[str, tuple[float, float]]] = {
        "samples_1": (1, 10**6),
        "samples_2": (1, 10**6),
        "samples_3": (1, 10**6),
        "vanilla_iterations": (1, 10**6),
        "guided_iterations": (1, 10**6),
        "generations": (1, 10**6),
        "turn_limit": (1, 10**4),
        "batch": (1, 10**5),
        "learning_rate": (1e-9, 10),
        "epochs": (1, 10**5),
        "patience": (1, 10**5),
        "held_out": (0.001, 0.9),
        "evaluation_games": (2, 10**6),
        "tournament_games": (2, 10**6),
        "seconds": (0.001, 1000),
        "long_seconds": (0.001, 1000),
        "long_games": (0, 10**6),
        "further": (0, 20),
        "beyond_seconds": (0.001, 1000),
        "habit_games": (0, 10**6),
        "sweep_games": (0, 10**6),
        "rival_games": (0, 10**6),
        "text_games": (0, 10**6),
        "from_nothing_games": (0, 10**6),
        "own_games": (0, 10**6),
        "exploitability_seeds": (0, 10**5),
    }

    seed: int = 2025
    rules: str = "soares2025"  # the authors' code; soares2025-text: all marches of a turn in random order
    # Section 5.2.1: data from vanilla MCTS in the first iteration, from guided MCTS in the others.
    samples_1: Small = PAPER_SAMPLES[0]
    samples_2: Small = PAPER_SAMPLES[1]
    samples_3: All = PAPER_SAMPLES[2]
    vanilla_iterations: int = 300
    guided_iterations: int = 150
    generations: int = 4  # of coevolution, where it makes the data: about the time of the guided search
    turn_limit: int = 100  # of the rules: a tie
    # Sections 4.1.5 and 5.2.1. Ours: a tenth of the games is held out, and the epoch with the least loss on them kept.
    batch: int = 32
    learning_rate: float = 1e-3
    epochs: int = 200
    patience: int = 200  # epochs without a lesser loss; as many as there are: none are spared
    held_out: float = 0.1
    # As the text says; the other words are habits of the authors' code, or of ours to choose.
    policy_target: str = "visits"
    value_target: str = "result"
    first_search: str = "mcts"  # of the first iteration; coevolution: by the untrained network, or by shares
    data_search: str = "guided"  # from the second iteration on; dropout: guided, with the network as in training
    begin: str = "fresh"  # every iteration's network begins with fresh weights, or with those of the one before
    # Sections 5.2 and 5.3.1: games on each map, of each pair; seconds a move are the authors' 12 on a faster engine.
    evaluation_games: int = 30
    tournament_games: int = 50
    seconds: float = 0.25
    # Ours: the last tournament with more time, iterations beyond the third, habits, sweep, other players, the text's
    # inputs, coevolution from nothing: games on each map, 0 leaves a stage out; and what a move may take in all that
    # the thesis did not play, in seconds or in counts of the players' own (budgets.py).
    long_seconds: float = 2.0
    long_games: int = 10
    further: int = 2
    beyond_budget: str = "seconds"
    beyond_seconds: float = 0.25
    habit_games: int = 50
    sweep_games: int = 50
    rival_games: int = 50
    text_map: str = "italy"  # the map whose bonuses are inputs: of the thesis's, the one where they overlap
    text_games: int = 50
    from_nothing_games: int = 30
    own_games: int = 200  # of the player `sandtable` against each other one, on the four maps and on generated ones
    exploitability_seeds: int = 100  # of small games; 0 leaves it out

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in vars(self).items():
            if name.endswith("_games") and value % 2:
                raise SandtableError(f"{name} must be even, so that seats are swapped, not {value}")
        if self.exploitability_seeds == 1:
            raise SandtableError("exploitability_seeds must be 0 or at least 2, not 1: one half answers the other")

    def only(self, *names: str) -> dict[str, Any]:
        def as_ever(name: str, value: Any) -> bool:
            return name in self.LATER and value == getattr(type(self), name)

        return {name: value for name, value in super().only(*names).items() if not as_ever(name, value)}

    def added(self, iteration: int) -> dict[str, int]:
        """Turns that an iteration adds, by map; further ones add what the third does."""
        counts = (self.samples_1, self.samples_2, self.samples_3)[min(iteration, ITERATIONS) - 1]
        return counts._asdict()

    def maps(self, iteration: int) -> tuple[str, ...]:
        """Which an iteration's network is trained and played on."""
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
    # Shows that every stage works, and nothing else.
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
        text_map="banana",  # with a game to learn from and one to hold out
        text_games=2,
        from_nothing_games=2,
        own_games=2,
        exploitability_seeds=2,
    ),
    # Ends in half an hour on two cores.
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
        text_games=0,
        from_nothing_games=0,
        own_games=24,
        exploitability_seeds=20,
    ),
    "paper": Settings(),
}
