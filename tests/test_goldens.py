"""Nothing has changed that was not meant to."""

import pytest

from goldens import FOLDER, GOLDENS


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name: str) -> None:
    assert GOLDENS[name]() == (FOLDER / name).read_text(encoding="utf-8"), (
        "python tests/goldens.py --write, if on purpose"
    )
