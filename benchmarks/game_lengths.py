"""The number of player turns of games on kimura2020's training maps: 8 to 16 in the paper (section 4.1.2). The figures
are in docs/papers.md.

    python benchmarks/game_lengths.py [--games 100] [--simulations 500] [NET ...]

Prints the mean number of turns with its 95% interval, the share of games of 8 to 16 turns and the share of draws, for
each reading of the maps and three kinds of games: self-play as in the training with an untrained network, the same
with each NET (a shipped one by its name, or a .safetensors file), and the paper's MCTS with 2,000 simulations against
itself.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import torch

from sandtable import tubstap
from sandtable.arena.playing import play
from sandtable.learn.recipe import Recipe
from sandtable.nets import checkpoints
from sandtable.nets.architectures import POLICIES
from sandtable.nets.evaluators import locate
from sandtable.papers.kimura2020.matches import opponent
from sandtable.papers.kimura2020.settings import VARIANTS, Settings
from sandtable.tubstap.training import self_play

IMAGE = VARIANTS[2]  # n = 8, separable
TASK = 20  # games that share an evaluator and its cache, as in the training


class Length(NamedTuple):
    source: str  # of the map
    turns: int  # turns in which a unit moved
    drawn: bool


def self_play_lengths(net: Path, recipe: Recipe, games: int) -> Iterator[Length]:
    for first in range(0, games, TASK):
        for game in self_play.play(net, recipe, range(first, min(games, first + TASK))).games:
            yield length(self_play.beginning(recipe, game.number), game.moves.tolist())


def mcts_lengths(recipe: Recipe, games: int) -> Iterator[Length]:
    mcts = opponent(Settings(), "MCTS").spec
    for number in range(games):
        record = play(self_play.beginning(recipe, number), mcts, mcts, number)
        yield length(self_play.beginning(recipe, number), record.moves)


def length(state: tubstap.State, moves: Sequence[int] | Sequence[tubstap.Move]) -> Length:
    """The length of a game, from its start and its moves or their indices among the legal moves."""
    turns = set()
    source = state.scenario.name.partition("-")[0]
    for move in moves:
        turns.add(state.turn)
        state.play(state.moves()[move] if isinstance(move, int) else move)
    return Length(source, len(turns), state.winner is None)


def show(what: str, lengths: Sequence[Length]) -> None:
    turns = [one.turns for one in lengths]
    error = 1.96 * stdev(turns) / len(turns) ** 0.5
    inside = fmean(8 <= one <= 16 for one in turns)
    drawn = fmean(one.drawn for one in lengths)
    print(f"{what:56} {fmean(turns):5.1f} +-{error:4.1f}  8 to 16: {inside:4.0%}  draws: {drawn:4.0%}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("nets", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for maps in ("even", "random"):
            settings = Settings(training_maps=maps, simulations=options.simulations)
            recipe = settings.recipe(IMAGE)
            fresh = Path(folder) / "fresh.safetensors"
            torch.manual_seed(settings.seed)
            architecture = recipe.network.architecture
            checkpoints.save(fresh, POLICIES[architecture].build(), architecture, "", {})
            nets = {"untrained": fresh} | {name: locate(name) for name in options.nets}
            players = {name: self_play_lengths(net, recipe, options.games) for name, net in nets.items()}
            players["MCTS"] = mcts_lengths(recipe, options.games)
            for name, games in players.items():
                lengths = list(games)
                show(f"{maps} maps, {name}", lengths)
                for source in ("skirmish", "technical"):
                    show(f"    {source}", [one for one in lengths if one.source == source])


if __name__ == "__main__":
    main()
