"""Ninety games of the original platform: legal moves, damages, units and results at every ply."""

from pathlib import Path

from support.tubstap_conformance import read_games, replay_compact

GAMES = Path(__file__).parent / "golden" / "tubstap_platform_games.jsonl.gz"


def test_the_engine_agrees_with_the_platform_at_every_ply() -> None:
    plies = 0
    for game in read_games(GAMES):
        replay_compact(game)
        plies += len(game["plies"])
    assert plies == 6076
