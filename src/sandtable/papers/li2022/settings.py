"""What a run of li2022 consists of, at each scale. Constants of the paper stand here, with their sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from sandtable.nets.architectures import ARCHITECTURES, INPUTS, LAYERS, PLANES, Architecture, li2022_name
from sandtable.papers.settings import PaperSettings

KINDS = ("random", "symmetric", "local_search")  # of maps, section 4.1
NETWORKS = ("cnn_i", "cnn_g", "gcn_4", "gcn_32")  # Table 3
DATA_GAMES = ("fresh", "last")
OPTIONS = ("quiet_limit", "data_games", "layer", "inputs", "planes")  # readings: see Settings


class Maps(NamedTuple):
    """How many maps of each kind."""

    random: int
    symmetric: int
    local_search: int


# Section 4.2: the games of the training and of the test data.
PAPER_TRAIN = Maps(200, 274, 1900)
PAPER_TEST = Maps(15, 25, 80)
READINGS_MAPS = Maps(40, 60, 400)  # about the same proportions


@dataclass(frozen=True)
class Settings(PaperSettings):
    """The paper's numbers are the defaults."""

    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "best_by": ("held_out_loss", "held_out_accuracy"),
        "data_games": DATA_GAMES,
        "layer": tuple(LAYERS),
        "inputs": tuple(INPUTS),
        "planes": tuple(PLANES),
    }
    RANGES: ClassVar[dict[str, tuple[float, float]]] = {
        "train": (0, 10**6),
        "test": (0, 10**6),
        "more_random": (0, 10**6),
        "more_symmetric": (0, 10**6),
        "local_search_rollouts": (1, 10**9),
        "data_rollouts": (1, 10**9),
        "batch": (2, 10**6),
        "learning_rate": (1e-9, 10),
        "held_out": (0.001, 0.9),
        "patience": (1, 10**6),
        "max_epochs": (1, 10**6),
        "ceiling_states": (1, 10**6),
        "ceiling_games": (2, 10**4),
        "match_maps": (1, 10**6),
        "match_rollouts": (1, 10**9),
        "thinking_maps": (2, 10**6),
        "quiet_limit": (1, 10**6),
        "readings_maps": (0, 10**6),
        "readings_folds": (2, 100),
        "readings_patience": (1, 10**6),
        "readings_max_epochs": (1, 10**6),
    }

    seed: int = 2022
    # Data, section 4.2. The rollouts of the players that made it are not given. The more they have, the more games are
    # tied: with those of the local search the share of ties comes near the paper's, with a quarter of them it does not.
    train: Maps = PAPER_TRAIN
    test: Maps = PAPER_TEST
    # More games to test on, for narrower intervals than 120 allow: these, and one on each map of the matches.
    more_random: int = 45
    more_symmetric: int = 75
    local_search_rollouts: int = 6400
    data_rollouts: int = 6400
    # Training is not described.
    batch: int = 256
    learning_rate: float = 1e-3
    held_out: float = 0.1  # share of the training games on which training is stopped
    best_by: str = "held_out_loss"
    patience: int = 30  # epochs without a better one
    max_epochs: int = 150
    # How well anything could predict: some test states played on, many times, by the players of the data.
    ceiling_states: int = 200
    ceiling_games: int = 12
    # Matches, section 4.3: each map is played from both seats.
    match_maps: int = 250
    match_rollouts: int = 200
    thinking_maps: int = 50  # initial maps on which thinking times are taken
    # Readings of what the text leaves open. The defaults are our first readings; stage `readings` compares them with
    # the second ones.
    quiet_limit: int = 20  # section 4: a tie after 20 turns without damage: player turns; 40 if it means rounds
    data_games: str = "fresh"  # section 4.2: a fresh game on each map; "last": the local search's own last game
    layer: str = "adjacency"  # section 2.2: with the normalised adjacency and a bias; "kernel": with an N x N kernel
    inputs: str = "scaled"  # to lie near [-1, 1], or "raw"
    planes: str = "first"  # of the image: HP, type, side, mobility, ready; "text": those that section 3.1 names
    readings_maps: Maps = READINGS_MAPS  # for each tie rule; a fresh game and a last one on each
    readings_folds: int = 5  # of a cross-validation, each with a seed of its own
    readings_patience: int = 10
    readings_max_epochs: int = 60

    def architecture(self, network: str) -> Architecture:
        """Of a network of Table 3, by these readings."""
        return ARCHITECTURES[li2022_name(network, layer=self.layer, inputs=self.inputs, planes=self.planes)]

    def only(self, *names: str) -> dict[str, Any]:
        """Without readings at their defaults, so that runs from before there were options go on."""
        return {
            name: value
            for name, value in super().only(*names).items()
            if name not in OPTIONS or value != getattr(Settings, name)
        }


SCALES = {
    # Ends in two minutes: shows that every stage works, and nothing else.
    "smoke": Settings(
        train=Maps(8, 8, 24),
        test=Maps(2, 2, 4),
        more_random=1,
        more_symmetric=1,
        local_search_rollouts=50,
        data_rollouts=50,
        patience=2,
        max_epochs=4,
        ceiling_states=12,
        ceiling_games=4,
        match_maps=2,
        match_rollouts=50,
        thinking_maps=2,
        readings_maps=Maps(1, 2, 3),
        readings_folds=2,
        readings_patience=1,
        readings_max_epochs=2,
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
        readings_maps=Maps(8, 12, 80),
    ),
    "paper": Settings(),
}
