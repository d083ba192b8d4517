"""The golden files: behaviour changes only on purpose."""

import pytest

from support.goldens import FOLDER, GOLDENS


@pytest.mark.parametrize("name", GOLDENS)
def test_the_golden_file_is_reproduced(name: str) -> None:
    assert GOLDENS[name]() == (FOLDER / name).read_text(encoding="utf-8"), "changed; if on purpose: make goldens"
