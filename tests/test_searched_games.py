"""Games of Conquest with their searches, as training samples and as files."""

from pathlib import Path

import numpy as np
import pytest

import sandtable as st
from sandtable.errors import SandtableError
from sandtable.papers.soares2025 import searched_games

LAND = st.conquest.load("banana")


@pytest.fixture(scope="module")
def games() -> list[searched_games.Game]:
    return [searched_games.play(LAND, "mcts(iterations=5)", "coevolution(generations=2)", seed) for seed in range(2)]


def test_every_decision_is_a_sample(games: list[searched_games.Game]) -> None:
    game = games[0]
    found = searched_games.samples(game)
    assert len(found) == 2 * game.record.turns
    alone = st.play(LAND, "mcts(iterations=5)", "coevolution(generations=2)", seed=0)
    assert game.record.to_line() == alone.to_line()  # recording the searches changes no move
    for number, sample in enumerate(found):
        assert (sample.player, sample.state.turn) == (number % 2, number // 2)
        assert len(sample.moves) == len(sample.visits) == (20 if sample.player == 0 else 30)
        assert sample.moves[0] == game.record.moves[number // 2][sample.player]
        assert sample.shares.sum() == pytest.approx(1)
        for move in sample.moves:  # all are legal in that position
            sample.state.copy().resolve(move if sample.player == 0 else [], move if sample.player == 1 else [])
        winner = game.record.winner
        assert sample.result == (0 if winner is None else 1 if winner == sample.player else -1)


def test_samples_have_the_targets_of_their_search(games: list[searched_games.Game]) -> None:
    vanilla, evolved = searched_games.samples(games[0])[:2]
    assert vanilla.visits.sum() == 5 * 20
    assert vanilla.visits[0] == vanilla.visits.max()
    assert vanilla.shares.tolist() == pytest.approx((vanilla.visits / 100).tolist())
    assert evolved.shares.tolist() == evolved.best.tolist()
    assert -1 <= vanilla.value <= 1


def test_games_round_trip(games: list[searched_games.Game], tmp_path: Path) -> None:
    path = tmp_path / "new" / "games.npz"
    searched_games.save(games, path)
    for mine, again in zip(games, searched_games.load(path), strict=True):
        assert mine.record.to_line() == again.record.to_line()
        for name in ("values", "counts", "visits", "lengths", "orders"):
            assert np.array_equal(getattr(mine, name), getattr(again, name)), name
        assert len(searched_games.samples(again)) == len(searched_games.samples(mine))


def test_damaged_files_are_named(games: list[searched_games.Game], tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    searched_games.save(games, path)
    whole = path.read_bytes()
    for bad in (b"", whole[: len(whole) // 2], b"nonsense"):
        path.write_bytes(bad)
        with pytest.raises(SandtableError, match=r"games\.npz: not a file of games") as caught:
            searched_games.load(path)
        assert "\n" not in str(caught.value)
    game = games[0]
    cut = game._replace(values=game.values[:-1])
    searched_games.save([cut], path)
    with pytest.raises(SandtableError, match="do not fit each other"):
        searched_games.load(path)
    other = game._replace(orders=game.orders + np.array([0, 0, 1], np.int32))
    with pytest.raises(SandtableError, match="turn 0: player 0 did not play its first candidate"):
        searched_games.samples(other)
    typed = game._replace(values=game.values.astype(np.float64))
    searched_games.save([typed], path)
    with pytest.raises(SandtableError, match="arrays have other types"):
        searched_games.load(path)


def test_a_player_without_an_analysis_is_refused() -> None:
    with pytest.raises(SandtableError, match="random: it cannot analyse positions"):
        searched_games.play(LAND, "mcts(iterations=2)", "random", 0)
