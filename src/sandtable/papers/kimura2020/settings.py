"""The settings of a run of kimura2020 at each scale. Constants of the paper are defined here, with their sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

from sandtable.learn.map_sources import Maps
from sandtable.learn.recipe import Learning, Network, Recipe, Search
from sandtable.papers.settings import (
    AnyCount,
    Count,
    Measurements,
    OneOf,
    PaperSettings,
    Seconds,
    Seed,
    TwoOrMore,
    Within,
)

ATTACK_BONUS = 3.7  # section 3.2
BATCH = 128  # section 3.4.4
L2 = 1e-4  # section 3.4.4
# The readings of the first runs, which were made before these settings existed. docs/papers.md explains the readings.
FIRST_READINGS = {
    "policy_head": "convolution",
    "policy_loss": "legal",
    "regularisation": "decay",
    "training_maps": "random",
}
EVEN_SKIRMISH = {"distance": 5, "hp_difference": 2}  # ours: no unit can attack at once, and no side is far ahead


class Variant(NamedTuple):
    """A network of section 4.2.2, and how it was trained."""

    time: str  # short or long
    blocks: int
    separable: bool = True
    attack: bool = True  # the attack term
    dropout: bool = True

    @property
    def name(self) -> str:
        kind = "sep" if self.separable else "conv"
        less = ("" if self.attack else "-no-attack") + ("" if self.dropout else "-no-dropout")
        return f"{self.time}-{kind}-{self.blocks}{less}"


# The rows of Table 1 in the paper's order, and one row of ours, which shows the effect of the attack term after the
# same number of games.
VARIANTS = (
    Variant("short", 4),
    Variant("short", 6),
    Variant("short", 8),
    Variant("short", 6, separable=False),
    Variant("long", 8, attack=False),
    Variant("short", 8, dropout=False),
    Variant("long", 8),
    Variant("short", 8, attack=False),
)


@dataclass(frozen=True)
class Settings(PaperSettings):
    """The paper's numbers are the defaults, where it gives them."""

    LATER: ClassVar[dict[str, Any]] = FIRST_READINGS | {"measurements": 3, "turn_seconds": 0.1}

    seed: Seed = 2020
    games: Count = 500  # "Short", section 4.2.1
    small_games: AnyCount = 500  # of the networks with 4 and 6 blocks; 0: they are not trained
    plain_games: AnyCount = 500  # of the network with plain convolutions; 0: it is not trained
    long_games: AnyCount = 3000  # "Long": three weeks in the paper; 0: they are not trained
    simulations: Count = 500  # per decision, in training and in play
    updates_per_game: Annotated[float, Within(0, 1000)] = 10.0  # about 5,000 updates in 500 games
    # affine: section 3.4.2; convolution: our first reading, with a 1x1 convolution before the affine layer.
    policy_head: Annotated[str, OneOf("affine", "convolution")] = "affine"
    # The softmax in the loss is over the legal moves (legal) or over the 180 outputs (all).
    policy_loss: Annotated[str, OneOf("legal", "all")] = "legal"
    # loss: section 3.4.4, L2 of 1e-4 as a term of the loss; decay: half as strong, as the optimiser's weight decay.
    regularisation: Annotated[str, OneOf("loss", "decay")] = "loss"
    # even: section 4.1.2, random maps whose games last 8 to 16 turns; random: any cells and HP.
    training_maps: Annotated[str, OneOf("even", "random")] = "even"
    # Ours: the number of trainings, each with its own seed, of every short network in a claimed difference.
    training_seeds: Annotated[int, Within(1, 100)] = 3
    # Ours: one training with the other policy head and one with the other maps; 0: they are left out.
    alternatives: Annotated[int, Within(0, 1)] = 1
    graph: Annotated[int, Within(0, 1)] = 1  # ours: a graph network in place of the image network; 0: none
    match_games: TwoOrMore = 50
    long_match_games: TwoOrMore = 150
    thinking_maps: Count = 10
    measurements: Measurements = 3
    # Ours: the recipe tubstap-fast, and the matches of its networks.
    fast_minutes: Annotated[float, Within(0.01, 10**5)] = 60.0
    fast_games: TwoOrMore = 150  # on each of the paper's maps against each of its opponents
    fast_simulations: Count = 500
    turn_games: AnyCount = 200  # on each kind of map against each rival
    turn_seconds: Seconds = 0.1
    long_turn_games: AnyCount = 40  # at 1 second per turn
    # The opponents, section 4.2.
    playouts: Count = 100
    mcts_simulations: Count = 2000

    def games_of(self, variant: Variant) -> int:
        if variant.time == "long":
            return self.long_games
        if not variant.separable:
            return self.plain_games
        return self.games if variant.blocks == 8 else self.small_games

    def architecture(self, blocks: int, separable: bool) -> str:
        head = "_affine" if self.policy_head == "affine" else ""
        return f"kimura_{'sep' if separable else 'conv'}_{blocks}{head}"

    def other(self, reading: str) -> dict[str, str]:
        """The other value of a reading that has two."""
        words = {"policy_head": ("affine", "convolution"), "training_maps": ("even", "random")}[reading]
        return {reading: words[words.index(getattr(self, reading)) - 1]}

    def trained(self, time: str) -> list[Variant]:
        return [variant for variant in VARIANTS if variant.time == time and self.games_of(variant)]

    def recipe(self, variant: Variant) -> Recipe:
        """Sections 3.2 to 3.4 and 4.1.1; docs/papers.md lists what the paper does not give."""
        return Recipe(
            name=variant.name,
            seed=self.seed,
            games=self.games_of(variant),
            network=Network(
                self.architecture(variant.blocks, variant.separable), dropout=0.3 if variant.dropout else 0.0
            ),
            maps=(
                Maps("skirmish", share=0.75, options=EVEN_SKIRMISH if self.training_maps == "even" else {}),
                Maps("technical", share=0.25),
            ),
            search=Search(
                simulations=self.simulations,
                attack_bonus=ATTACK_BONUS if variant.attack else 0.0,
                lanes=16,
                games=min(20, self.games_of(variant)),
            ),
            learning=Learning(
                weight_decay=L2 if self.regularisation == "decay" else 0.0,
                l2=L2 if self.regularisation == "loss" else 0.0,
                masked=self.policy_loss == "legal",
                updates_per_game=self.updates_per_game,
                first_update=min(64, self.games_of(variant)),  # so that the shortest runs learn too
                publish_every=100,
                memory=50_000,
                batch=BATCH,
            ),
        )


SCALES = {
    # Takes two minutes: shows only that every stage works.
    "smoke": Settings(
        games=4,
        small_games=4,
        plain_games=4,
        long_games=4,
        simulations=4,
        updates_per_game=0.25,  # one update
        training_seeds=2,
        match_games=2,
        long_match_games=2,
        thinking_maps=1,
        measurements=1,
        fast_minutes=0.1,
        fast_games=2,
        fast_simulations=4,
        turn_games=2,
        turn_seconds=0.005,
        long_turn_games=0,
        playouts=2,
        mcts_simulations=10,
    ),
    # Takes three quarters of an hour on two cores.
    "quick": Settings(
        games=100,
        small_games=100,
        plain_games=40,
        long_games=200,
        simulations=100,
        updates_per_game=5.0,
        training_seeds=1,
        alternatives=0,
        match_games=10,
        long_match_games=20,
        fast_minutes=6.0,
        fast_games=20,
        fast_simulations=100,
        turn_games=10,
        long_turn_games=0,
    ),
    "paper": Settings(),
}
