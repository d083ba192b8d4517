"""Stage `convolution`: memory and time of the edge convolution, beside torch_geometric's if that is installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.takahashi.settings import Settings
from sandtable.papers.training_cost import cost_of

WIDTH = 64  # channels in and out: the paper's widest layer


@stage("convolution", settings=("convolution_batch", "measurements"))
def measure_convolution(run: Run, settings: Settings) -> dict[str, Any]:
    """The cost of a forward and backward pass of a batch for each implementation of the convolution."""
    ways = ("ours", "torch_geometric") if find_spec("torch_geometric") else ("ours",)

    def work() -> dict[str, Any]:
        batch, processes = settings.convolution_batch, settings.measurements
        return {way: cost_of(_step, way, batch=batch, processes=processes) for way in ways}

    return measure_convolution.make(run, settings, work)


def _step(way: str, batch: int) -> Callable[[], None]:
    """A forward and backward pass of a batch."""
    import torch

    from sandtable.nets.takahashi import EDGE, NODE, UNITS, EdgeConvolution, Graph

    torch.set_num_threads(1)
    torch.manual_seed(0)
    nodes = torch.rand(batch, UNITS * NODE)
    edges = torch.rand(batch, UNITS, UNITS, EDGE)
    side = torch.arange(UNITS) % 2
    friends = (side[:, None] == side[None, :]).float() - torch.eye(UNITS)
    edges[..., 0], edges[..., 1] = friends, (side[:, None] != side[None, :]).float()
    edges[:, range(UNITS), range(UNITS)] = 0
    x = torch.rand(batch, UNITS, WIDTH)
    convolution = EdgeConvolution(WIDTH, WIDTH)
    if way == "ours":
        flat = torch.cat([nodes, edges.flatten(1)], 1)

        def forward() -> torch.Tensor:
            out: torch.Tensor = convolution(Graph.of(flat), x)
            return out
    else:
        from torch_geometric.nn import NNConv

        theirs = NNConv(WIDTH, WIDTH, torch.nn.Linear(EDGE, WIDTH * WIDTH), aggr="mean")
        i, j = torch.where(torch.eye(UNITS) == 0)
        first = UNITS * torch.arange(batch)[:, None]
        index = torch.stack([(first + j).flatten(), (first + i).flatten()])
        values, rows = edges[:, i, j].reshape(-1, EDGE), x.reshape(-1, WIDTH)

        def forward() -> torch.Tensor:
            out: torch.Tensor = theirs(rows, index, values)
            return out

    def step() -> None:
        forward().sum().backward()  # type: ignore[no-untyped-call]

    return step
