"""Training on turns: losses against an oracle, epochs, and a training that is stopped and resumed."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

import sandtable as st
from sandtable.errors import SandtableError
from sandtable.learn import supervised
from sandtable.nets.architectures import TERRITORY_GRAPH, TURN_POLICIES
from sandtable.papers.soares2025 import searched_games
from sandtable.papers.soares2025.turn_training import TurnObjective
from support.soares2025_net_oracle import read
from support.soares2025_nets import network

HOW = supervised.Settings(batch=8, patience=3, max_epochs=3, seed=3)


@pytest.fixture(scope="module")
def samples() -> list[searched_games.Sample]:
    """The samples of a few games on two maps."""
    games = [
        searched_games.play(
            st.conquest.load(name), "mcts(iterations=4, candidates=5)", "mcts(iterations=4, candidates=5)", seed
        )
        for seed in range(2)
        for name in ("simple", "banana")
    ]
    return [sample for game in games for sample in searched_games.samples(game)]


def objective(samples: list[searched_games.Sample], **options: str) -> TurnObjective:
    held_out = np.arange(len(samples)) % 5 == 0
    return TurnObjective(samples, held_out, TERRITORY_GRAPH, HOW, **options)


def test_the_loss_is_computed_on_the_device_of_the_network(samples: list[searched_games.Sample]) -> None:
    found = objective(samples).losses(network().to("meta"), next(iter(objective(samples).held_out()))[:5])
    found.sums["loss"].backward()  # type: ignore[no-untyped-call]
    assert all(loss.device.type == "meta" for loss in found.sums.values())


@pytest.mark.parametrize("policy", ["visits", "played"])
@pytest.mark.parametrize("value", ["result", "search"])
def test_losses_agree_with_the_oracle(samples: list[searched_games.Sample], policy: str, value: str) -> None:
    net, batch = network(), next(iter(objective(samples).held_out()))[:5]
    found = objective(samples, policy=policy, value=value).losses(net, batch)
    policy_loss = value_loss = 0.0
    for one in batch:
        moves = [[_order(order) for order in move] for move in one.moves]
        predicted, logits = read(net, one.state, one.player, moves)
        shares = one.visits / one.visits.sum() if policy == "visits" else np.eye(len(moves))[0]
        policy_loss -= float((shares * torch.log_softmax(torch.tensor(logits), 0).numpy()).sum())
        value_loss += (predicted - (one.result if value == "result" else one.value)) ** 2
    assert found.samples == 5
    sums = {name: float(total.detach()) for name, total in found.sums.items()}
    assert sums["policy_loss"] == pytest.approx(policy_loss, rel=1e-4)
    assert sums["value_loss"] == pytest.approx(value_loss, rel=1e-4)
    assert sums["loss"] == pytest.approx(policy_loss + value_loss, rel=1e-4)


def _order(order: tuple[int, ...]) -> st.conquest.Order:
    return st.conquest.Deploy(*order) if len(order) == 2 else st.conquest.March(*order)


def test_an_epoch_has_every_turn_once_in_batches_of_one_map(samples: list[searched_games.Sample]) -> None:
    made = objective(samples)
    epochs = [list(made.batches(epoch)) for epoch in (0, 1)]
    for batches in epochs:
        assert len(batches) == made.steps
        assert all(len({one.state.land for one in batch}) == 1 for batch in batches)
        assert all(len(batch) <= HOW.batch for batch in batches)
        assert len({id(one) for batch in batches for one in batch}) == sum(map(len, batches))
    held = [id(one) for batch in made.held_out() for one in batch]
    assert len(held) + sum(map(len, epochs[0])) == len(samples)
    assert not set(held) & {id(one) for batch in epochs[0] for one in batch}
    assert [id(batch[0]) for batch in epochs[0]] != [id(batch[0]) for batch in epochs[1]]


def test_a_training_that_was_stopped_ends_with_the_same_weights(
    samples: list[searched_games.Sample], tmp_path: Path
) -> None:
    build = TURN_POLICIES["soares2025"].build
    whole, progress = supervised.fit(build, objective(samples), HOW, tmp_path / "whole")
    assert progress.epochs == 3
    assert progress.curve[-1]["loss"] < progress.curve[0]["loss"]
    names = {f"{part}{name}" for part in ("", "held_out_") for name in ("loss", "policy_loss", "value_loss")}
    assert names < set(progress.curve[0])

    class Stopped(Exception):  # noqa: N818
        pass

    def stop(now: supervised.Progress) -> None:
        if now.epochs == 2:
            raise Stopped

    with pytest.raises(Stopped):
        supervised.fit(build, objective(samples), HOW, tmp_path / "parts", watch=stop)
    again, _ = supervised.fit(build, objective(samples), HOW, tmp_path / "parts")
    for name, weight in whole.state_dict().items():
        assert torch.equal(weight, again.state_dict()[name]), name
    with pytest.raises(SandtableError, match="the stored training differs in data"):
        supervised.fit(build, objective(samples, policy="played"), HOW, tmp_path / "parts")


def test_bad_targets_and_too_few_samples_are_refused(samples: list[searched_games.Sample]) -> None:
    with pytest.raises(SandtableError, match="targets are visits or played"):
        objective(samples, policy="vistis")
    with pytest.raises(SandtableError, match="play more games"):
        TurnObjective(samples[:3], np.ones(3, np.bool_), TERRITORY_GRAPH, HOW)


def test_dropout_in_play_is_seeded(fresh_net: Path) -> None:
    """The same seed gives the same search, whatever was searched before; without dropout it gives another."""
    state = st.conquest.load("simple").start(1)
    plain = f"guided(net={str(fresh_net)!r}, iterations=3)"
    dropped = f"guided(net={str(fresh_net)!r}, iterations=3, dropout=true)"
    first, again, without = (st.player(spec).analyse(state, 0) for spec in (dropped, dropped, plain))  # type: ignore[attr-defined]
    assert dataclasses.replace(first, seconds=0) == dataclasses.replace(again, seconds=0)
    assert first.value != without.value
    with pytest.raises(st.PlayerError, match="dropout needs runtime=torch"):
        st.player(dropped[:-1] + ", runtime=onnx)")
