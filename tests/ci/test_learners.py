"""A learner from another package, trained through the adapters, beats its opponents. Part of `make ci`."""

import importlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sandtable as st
from sandtable.adapters.views import ConquestView
from support.pages import ROOT

pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: pip install sb3-contrib")


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "learners"))
    return importlib.import_module


def test_maskable_ppo_beats_random_and_greedy(example: Any) -> None:
    ppo, settings = example("ppo"), replace(example("tubstap_ppo").SETTINGS, steps=100_000)
    untrained = ppo.train(replace(settings, steps=1, learning_rate=0.0))
    assert ppo.score(untrained, settings, "greedy", 400).interval[1] < 0.5
    trained = ppo.train(settings)
    for opponent in ("random", "greedy"):
        found = ppo.score(trained, settings, opponent, 400)
        assert found.interval[0] > 0.6, f"{opponent}: {found}"
        assert all(wins > losses for wins, losses, _ in found.sides), f"{opponent}: {found}"


def test_discrete_choices_become_orders_of_conquest(example: Any) -> None:
    """Half of the income goes to each chosen territory, and all of its armies march along the chosen edge."""
    ppo, conquest = example("ppo"), example("conquest_ppo")
    env = conquest.Choices(ppo.groups(conquest.SETTINGS, {"random": 2}), conquest.SETTINGS, 1)
    env.reset()
    state, side = env.groups[0]._group.native.state(0), int(env.groups[0]._group.native.sides[0])
    land = st.conquest.load(conquest.SETTINGS.map)
    home, other = (i for i, owner in enumerate(state.owner) if owner == side)
    neighbours = sorted({a + b - home for a, b in land.edges if home in (a, b)})
    choices = np.zeros((2, len(env.action_space.nvec)), np.int64)
    choices[0, :2] = home, other
    choices[0, 2 + home] = len(neighbours)
    columns = np.concatenate([[0], np.cumsum(env.action_space.nvec)[:-1]]) + choices[0]
    assert env.masks[0, columns].all()
    assert env.masks[0].sum() == 2 * 2 + len(land.territories) + sum(env.degrees[[home, other]])
    shares = env.shares(choices)
    orders = ConquestView(land, actions="shares").move(state, side, shares[0], 0)
    deployed = {order.territory: order.armies for order in orders if len(order) == 2}
    assert sorted(deployed) == sorted((home, other))
    assert abs(deployed[home] - deployed[other]) <= 1
    assert [order for order in orders if len(order) == 3] == [
        st.conquest.March(home, neighbours[-1], state.armies[home] + deployed[home])
    ]
