"""Options of training that follow kimura2020's text, compared with plain computations."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from sandtable import _core
from sandtable.learn import optimisation, recipe, self_play_training
from sandtable.learn.map_sources import Maps
from sandtable.learn.recipe import Learning, Network, Recipe, Search
from sandtable.nets.architectures import POLICIES
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import locate
from sandtable.tubstap.training import losses, self_play
from sandtable.tubstap.training.self_play import Sample
from support.fresh_nets import save_fresh

torch.set_num_threads(1)  # as training does

NAME = "kimura_sep_1_affine"
ENCODER = POLICIES[NAME].encoder
TINY = Recipe(
    name="tiny",
    network=Network(NAME),
    maps=(Maps("skirmish", options={"red": 1, "blue": 1}),),
    seed=5,
    games=6,
    search=Search(simulations=6, lanes=2, games=3, cache=64),
    learning=Learning(batch=8, first_update=6, updates_per_game=1.0, weight_decay=0.0, l2=0.01),
)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    path = save_fresh(tmp_path_factory.mktemp("weights") / "fresh.safetensors", NAME, seed=2)
    games = self_play.play(path, TINY, range(6)).games
    return [sample for game in games for sample in self_play.samples(game, TINY)]


def fresh() -> nn.Module:
    torch.manual_seed(2)
    return POLICIES[NAME].build()


def gradients(samples: list[Sample], how: Learning) -> tuple[nn.Module, dict[str, np.ndarray[Any, Any]]]:
    """A fresh network and the gradients of its loss without any regularisation."""
    module = fresh().train()
    found = losses.losses(module, ENCODER, samples, how, np.random.default_rng(1))
    found["total"].backward()  # type: ignore[no-untyped-call]
    return module, {name: one.grad.numpy().copy() for name, one in module.named_parameters() if one.grad is not None}


# L2.


def is_kernel(name: str, module: nn.Module) -> bool:
    """Whether Keras calls this parameter a kernel; both weights of a separable convolution are kernels."""
    layer = module.get_submodule(name.rpartition(".")[0])
    return isinstance(layer, nn.Conv2d | nn.Linear) and name.endswith(".weight")


def test_the_l2_term_is_a_sum_of_squares_of_kernels() -> None:
    module = fresh()
    values = {name: one.detach().numpy().astype(float) for name, one in module.named_parameters()}
    kernels = [name for name in values if is_kernel(name, module)]
    # 1 + 2 * 2 convolutions of the trunk, 1 affine layer of the policy, 1 convolution and 2 affine layers of the value.
    assert len(kernels) == 9
    expected = 1e-4 * sum(float((values[name] ** 2).sum()) for name in kernels)
    assert optimisation.l2_term(module, Learning(l2=1e-4)).item() == pytest.approx(expected, rel=1e-5)


def test_one_update_agrees_with_a_plain_computation(samples: list[Sample], tmp_path: Path) -> None:
    """SGD with Nesterov momentum on loss + l2 * sum of squares: the gradient is g + 2 * l2 * w, clipped at a length of
    5, and the first step -rate * 1.9 times it."""
    how = dataclasses.replace(TINY.learning, symmetries=False, l2=0.05, rate=0.01)
    training = self_play_training._Training(
        dataclasses.replace(TINY, learning=how), tmp_path, 1, None, lambda progress: None
    )
    training.module.load_state_dict(fresh().state_dict())
    batch = samples[:8]
    training.memory.draw = lambda count, generator: batch  # type: ignore[method-assign]
    training._update()
    module, gradient = gradients(batch, how)
    before = {name: one.detach().numpy() for name, one in module.named_parameters()}
    for name in before:
        if is_kernel(name, module):
            gradient[name] += 2 * 0.05 * before[name]
    length = np.sqrt(sum(float((one.astype(float) ** 2).sum()) for one in gradient.values()))
    for name, after in training.module.named_parameters():
        step = 1.9 * gradient[name] * min(1.0, 5 / length)
        np.testing.assert_allclose(after.detach().numpy(), before[name] - 0.01 * step, atol=2e-6, err_msg=name)
    losses = training.progress.losses
    assert losses["total"] == pytest.approx(losses["policy"] + losses["value"] + losses["l2"], rel=1e-5)
    assert losses["l2"] == pytest.approx(optimisation.l2_term(module, how).item(), rel=1e-5)


def test_the_curve_has_the_l2_term_and_a_total_that_includes_it(tmp_path: Path) -> None:
    self_play_training.train(TINY, tmp_path)
    last = self_play_training.curve(tmp_path)[-1]
    assert last["updates"] == 6
    parts = last["policy_loss"] + last["value_loss"] + last["l2_loss"]
    assert last["total_loss"] == pytest.approx(parts, abs=1e-4)
    assert last["l2_loss"] > 0.1


# The softmax of the loss.


@pytest.mark.parametrize("masked", [True, False])
def test_the_policy_loss_with_and_without_a_mask(masked: bool, samples: list[Sample]) -> None:
    """Row by row in numpy: over a unit's legal moves, or over all of its 180 outputs."""
    module = fresh().eval()
    how = Learning(symmetries=False, masked=masked)
    with torch.no_grad():
        found = losses.losses(module, ENCODER, samples[:9], how, np.random.default_rng(1))
    divergences = []
    for sample in samples[:9]:
        (planes,), places, _ = _core.tubstap.encode_policy("unit-question", [sample.state])
        with torch.no_grad():
            logits = module(torch.from_numpy(planes))[1].numpy().astype(float)
        units = np.array([move.unit for move in sample.state.moves()])
        for row, unit in enumerate(sorted(set(units.tolist()))):
            own = np.flatnonzero(units == unit)
            wanted = sample.policy[own] / max(sample.policy[own].sum(), 1e-9)
            if not wanted.any():  # the search never moved this unit
                continue
            weights = np.exp(logits[row])
            legal = weights[places[own] - 180 * row]
            share = legal / (legal.sum() if masked else weights.sum())
            seen = wanted > 0
            divergences.append(float((wanted[seen] * np.log(wanted[seen] / share[seen])).sum()))
    assert float(found["policy"]) == pytest.approx(np.mean(divergences), rel=1e-4)


# Recipes without these options.


def test_recipes_without_the_options_are_unchanged() -> None:
    """Trainings from before there were such options continue, and their cards and runs do not change."""
    for name in ("tubstap-fast", "conquest-fast"):
        shipped = recipe.load(Path(self_play_training.__file__).parents[1] / f"recipes/{name}.toml")
        net = {"tubstap-fast": "sandtable", "conquest-fast": "sandtable-conquest"}[name]
        assert set(shipped.about()["learning"]) == set(read_card(locate(net)).training["recipe"]["learning"])
    chosen = dataclasses.replace(TINY, learning=Learning(l2=0.1, masked=False)).about()["learning"]
    assert (chosen["l2"], chosen["masked"]) == (0.1, False)
    assert not {"l2", "masked"} & set(dataclasses.replace(TINY, learning=Learning()).about()["learning"])
