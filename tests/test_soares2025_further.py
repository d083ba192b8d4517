"""soares2025's experiments beyond the thesis: other layers for equal time, and new games of the best rows."""

import dataclasses
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.nn import GCNConv

import sandtable as st
from sandtable.conquest import Bonus, Deploy, March, Order
from sandtable.learn import supervised
from sandtable.learn.samples import Samples
from sandtable.nets import checkpoints
from sandtable.nets.architectures import TURN_POLICIES
from sandtable.nets.soares2025 import Heads
from sandtable.nets.soares2025_layers import PlainGcn, TerritoryLayers, normalised
from sandtable.papers.measured import Measured
from sandtable.papers.run import Run
from sandtable.papers.soares2025 import further_games
from sandtable.papers.soares2025.beyond import RIVALS, SWEEP
from sandtable.papers.soares2025.further_compose import further_sections
from sandtable.papers.soares2025.matches import THESIS, Entry, pair_name
from sandtable.papers.soares2025.settings import SCALES
from support.soares2025_net_oracle import edge_list
from support.soares2025_nets import questions, tensors
from support.soares2025_oracle import Question, arrays, land_arrays

LAYERS: dict[str, Callable[[], Heads]] = {"gcn": PlainGcn, "territories": TerritoryLayers}


def network(name: str) -> Heads:
    torch.manual_seed(5)
    return LAYERS[name]().eval()


def answers(net: Heads, some: list[Question]) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        values, logits = net(*tensors(arrays(some)))
    return values, logits


