"""Search with a policy network that fails, and invalid searches."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sandtable as st
from support import commands
from support.boards import field
from support.puct_oracle import Floats, policy
from support.puct_search import (
    PolicyTree,
    flat,
    search,
    self_play,
    skirmish,
)

WRONG: dict[str, Callable[[Floats], Any]] = {
    "nothing": lambda planes: None,
    "values only": lambda planes: flat(planes)[0],
    "a list": lambda planes: list(flat(planes)),
    "three": lambda planes: (*flat(planes), flat(planes)[0]),
    "a value too many": lambda planes: (np.zeros(len(planes) + 1, np.float32), flat(planes)[1]),
    "a logit too few": lambda planes: (flat(planes)[0], np.zeros(180 * len(planes) - 1, np.float32)),
    "float64": lambda planes: (flat(planes)[0].astype(float), flat(planes)[1]),
    "texts": lambda planes: ("values", "logits"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_network_outputs_are_refused_and_not_cached(name: str) -> None:
    answers: list[Callable[[Floats], Any]] = [WRONG[name], WRONG[name], flat]
    evaluator = policy(lambda planes: answers.pop(0)(planes), cache=64)
    state = skirmish(1, 0)
    with pytest.raises(ValueError, match="must return two arrays of float32: values and logits"):
        evaluator.evaluate([state, state])
    with pytest.raises(ValueError, match="must return two arrays of float32: values and logits"):
        search(state, evaluator)
    assert (evaluator.evaluated, evaluator.hits) == (0, 0)
    assert evaluator.evaluate([state])[0].tolist() == [0]  # the wrong output was not cached


# In a separate process: a search that waited for a failed network would never end.
RAISES = """
import sys
sys.path.insert(0, {tests!r})
import sandtable as st
from support.puct_oracle import Network, Puct, policy
from sandtable import _core
state = st.tubstap.load("kimura-map01").start()
how = _core.tubstap.PuctSettings(simulations=40, max_nodes=1 << 20)
for batch in (1, 8):
    for failing in ((1,), (1, 2), (2,), (2, 3, 5)):
        tree, calls, failures = _core.tubstap.PolicyTree(), 0, 0

        def network(planes):
            global calls
            calls += 1
            if calls in failing:
                raise ZeroDivisionError(calls)
            return Network()(planes)

        while True:
            try:
                found = tree.search(state, policy(network), how.replace(batch=batch), seed=0)
                break
            except ZeroDivisionError:
                failures += 1
        visits = sum(one.visits for one in found.candidates)
        assert (failures, found.simulations) == (len(failing), 40), (failures, found.simulations)
        assert visits >= 40
        if batch == 1:
            plain = Puct(state, policy())
            plain.search(visits)
            assert [one[:4] for one in found.candidates] == plain.candidates()
            assert abs(found.value - plain.value()) < 1e-12
"""


def test_a_tree_stays_usable_after_its_network_has_failed() -> None:
    code = RAISES.format(tests=str(Path(__file__).parent))
    done = commands.python(code)
    assert done.returncode == 0, done.stderr


def test_a_search_ends_when_its_network_returns_nan() -> None:
    """The next search is as on an empty tree."""
    wrong = 0.0

    def sometimes(planes: Floats) -> tuple[Floats, Floats]:
        values, logits = flat(planes)
        return values, logits + wrong

    state = skirmish(1, 2)
    for root in ("puct", "gumbel"):
        tree, evaluator, wrong = PolicyTree(), policy(sometimes), math.nan
        with pytest.raises(ValueError, match="answered with NaN or infinity"):
            search(state, evaluator, tree, root=root, batch=3)
        wrong = 0.0
        assert search(state, evaluator, tree, root=root, batch=3) == search(state, policy(flat), root=root, batch=3)


def test_a_search_within_its_own_network_is_refused() -> None:
    state, tree = skirmish(1, 2), PolicyTree()

    def inside(planes: Floats) -> tuple[Floats, Floats]:
        search(state, evaluator, tree)
        return flat(planes)

    evaluator = policy(inside)
    with pytest.raises(ValueError, match="cannot be used inside its own network"):
        search(state, evaluator, tree)
    assert search(state, policy(), tree) == search(state, policy())


def test_threads_can_share_a_network() -> None:
    states = [skirmish(seed, seed) for seed in range(12)]
    evaluator = policy(cache=256)
    expected = [search(state, policy()) for state in states]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda state: search(state, evaluator), states)) == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": 0}, "PuctSettings: batch must be within 1..4096, not 0"),
        ({"batch": 4097}, "PuctSettings: batch must be within 1..4096, not 4097"),
        (
            {"root": "gumbel", "simulations": None, "seconds": 1},
            "a gumbel root needs a number of simulations, even with a clock",
        ),
    ],
)
def test_bad_settings_of_a_search_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        search(skirmish(1, 0), policy(), **changes)
    assert str(caught.value) == message


def test_finished_and_unsupported_positions_are_refused() -> None:
    over = field(("infantry", 0, 1, 1, 9), ("infantry", 1, 6, 6, 9), size=6, turn_limit=1).start()
    over.play(over.moves()[0])
    for state, message in (
        (over, "the game is over"),
        (st.tubstap.load("crossroads").start(), "made for boards of 6x6, and this one is"),
    ):
        with pytest.raises(ValueError, match=message):
            search(state, policy())
        with pytest.raises(ValueError, match=message):
            self_play([state], policy())
