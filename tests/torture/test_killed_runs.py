"""A paper's run that is killed at any change of a file ends, when it is run again, with the results of an undisturbed
run. Stages are tried in groups, each from a copy of a folder in which the earlier stages are finished.
"""

import functools
import itertools
from pathlib import Path

import pytest

from support.kill_sweep import sweep
from support.li2022_runs import POINTS, check_same, command
from support.torture import size


@pytest.mark.parametrize("whom", ["group", "one"])
@pytest.mark.parametrize(("before", "until"), list(itertools.pairwise(POINTS)))
def test_a_killed_run_gives_the_same_results(
    before: str, until: str, whom: str, kill_shim: Path, li2022_stages: dict[str, Path]
) -> None:
    check = functools.partial(check_same, li2022_stages[until])
    most = size(20 if whom == "group" else 8)
    sweep(kill_shim, li2022_stages[before], command(until), check, most=most, whom=whom)
