"""Stages of reproductions: what they need and depend on, when they are skipped, and how often they run."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.papers.kimura2020 import SCALES, STAGES
from sandtable.papers.run import Run
from sandtable.papers.settings import Count, PaperSettings
from sandtable.papers.stages import Stage, in_order, stage


@dataclass(frozen=True)
class Settings(PaperSettings):
    games: Count = 3
    epochs: Count = 5
    matches: Count = 7


made: list[str] = []


@stage("games", settings=("seed", "games"))
def play(run: Run, settings: Settings) -> int:
    made.append("games")
    return settings.games


@stage("training", needs=(play,), settings=("epochs",))
def train(run: Run, settings: Settings, games: int) -> int:
    made.append("training")
    return games * settings.epochs


@stage("matches", needs=(train, play), settings=("matches",), inherits=False)
def match(run: Run, settings: Settings, *results: int) -> tuple[int, ...]:
    made.append("matches")
    return results


@stage("long", needs=(match,), settings=("matches",), when=lambda settings: settings.matches > 8)
def match_longer(run: Run, settings: Settings, _: Any) -> dict[str, int]:
    return {"matches": settings.matches}


def chosen(settings: Settings) -> Iterable[Stage[Any]]:
    return [train] if settings.epochs > 5 else []


@stage("report", needs=chosen)
def report(run: Run, settings: Settings, *results: Any) -> tuple[Any, ...]:
    return results


def test_a_stage_runs_once_and_after_the_stages_it_needs(tmp_path: Path) -> None:
    made.clear()
    with Run(tmp_path) as run:
        assert match(run, Settings()) == (15, 3)
        assert match(run, Settings()) == (15, 3)
        assert made == ["games", "training", "matches"]
        assert train(run, Settings(epochs=6)) == 18, "other settings give another result"


def test_a_stage_inherits_the_settings_of_the_stages_it_needs_by_default() -> None:
    assert train.depends(Settings()) == {"seed": 0, "games": 3, "epochs": 5}
    assert match.depends(Settings()) == {"matches": 7}
    assert match_longer.depends(Settings()) == {"matches": 7}
    assert report.depends(Settings()) == {}
    assert report.depends(Settings(epochs=6)) == {"seed": 0, "games": 3, "epochs": 6}


def test_a_stage_that_the_settings_skip_computes_nothing(tmp_path: Path) -> None:
    made.clear()
    with Run(tmp_path) as run:
        assert match_longer(run, Settings()) == {}
        assert report(run, Settings()) == ()
        assert made == []
        assert match_longer(run, Settings(matches=9)) == {"matches": 9}
        assert made == ["games", "training", "matches"]
        assert report(run, Settings(epochs=6)) == (18,)


def test_stages_are_listed_in_the_order_in_which_they_run() -> None:
    assert list(in_order(match_longer, report)) == ["games", "training", "matches", "long", "report"]


def test_the_files_of_stages_record_these_settings() -> None:
    """The settings in the files of kimura2020's stages, beside networks, a recipe and constants. A run that was made
    with others is not continued."""
    training = {"seed", "games", "small_games", "plain_games", "simulations", "updates_per_game"}
    long = {"seed", "long_games", "simulations", "updates_per_game"}
    readings = {"policy_head", "regularisation", "training_maps"}
    players = {"playouts", "mcts_simulations"}
    stored = {
        "training": training | readings,
        "matches": training | readings | players | {"match_games"},
        "long_training": long | readings,
        "long_matches": long | readings | players | {"match_games", "long_match_games"},
        "graph": players | {"seed", "simulations", "updates_per_game", "match_games", "training_maps"},
        "thinking": players | {"simulations", "thinking_maps"},
        "memory": {"policy_head"},
        "fast": {"fast_minutes"},
        "fast_matches": players | {"fast_games", "fast_simulations", "turn_games", "long_turn_games"},
        "pruned": {"match_games", "fast_simulations", "mcts_simulations"},
    }
    assert {name: set(STAGES[name].depends(SCALES["paper"])) for name in stored} == stored
