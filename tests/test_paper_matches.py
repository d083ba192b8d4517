"""Matches of a paper's players: what a longer one keeps."""

from pathlib import Path

from sandtable import tubstap
from sandtable.arena.store import Store
from sandtable.papers.matches import Contestant, Match, play_all, store_of
from sandtable.papers.run import Progress, Run
from sandtable.players.protocol import Start

PAIR = Contestant("greedy", "greedy"), Contestant("random", "random")


def played(folder: Path, maps: list[Start]) -> tuple[list[int], dict[str, str]]:
    """Games that are there as it goes on, and the records by task after a match on these maps."""
    done: list[int] = []

    def watch(now: Progress) -> None:
        done.append(now.done)

    with Run(folder, watch=watch) as run:
        found = play_all(run, [Match("ground", *PAIR, maps)], seed=1)
        assert sum(found["ground greedy random"]["counts"]) == 2 * len(maps)
        assert sum(found["ground greedy random"]["starts"]) == len(maps)
        with Store(store_of(run), write=False) as store:
            return done, {row.task: row.record for row in store.rows()}


def test_a_longer_match_keeps_its_games(tmp_path: Path) -> None:
    duel, other = tubstap.load("duel"), tubstap.maps.skirmish(3, red=1, blue=1)
    _, before = played(tmp_path, [duel] * 2)
    done, after = played(tmp_path, [duel, duel, other, duel])
    assert done == [4, 5, 6, 7, 8]
    assert before.items() <= after.items()
    assert len(after) == 8
    assert played(tmp_path, [duel])[0] == [], "of a shorter one all are there"
