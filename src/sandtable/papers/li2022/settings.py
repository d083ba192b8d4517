"""The settings of a run of li2022 at each scale. The paper's constants are here, with their sections."""

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
# Our first readings of what the paper leaves open: see Settings.
FIRST_READINGS = {"quiet_limit": 20, "data_games": "fresh", "layer": "adjacency", "inputs": "scaled", "planes": "first"}


class Maps(NamedTuple):
    """Numbers of maps by kind."""

    random: int
    symmetric: int
    local_search: int


# Section 4.2: the games of the training and of the test data.
PAPER_TRAIN = Maps(200, 274, 1900)
PAPER_TEST = Maps(15, 25, 80)
READINGS_MAPS = Maps(40, 60, 400)  # about the paper's proportions


class CurveSizes(NamedTuple):
    """Numbers of training games for the learning curves, from few to many."""

    least: int
    few: int
    many: int
    most: int


class FirstRuleSizes(NamedTuple):
    """The same for the first reading's tie rule."""

    few: int
    many: int


CURVE_SIZES = CurveSizes(300, 1000, 3000, 10_000)
FIRST_RULE_SIZES = FirstRuleSizes(1000, 3000)


@dataclass(frozen=True)
class Settings(PaperSettings):
    """The defaults are the paper's values where it states them."""

    LATER: ClassVar[dict[str, Any]] = FIRST_READINGS | {"training_seeds": 1, "mcts_readings_maps": 0}

    seed: Seed = 2022
    # Data, section 4.2. The paper does not state its players' rollouts. More rollouts give more ties: with as many as
    # in the local search the share of ties comes near the paper's, with a quarter of them it does not.
    train: Annotated[Maps, Within(0, 10**6)] = PAPER_TRAIN
    test: Annotated[Maps, Within(0, 10**6)] = PAPER_TEST
    # More test games, for narrower intervals than from the paper's 120: these, and one on each map of the matches.
    more_random: AnyCount = 45
    more_symmetric: AnyCount = 75
    local_search_rollouts: Rollouts = 6400
    data_rollouts: Rollouts = 6400
    # The paper does not describe the training.
    batch: TwoOrMore = 256
    learning_rate: Rate = 1e-3
    held_out: Share = 0.1  # share of the training games held out for early stopping
    best_by: Annotated[str, OneOf("held_out_loss", "held_out_accuracy")] = "held_out_loss"
    patience: Count = 30  # epochs without improvement before training stops
    max_epochs: Count = 150
    training_seeds: Count = 5  # ours: trainings of each network, to judge their order; matches use the first
    # The best possible accuracy: the players of the data play many games from some test states.
    ceiling_states: Count = 200
    ceiling_games: Annotated[int, Within(2, 10**4)] = 12
    # Matches, section 4.3: each map is played from both seats.
    match_maps: Count = 250
    match_rollouts: Rollouts = 200
    thinking_maps: TwoOrMore = 50  # initial maps on which thinking time is measured
    mcts_readings_maps: AnyCount = 100  # ours: for other readings of MCTS (mcts_readings.py); 0 leaves them out
    # Readings of what the paper leaves open. The defaults are our first readings; stage `readings` compares them with
    # the second ones.
    # Section 4: a tie after 20 turns without damage, here turns of one side; 40 if the paper means rounds.
    quiet_limit: Count = 20
    # Section 4.2. "fresh": a new game on each map; "last": the last game of the local search that made the map.
    data_games: Annotated[str, OneOf(*DATA_GAMES)] = "fresh"
    # Section 2.2. "adjacency": the normalised adjacency matrix and a bias; "kernel": an N x N kernel in their place.
    layer: Annotated[str, OneOf(*LAYERS)] = "adjacency"
    inputs: Annotated[str, OneOf(*INPUTS)] = "scaled"  # "scaled": to about [-1, 1]; or "raw"
    # Planes of the image. "first": HP, type, side, mobility, ready; "text": the five that section 3.1 names.
    planes: Annotated[str, OneOf(*PLANES)] = "first"
    readings: Annotated[int, Within(0, 1)] = 1  # 0: not compared; the report quotes a stored comparison
    readings_maps: Annotated[Maps, Within(0, 10**6)] = READINGS_MAPS  # for each tie rule; up to two games on each
    readings_folds: Annotated[int, Within(2, 100)] = 5  # of a cross-validation; each fold has its own seed
    readings_patience: Count = 10
    readings_max_epochs: Count = 60
    # Ours: learning curves (learning_curves.py), with weaker players, so that there can be many more games.
    curve_repeats: Annotated[int, Within(0, 100)] = 3  # trainings for each size, if the games suffice; 0: no curves
    curve_sizes: Annotated[CurveSizes, Within(2, 10**6)] = CURVE_SIZES
    curve_first_rule: Annotated[FirstRuleSizes, Within(2, 10**6)] = FIRST_RULE_SIZES
    curve_test_games: TwoOrMore = 500
    curve_rollouts: Rollouts = 1600
    curve_patience: Count = 10
    curve_max_epochs: Count = 60

    def architecture(self, network: str) -> Architecture:
        """The architecture of a network of Table 3 under these readings."""
        return ARCHITECTURES[li2022_name(network, layer=self.layer, inputs=self.inputs, planes=self.planes)]


SCALES = {
    # Takes two minutes; shows only that every stage works.
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
    # Takes half an hour on two cores.
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
