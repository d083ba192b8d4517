"""soares2025 with other rules."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sandtable as st
from sandtable.cli import app
from sandtable.errors import SandtableError
from sandtable.nets import checkpoints
from sandtable.papers.run import Run, RunError
from sandtable.papers.soares2025 import SCALES, STAGES
from sandtable.papers.soares2025.settings import Settings

CHANGED = (
    "rules=soares2025-text",
    "further=0",
    "long_games=0",
    "sweep_games=0",
    "own_games=0",
)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A smoke run with all marches in random order."""
    folder = tmp_path_factory.mktemp("soares2025")
    places = ["--folder", str(folder / "run"), "--results", str(folder / "results")]
    changes = [part for change in CHANGED for part in ("--set", change)]
    arguments = ["reproduce", "soares2025", "--scale", "smoke", "--workers", "1", *places, *changes]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return folder


def settings_of() -> Settings:
    """Of that run."""
    changed: Any = {
        name: int(value) if value.isdigit() else value for name, value in (one.split("=") for one in CHANGED)
    }
    return dataclasses.replace(SCALES["smoke"], **changed)


def test_all_games_have_the_rules(other: Path) -> None:
    records = [st.Record.from_line(line) for line in (other / "run/records.jsonl").read_text().splitlines()]
    assert len(records) > 300
    for record in records:
        state: Any = record.start
        assert state.land.rules.order == "random"
        record.verify()
    digest = st.conquest.rules("soares2025-text").digest
    cards = [checkpoints.read_card(path) for path in (other / "run/nets").glob("*.safetensors")]
    assert {card.rules for card in cards} == {digest}


def test_runs_with_other_rules_are_not_mixed(other: Path) -> None:
    with Run(other / "run") as run:
        for stage in ("data_1", "tournament_2", "rivals"):
            settings = dataclasses.replace(settings_of(), rules="soares2025")
            with pytest.raises(RunError, match="made with rules = 'soares2025-text'"):
                STAGES[stage](run, settings)


def test_what_was_there_before_rules_were_a_setting_goes_on() -> None:
    assert SCALES["smoke"].only("seed", "rules") == {"seed": 2025}
    assert settings_of().only("seed", "rules") == {"seed": 2025, "rules": "soares2025-text"}


def test_small_games_are_solved_for_the_other_rules(other: Path) -> None:
    assert not (other / "results/exploitability.json").exists()
    assert not list((other / "run").glob("exploitability*"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": "text"}, "rules must be soares2025 or soares2025-text, not 'text'"),
    ],
)
def test_bad_settings(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SandtableError, match=message):
        dataclasses.replace(SCALES["smoke"], **change)
