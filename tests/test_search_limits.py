"""A search with neither a count nor a time would never end: it is refused."""

from collections.abc import Callable
from typing import Any

import pytest

import sandtable as st
from sandtable import _core

TUBSTAP = st.tubstap.load("duel").start()
CONQUEST = st.conquest.load("simple").start(0)


@pytest.mark.parametrize(
    "search",
    [
        lambda: _core.tubstap.uct(TUBSTAP, _core.UctSettings(simulations=None), seed=1),
        lambda: _core.tubstap.pmc(TUBSTAP, _core.PmcSettings(playouts=None), seed=1),
        lambda: _core.conquest.mcts(CONQUEST, 0, _core.conquest.MctsSettings(iterations=None), seed=1),
        lambda: _core.conquest.coevolution(CONQUEST, 0, _core.conquest.CoevolutionSettings(generations=None), seed=1),
        lambda: _core.conquest.duct(CONQUEST, 0, _core.DuctSettings(simulations=None), seed=1),
    ],
    ids=["uct", "pmc", "mcts", "coevolution", "duct"],
)
def test_a_search_without_a_limit_is_refused(search: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="a search needs a limit: a count, or seconds"):
        search()


def test_zero_is_no_limit() -> None:
    with pytest.raises(ValueError, match=r"simulations must be within 1\.\."):
        _core.UctSettings(simulations=0)
    with pytest.raises(ValueError, match="a search needs a limit"):
        _core.tubstap.uct(TUBSTAP, _core.UctSettings(simulations=None), seconds=0, seed=1)
    counted = _core.tubstap.uct(TUBSTAP, _core.UctSettings(simulations=9), seconds=0, seed=1)
    assert counted.simulations == 9
