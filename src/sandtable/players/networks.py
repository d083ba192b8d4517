"""What players with a network share."""

from __future__ import annotations

from typing import Any

from sandtable._core import SearchResult
from sandtable.nets.evaluators import RUNTIMES
from sandtable.players.protocol import Candidate
from sandtable.settings import setting

RUNTIME = setting("auto", "runs the network; auto: the first that is installed", words=RUNTIMES)


def policy_result(found: tuple[int, list[tuple[Any, int, float, float]], float, int, int]) -> SearchResult:
    """The result of a search that gives candidates with priors."""
    best, candidates, value, nodes, simulations = found
    made = [Candidate(*one, pv=[one[0]]) for one in candidates]
    return SearchResult(best=best, candidates=made, value=value, nodes=nodes, simulations=simulations)
