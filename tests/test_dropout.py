"""Our dropout beside PyTorch's: the same distribution, from fewer random numbers."""

import pytest
import torch
from torch import Tensor, nn

from sandtable.nets.dropout import Dropout


def images(count: int) -> Tensor:
    """Ones with the channels last in memory, as convolutions leave them."""
    return torch.ones(count, 128, 6, 6).to(memory_format=torch.channels_last)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9])
def test_values_are_dropped_at_the_same_rate_as_by_pytorch(p: float) -> None:
    torch.manual_seed(1)
    ours, theirs = (kind(p)(images(200)) for kind in (Dropout, nn.Dropout))
    for dropped in (ours, theirs):
        values = dropped.unique()
        assert torch.allclose(values, torch.tensor([0.0, 1 / (1 - p)]), rtol=1e-3)  # ours uses a rounded probability
        # 921,600 values: five standard deviations are at most 0.0026.
        assert (dropped == 0).float().mean().item() == pytest.approx(p, abs=0.003)
        assert dropped.mean().item() == pytest.approx(1, abs=0.02)


def test_values_are_dropped_independently_of_each_other() -> None:
    """Four values share a random number."""
    torch.manual_seed(2)
    kept = (Dropout(0.5)(torch.ones(1 << 20)) > 0).float()
    for distance in range(1, 9):
        both = (kept[:-distance] * kept[distance:]).mean().item()
        assert both == pytest.approx(0.25, abs=0.003), distance


@pytest.mark.parametrize("shape", [(1,), (3,), (7, 5), (2, 3, 5), (0, 4)])
def test_any_shape_is_accepted(shape: tuple[int, ...]) -> None:
    out = Dropout(0.5)(torch.ones(shape))
    assert out.shape == shape
    assert set(out.flatten().tolist()) <= {0.0, 2.0}


def test_the_memory_format_is_kept_and_gradients_have_the_same_mask() -> None:
    torch.manual_seed(3)
    x = images(2).requires_grad_()
    out = Dropout(0.3)(x)
    assert out.is_contiguous(memory_format=torch.channels_last)
    out.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, out.detach())


def test_the_seed_determines_the_mask() -> None:
    module, x = Dropout(0.3), images(2)
    found = []
    for seed in (4, 4, 5):
        torch.manual_seed(seed)
        found.append(module(x))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_nothing_is_dropped_outside_training_or_with_probability_0() -> None:
    x = images(2)
    assert torch.equal(Dropout(0.5).eval()(x), x)
    assert torch.equal(Dropout(0.0)(x), x)
    assert not Dropout(1.0)(x).any()


def test_a_probability_next_to_1_drops_all_but_a_few() -> None:
    for p in (1 - 2**-15, 1 - 2**-20):
        assert (Dropout(p)(torch.ones(100_000)) == 0).float().mean() > 0.999


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
def test_any_precision_is_accepted(kind: torch.dtype) -> None:
    out = Dropout(0.5)(torch.ones(1000, dtype=kind))
    assert out.dtype == kind
    assert set(out.tolist()) == {0.0, 2.0}


def test_rows_that_share_memory_have_different_masks() -> None:
    rows = Dropout(0.5)(torch.ones(1, 1000).expand(2, 1000))
    assert not torch.equal(rows[0], rows[1])