@pytest.mark.parametrize("name", ["simple", "italy"])
def test_the_plain_convolution_matches_torch_geometric(name: str) -> None:
    land = st.conquest.load(name)
    edges, *_ = tensors(land_arrays(land))
    layer, theirs = torch.nn.Linear(5, 60), GCNConv(5, 60)
    with torch.no_grad():
        theirs.lin.weight.copy_(layer.weight)
        layer.bias.copy_(theirs.bias)
        x = torch.randn(3, len(land.territories), 5)
        found = torch.matmul(normalised(edges), torch.matmul(x, layer.weight.T)) + layer.bias
        for i in range(len(x)):
            torch.testing.assert_close(found[i], theirs(x[i], edge_list(land)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_renumbered_territories_give_the_same_answers(name: str) -> None:
    land, net = st.conquest.load("italy"), network(name)
    new = [int(t) for t in np.random.default_rng(2).permutation(20)]
    old = sorted(range(20), key=lambda t: new[t])
    other = dataclasses.replace(
        land,
        territories=tuple(land.territories[t] for t in old),
        places=tuple(land.places[t] for t in old),
        edges=tuple((new[a], new[b]) for a, b in land.edges),
        bonuses=tuple(Bonus(b.name, b.value, tuple(new[t] for t in b.territories)) for b in land.bonuses),
    )

    def moved(order: Order) -> Order:
        if isinstance(order, Deploy):
            return Deploy(new[order.territory], order.armies)
        return March(new[order.source], new[order.target], order.armies)

    some = questions(land)
    twins = [
        Question(
            other.state([state.owner[t] for t in old], [state.armies[t] for t in old]),
            player,
            [[moved(order) for order in move] for move in moves],
        )
        for state, player, moves in some
    ]
    values, logits = answers(net, some)
    assert values.std() > 0
    assert logits.std() > 0
    for mine, theirs in zip((values, logits), answers(net, twins), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_the_networks_differ_from_the_thesis_s_in_their_layers_alone(name: str) -> None:
    theirs = TURN_POLICIES["soares2025"].build().state_dict()
    own = TURN_POLICIES[f"soares2025_{name}"].build().state_dict()
    heads = ("hidden", "value", "ends", "kinds", "order", "logit")
    for key, weight in theirs.items():
        if key.startswith(heads):
            assert own[key].shape == weight.shape
        else:
            assert key not in own


@pytest.mark.parametrize("name", LAYERS)
def test_an_exported_network_plays(name: str, tmp_path: Path) -> None:
    """It keeps all inputs, even those that its layers do not use."""
    path = tmp_path / "net.safetensors"
    checkpoints.save(path, network(name), f"soares2025_{name}", st.conquest.rules("soares2025").digest, {})
    found = [
        player_with_analysis(f"guided(net={str(path)!r}, iterations=3, runtime={runtime!r})").analyse(
            st.conquest.load("simple").start(seed=1), side=0
        )
        for runtime in ("onnx", "torch")
    ]
    assert found[0].value == pytest.approx(found[1].value, abs=1e-4)


def player_with_analysis(spec: str) -> Any:
    return st.player(spec)


def samples() -> Samples:
    rng = np.random.default_rng(1)
    return Samples(
        rng.normal(size=(40, 3)).astype(np.float32),
        np.ones(40, np.float32),
        np.arange(40, dtype=np.int32),
    )


class Line(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.line = torch.nn.Linear(3, 1)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.line(inputs).squeeze(1)
        return found


def test_a_training_ends_after_its_processor_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each epoch takes two seconds here; after a stop the training continues with the remaining seconds."""
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    how = supervised.Settings(batch=8, max_epochs=50, patience=50, max_seconds=5)
    held_out = np.arange(40) < 8

    def stop(progress: supervised.Progress) -> None:
        if progress.epochs == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        supervised.train(Line, samples(), held_out, how, tmp_path / "resume", watch=stop)
    _, progress = supervised.train(Line, samples(), held_out, how, tmp_path / "resume")
    assert [row["processor_seconds"] for row in progress.curve] == [2, 2, 2]


def test_a_time_limit_is_described_only_if_it_is_set() -> None:
    assert "max_seconds" not in supervised.Settings().about()
    assert supervised.Settings(max_seconds=3).about()["max_seconds"] == 3


def results(first: Entry, others: Sequence[Entry], counts: list[int]) -> Any:
    return {"simple": {pair_name(first.name, one.name): {"counts": counts} for one in others}}


def test_the_best_rows_are_played_with_new_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best rows of all tables by score; in games of another seed, against their own opponents."""
    swept: Any = {"simple": {}}
    for place, one in enumerate(SWEEP):
        swept["simple"] |= results(one.changed, [one.player], [place, 20 - place, 0])["simple"]
    rivals = {one.name: results(one, THESIS, [2, 8, 0]) for one in RIVALS}
    rivals[RIVALS[1].name] = results(RIVALS[1], THESIS, [5, 0, 5])
    played: list[tuple[int, Any]] = []

    def play(run: Run, settings: Any, stage: str, maps: Any, pairs: Any, games: int) -> Any:
        played.append((settings.seed, pairs))
        return {"simple": {pair_name(one.name, other.name): {"counts": [1, 1, 0]} for one, other in pairs}}

    monkeypatch.setattr(further_games, "play_beyond", play)
    with Run(tmp_path) as run:
        found = further_games.play_best.work(run, SCALES["smoke"], swept, rivals)
    last = [one.changed.name for one in SWEEP[::-1]]
    expected = sorted([(0.75, RIVALS[1].name), *((place / 20, SWEEP[place].changed.name) for place in range(15))])
    assert [one["player"] for one in found] == [name for _, name in expected[::-1][:5]]
    assert last[0] in {one["player"] for one in found}
    table = further_games.best_table(found)
    measured = Measured({"best": table}, {}, {"seeds": [1]})
    section, *_ = further_sections(measured, SCALES["smoke"], lambda budget, games: budget)
    assert section.table is not None
    assert f"{RIVALS[1].name}, 75.0%" in section.table.said
    rival = next(one for one in found if one["player"] == RIVALS[1].name)
    assert (rival["chosen"], rival["new"]) == ([20, 0, 20], [4, 4, 0])
    assert {seed for seed, _ in played}.isdisjoint({SCALES["smoke"].seed})
    assert all(one.net == "net-3" for _, pairs in played for one, _ in pairs if one.search.has_net)
