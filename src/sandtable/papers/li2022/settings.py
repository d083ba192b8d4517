"""What a run of li2022 consists of, at each scale. Constants of the paper stand here, with their sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

from sandtable.nets.architectures import ARCHITECTURES, INPUTS, LAYERS, PLANES, Architecture, li2022_name
from sandtable.papers.settings import (
    AnyCount,
    Count,
    OneOf,
    PaperSettings,
    Rate,
    Rollouts,
    Seed,
    Share,
    TwoOrMore,
    Within,
)

KINDS = ("random", "symmetric", "local_search")  # of maps, section 4.1
NETWORKS = ("cnn_i", "cnn_g", "gcn_4", "gcn_32")  # Table 3
DATA_GAMES = ("fresh", "last")
# Of what the text leaves open: see Settings.
FIRST_READINGS = {"quiet_limit": 20, "data_games": "fresh", "layer": "adjacency", "inputs": "scaled", "planes": "first"}


class Maps(NamedTuple):
    """How many maps of each kind."""

    random: int
    symmetric: int
    local_search: int


# Section 4.2: the games of the training and of the test data.
PAPER_TRAIN = Maps(200, 274, 1900)
PAPER_TEST = Maps(15, 25, 80)
READINGS_MAPS = Maps(40, 60, 400)  # about the same proportions


class CurveSizes(NamedTuple):
    """Numbers of games that networks of the learning curves learn from, from few to many."""

    least: int
    few: int
    many: int
    most: int


class FirstRuleSizes(NamedTuple):
    """The same for the tie rule of the first reading."""

    few: int
    many: int


CURVE_SIZES = CurveSizes(300, 1000, 3000, 10_000)
FIRST_RULE_SIZES = FirstRuleSizes(1000, 3000)


@dataclass(frozen=True)
class Settings(PaperSettings):
    """The paper's numbers are the defaults."""

    LATER: ClassVar[dict[str, Any]] = FIRST_READINGS | {"training_seeds": 1, "mcts_readings_maps": 0}

    seed: Seed = 2022
    # Data, section 4.2. The rollouts of the players that made it are not given. The more they have, the more games are
    # tied: with those of the local search the share of ties comes near the paper's, with a quarter of them it does not.
    train: Annotated[Maps, Within(0, 10**6)] = PAPER_TRAIN
    test: Annotated[Maps, Within(0, 10**6)] = PAPER_TEST
    # More games to test on, for narrower intervals than 120 allow: these, and one on each map of the matches.
    more_random: AnyCount = 45
    more_symmetric: AnyCount = 75
    local_search_rollouts: Rollouts = 6400
    data_rollouts: Rollouts = 6400
    # Training is not described.
    batch: TwoOrMore = 256
    learning_rate: Rate = 1e-3
    held_out: Share = 0.1  # share of the training games on which training is stopped
    best_by: Annotated[str, OneOf("held_out_loss", "held_out_accuracy")] = "held_out_loss"
    patience: Count = 30  # epochs without a better one
    max_epochs: Count = 150
    training_seeds: Count = 5  # ours: so many trainings of each network judge their order; matches have the first
    # How well anything could predict: some test states played on, many times, by the players of the data.
    ceiling_states: Count = 200
    ceiling_games: Annotated[int, Within(2, 10**4)] = 12
    # Matches, section 4.3: each map is played from both seats.
    match_maps: Count = 250
    match_rollouts: Rollouts = 200
    thinking_maps: TwoOrMore = 50  # initial maps on which thinking times are taken
    mcts_readings_maps: AnyCount = 100  # ours: of other readings of MCTS (mcts_readings.py); 0: they are not played
    # Readings of what the text leaves open. The defaults are our first readings; stage `readings` compares them with
    # the second ones.
    quiet_limit: Count = 20  # section 4: a tie after 20 turns without damage: player turns; 40 if it means rounds
    # Section 4.2: a fresh game on each map; "last": the local search's own last game.
    data_games: Annotated[str, OneOf(*DATA_GAMES)] = "fresh"
    # Section 2.2: with the normalised adjacency and a bias; "kernel": with an N x N kernel.
    layer: Annotated[str, OneOf(*LAYERS)] = "adjacency"
    inputs: Annotated[str, OneOf(*INPUTS)] = "scaled"  # to lie near [-1, 1], or "raw"
    # Of the image: HP, type, side, mobility, ready; "text": those that section 3.1 names.
    planes: Annotated[str, OneOf(*PLANES)] = "first"
    readings: Annotated[int, Within(0, 1)] = 1  # 0: they are not compared; a report that lies there is quoted
    readings_maps: Annotated[Maps, Within(0, 10**6)] = READINGS_MAPS  # for each tie rule; two games on each
    readings_folds: Annotated[int, Within(2, 100)] = 5  # of a cross-validation, each with a seed of its own
    readings_patience: Count = 10
    readings_max_epochs: Count = 60
    # Ours, learning curves (learning_curves.py): games of weaker players, of which there can be many more.
    curve_repeats: Annotated[int, Within(0, 100)] = 3  # trainings of a size, if the games suffice; 0: no curves
    curve_sizes: Annotated[CurveSizes, Within(2, 10**6)] = CURVE_SIZES
    curve_first_rule: Annotated[FirstRuleSizes, Within(2, 10**6)] = FIRST_RULE_SIZES
    curve_test_games: TwoOrMore = 500
    curve_rollouts: Rollouts = 1600
    curve_patience: Count = 10
    curve_max_epochs: Count = 60

    def architecture(self, network: str) -> Architecture:
        """The architecture of a network of Table 3 by these readings."""
        return ARCHITECTURES[li2022_name(network, layer=self.layer, inputs=self.inputs, planes=self.planes)]


SCALES = {
    # Ends in two minutes: shows that every stage works, and nothing else.
    "smoke": Settings(
        train=Maps(2, 2, 4),
        test=Maps(1, 1, 1),
        more_random=1,
        more_symmetric=1,
        local_search_rollouts=50,
        data_rollouts=50,
        patience=2,
        max_epochs=2,
        training_seeds=2,
        ceiling_states=3,
        ceiling_games=2,
        match_maps=1,
        match_rollouts=50,
        thinking_maps=2,
        mcts_readings_maps=1,
        readings_maps=Maps(1, 2, 3),
        readings_folds=2,
        readings_patience=1,
        readings_max_epochs=2,
        curve_repeats=2,
        curve_sizes=CurveSizes(2, 2, 2, 4),
        curve_first_rule=FirstRuleSizes(2, 2),
        curve_test_games=4,
        curve_rollouts=20,
        curve_patience=1,
        curve_max_epochs=1,
    ),
    # Ends in half an hour on two cores.
    "quick": Settings(
        train=Maps(100, 200, 700),
        more_random=9,
        more_symmetric=16,
        local_search_rollouts=1600,
        data_rollouts=1600,
        ceiling_states=100,
        match_maps=50,
        mcts_readings_maps=20,
        readings_maps=Maps(8, 12, 80),
        curve_repeats=0,
    ),
    "paper": Settings(),
}
