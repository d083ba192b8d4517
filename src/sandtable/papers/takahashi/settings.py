"""The settings of a run of takahashi at each scale. Constants of the paper are defined here, with their sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sandtable.papers.settings import (
    AnyCount,
    Count,
    Epochs,
    Measurements,
    PaperSettings,
    Rate,
    Rollouts,
    Seed,
    TwoOrMore,
    Within,
)

KINDS = ("simple", "complex")  # of maps, section 5.1
MODELS = ("gcn", "cnn", "a", "b", "c")  # section 4
SPLITS = ("game", "state")


@dataclass(frozen=True)
class Settings(PaperSettings):
    """The paper's numbers are the defaults."""

    LATER: ClassVar[dict[str, int]] = {"measurements": 3, "by_state": 1, "regularise": 1, "short_simulations": 0}

    seed: Seed = 2021
    # Data, sections 5.1 and 5.2: the maps of each kind, and the simulations of M-UCT. The paper does not give the
    # latter; 5,000 was the cap until January 2016, and version 1.08 of the platform has 2,000.
    maps: TwoOrMore = 5000
    simulations: Rollouts = 5000
    # Ours: M-UCT's simulations in games that are as long as the paper's, on which all models are trained once more; 0:
    # these games and trainings are left out. The stage `budgets` shows why 10.
    short_simulations: AnyCount = 10
    # Ours: the number of games for each budget of M-UCT that is tried, and the largest of these budgets.
    budget_games: TwoOrMore = 100
    largest_budget: Annotated[int, Within(10, 10**9)] = 5000
    # Section 5.3: four fifths are for training. The paper does not say whether games or states were divided, so both
    # are done.
    test_share: Annotated[float, Within(0.01, 0.9)] = 0.2
    by_state: Annotated[int, Within(0, 1)] = 1  # 0: only games are divided
    batch: TwoOrMore = 2000
    learning_rate: Rate = 1e-3
    epochs: Epochs = 50
    convolution_batch: Annotated[int, Within(2, 10**5)] = 2000  # states in the measurement of the convolution
    measurements: Measurements = 3
    training_seeds: Count = 3  # ours: trainings of the GCN and of B, to judge which predicts better
    regularise: Annotated[int, Within(0, 1)] = 1  # 0: no regularised models
    # Ours: the same models regularised, with games divided and early stopping on games held out from the training set.
    held_out: Annotated[float, Within(0.01, 0.9)] = 0.1
    patience: Epochs = 10
    dropout: Annotated[float, Within(0, 0.9)] = 0.3
    weight_decay: Annotated[float, Within(0, 10)] = 0.01
    # Ours: matches on maps with terrain, each map from both seats.
    match_maps: Count = 250
    handicap_maps: Count = 50  # of matches against M-UCT with less time
    thinking_maps: TwoOrMore = 30


SCALES = {
    # Takes two minutes: shows only that every stage works.
    "smoke": Settings(
        maps=8,
        simulations=30,
        budget_games=3,
        largest_budget=30,
        batch=64,
        convolution_batch=64,
        measurements=1,
        epochs=1,
        training_seeds=2,
        patience=1,
        match_maps=1,
        handicap_maps=1,
        thinking_maps=2,
    ),
    # Takes half an hour on two cores.
    "quick": Settings(
        maps=400,
        simulations=1000,
        budget_games=40,
        largest_budget=1000,
        batch=500,
        epochs=12,
        patience=4,
        match_maps=10,
        handicap_maps=10,
        thinking_maps=10,
    ),
    "paper": Settings(),
}
