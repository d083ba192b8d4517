"""Nothing has changed that was not meant to."""

import pytest

from support.goldens import FOLDER, GOLDENS


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name: str) -> None:
    assert GOLDENS[name]() == (FOLDER / name).read_text(encoding="utf-8"), "make goldens, if on purpose"
