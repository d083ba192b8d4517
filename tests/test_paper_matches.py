"""Matches of a paper's players: which games of a store count for them."""

from pathlib import Path
from typing import Any

from sandtable import tubstap
from sandtable.arena.store import Store
from sandtable.papers.matches import Contestant, Match, play_all, store_of
from sandtable.papers.run import Progress, Run

PAIR = Contestant("greedy", "greedy"), Contestant("random", "random")


def played(
    folder: Path, maps: list[Any], pair: tuple[Contestant, Contestant] = PAIR
) -> tuple[list[int], dict[str, str]]:
    """Play a match on these maps: the progress it reported in games, and the stored records by task."""
    done: list[int] = []

    def watch(now: Progress) -> None:
        done.append(now.done)

    with Run(folder, watch=watch) as run:
        found = play_all(run, [Match("ground", *pair, maps)], seed=1)
        assert sum(found["ground greedy random"]["counts"]) == 2 * len(maps)
        assert sum(found["ground greedy random"]["starts"]) == len(maps)
        with Store(store_of(run), write=False) as store:
            return done, {row.task: row.record for row in store.rows()}


def test_a_longer_match_reuses_the_games_of_a_shorter_one(tmp_path: Path) -> None:
    duel, other = tubstap.load("duel"), tubstap.maps.skirmish(3, red=1, blue=1)
    _, before = played(tmp_path, [duel] * 2)
    done, after = played(tmp_path, [duel, duel, other, duel])
    assert done == [4, 5, 6, 7, 8]
    assert before.items() <= after.items()
    assert len(after) == 8
    assert played(tmp_path, [duel])[0] == [], "a shorter match has all its games already"


def test_games_of_another_player_of_the_same_name_are_not_counted(tmp_path: Path) -> None:
    duel = tubstap.load("duel")
    spec = "minimax(depth={}, evaluator={!r})"
    places = ((1, "/a/net.safetensors"), (1, "/it's/net.safetensors"), (2, "/a/net.safetensors"))
    here, there, deeper = (Contestant("net", spec.format(*words)).label for words in places)
    assert here == there != deeper
    _, before = played(tmp_path, [duel])
    done, after = played(tmp_path, [duel], (PAIR[0], PAIR[1]._replace(spec="random(seed=7)")))
    assert done == [0, 1, 2]
    assert before.items() < after.items()
