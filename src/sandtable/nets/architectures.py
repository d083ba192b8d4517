"""The architectures by name: the encoder of each, and the function that builds it."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sandtable import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import nn

    TubstapEncoder = (
        _core.tubstap.AttackGraphEncoder
        | _core.tubstap.UnitImageEncoder
        | _core.tubstap.DamageGraphEncoder
        | _core.tubstap.TerrainImageEncoder
        | _core.tubstap.CombinedEncoder
    )

Shape = tuple[int | str, ...]  # of an array; a string names an axis of any length
Shapes = dict[str, Shape]


class Signed:
    """The inputs and outputs of a network: names and shapes."""

    whole: frozenset[str] = frozenset()  # the integer inputs: indices into other arrays

    @property
    def signature(self) -> tuple[Shapes, Shapes]:
        raise NotImplementedError

    def example(self) -> list[NDArray[Any]]:
        """Inputs of zeros, every free axis of length 2."""
        import numpy as np  # slow to import, and not needed by networks that run in the core

        return [
            np.zeros(sized(shape), np.int64 if name in self.whole else np.float32)
            for name, shape in self.signature[0].items()
        ]


def sized(shape: Shape) -> tuple[int, ...]:
    return tuple(axis if isinstance(axis, int) else 2 for axis in shape)


@dataclass(frozen=True)
class Encoder(Signed):
    """How a state is encoded. Any change of the encoding is a new version; networks for the old one are refused."""

    name: str
    version: int
    shape: tuple[int, ...]  # of one encoded state
    make: Callable[[], TubstapEncoder]

    @property
    def signature(self) -> tuple[Shapes, Shapes]:
        return {"inputs": ("states", *self.shape)}, {"values": ("states",)}


@dataclass(frozen=True)
class PolicyEncoder(Signed):
    """How states and their moves become the inputs of a policy/value network; `core` is its name in the core."""

    name: str
    version: int
    core: str
    inputs: Shapes  # by the names of the parameters of `forward`, in order
    outputs: Shapes
    whole: frozenset[str] = frozenset()

    @property
    def signature(self) -> tuple[Shapes, Shapes]:
        return self.inputs, self.outputs


@dataclass(frozen=True)
class TurnEncoder(PolicyEncoder):
    """How states of Conquest and candidate moves become arrays. With `land`, the name of a shipped map, the inputs are
    those of soares2025's text, which fit that map only."""

    land: str | None = None

    def make(self) -> _core.conquest.TerritoryGraphEncoder:
        from sandtable import conquest

        state = None if self.land is None else conquest.load(self.land).start()
        return _core.conquest.TerritoryGraphEncoder(text_inputs_of=state)


@dataclass(frozen=True)
class Architecture:
    name: str
    game: str
    encoder: Encoder
    build: Callable[..., nn.Module]  # with fresh weights; imports torch. Some take `dropout`, for training


NativeNetwork = _core.tubstap.TokenNet | _core.conquest.TerritoryNet  # run by the core, on batches of its own encoders


@dataclass(frozen=True)
class PolicyArchitecture:
    name: str
    game: str
    encoder: PolicyEncoder
    build: Callable[..., nn.Module]
    native: Callable[..., NativeNetwork] | None = None  # from the bytes of the weights, if the core can run it


# li2022's options, with the suffixes that they add to names of encoders and architectures. The first is the default.
LAYERS = {"adjacency": "", "kernel": "_kernel"}  # of the graph convolutions
INPUTS = {"scaled": "", "raw": "_raw"}
PLANES = {"first": "", "text": "_text"}  # of the image


def _attack_graph(inputs: str) -> Encoder:
    make = functools.partial(_core.tubstap.AttackGraphEncoder, side_rows=3, scaled=inputs == "scaled")
    return Encoder(f"tubstap-attack-graph{INPUTS[inputs]}".replace("_", "-"), 1, (6, 6, 6), make)


def _unit_image(planes: str, inputs: str) -> Encoder:
    make = functools.partial(
        _core.tubstap.UnitImageEncoder, width=8, height=8, planes=planes, scaled=inputs == "scaled"
    )
    return Encoder(f"tubstap-unit-image{PLANES[planes]}{INPUTS[inputs]}".replace("_", "-"), 1, (5, 8, 8), make)


ATTACK_GRAPHS = {inputs: _attack_graph(inputs) for inputs in INPUTS}
UNIT_IMAGES = {(planes, inputs): _unit_image(planes, inputs) for planes in PLANES for inputs in INPUTS}
ATTACK_GRAPH, UNIT_IMAGE = ATTACK_GRAPHS["scaled"], UNIT_IMAGES["first", "scaled"]
DAMAGE_GRAPH = Encoder("tubstap-damage-graph", 1, (360,), lambda: _core.tubstap.DamageGraphEncoder(rows=8))
TERRAIN_IMAGE = Encoder(
    "tubstap-terrain-image", 1, (20, 8, 8), lambda: _core.tubstap.TerrainImageEncoder(width=8, height=8)
)
COMBINED = Encoder("tubstap-combined", 1, (1648,), lambda: _core.tubstap.CombinedEncoder(rows=8, width=8, height=8))

UNIT_QUESTION = PolicyEncoder(
    "tubstap-unit-question",
    1,
    "unit-question",
    {"planes": ("rows", 5, 6, 6)},
    {"values": ("rows",), "logits": ("rows", 180)},
)
TOKENS = PolicyEncoder(
    "tubstap-tokens",
    1,
    "tokens",
    {
        "units": ("states", "units", 16),
        "pairs": ("states", 8, "units", "units"),
        "balance": ("states", 12),
        "moves": ("moves", 20),
        "actor": ("moves",),
        "target": ("moves",),
    },
    {"values": ("states",), "logits": ("moves",)},
    frozenset({"actor", "target"}),
)


def _territory_graph(name: str, node_inputs: int, land: str | None = None) -> TurnEncoder:
    return TurnEncoder(
        name,
        1,
        "TerritoryGraphEncoder",
        {
            "edges": ("territories", "territories"),
            "members": ("members",),
            "cliques": ("members", "territories"),
            "shares": ("territories", "members"),
            "nodes": ("states", "territories", node_inputs),
            "totals": ("states", 5),
            "asked": ("asked",),
            "sources": ("orders",),
            "targets": ("orders",),
            "orders": ("orders", 6),
            "moves": ("moves", "longest"),
        },
        {"values": ("states",), "logits": ("moves",)},
        frozenset({"members", "asked", "sources", "targets", "moves"}),
        land,
    )


TERRITORY_GRAPH = _territory_graph("conquest-territory-graph", 5)
# The inputs of soares2025's text (section 4.1.1): three for the owner, three for armies, one for each bonus of a map.
TEXT_BONUSES = {"simple": 3, "banana": 4, "owl_island": 4, "italy": 10}
TEXT_GRAPHS = {
    land: _territory_graph(f"conquest-territory-graph-text-{land}", 6 + bonuses, land)
    for land, bonuses in TEXT_BONUSES.items()
}
TERRITORY_FEATURES = PolicyEncoder(
    "conquest-territory-features",
    1,
    "territories",
    {
        "edges": ("territories", "territories"),
        "kin": ("territories", "territories"),
        "nodes": ("states", "territories", 23),
        "totals": ("states", 9),
        "asked": ("asked",),
    },
    {"values": ("states",), "deploys": ("asked", "territories"), "marches": ("asked", "territories", "territories")},
    frozenset({"asked"}),
)


def _built(module: str, kind: str, *arguments: int, **options: float | str) -> nn.Module:
    made: nn.Module = getattr(importlib.import_module(f"sandtable.nets.{module}"), kind)(*arguments, **options)
    return made


def _architecture(name: str, encoder: Encoder, module: str, kind: str, *arguments: int, **options: str) -> Architecture:
    return Architecture(name, "tubstap", encoder, functools.partial(_built, module, kind, *arguments, **options))


def _policy(name: str, encoder: PolicyEncoder, module: str, kind: str, *arguments: int) -> PolicyArchitecture:
    game = encoder.name.partition("-")[0]
    return PolicyArchitecture(name, game, encoder, functools.partial(_built, module, kind, *arguments))


def _tokens(hidden: int, rounds: int) -> PolicyArchitecture:
    native = functools.partial(_core.tubstap.TokenNet, hidden=hidden, rounds=rounds)
    return replace(_policy(f"tokens_{hidden}", TOKENS, "tokens", "TokenNet", hidden, rounds), native=native)


def _territories(hidden: int, rounds: int) -> PolicyArchitecture:
    native = functools.partial(_core.conquest.TerritoryNet, hidden=hidden, rounds=rounds)
    plain = _policy(f"territories_{hidden}", TERRITORY_FEATURES, "territories", "TerritoryNet", hidden, rounds)
    return replace(plain, native=native)


def li2022_name(network: str, *, layer: str = "adjacency", inputs: str = "scaled", planes: str = "first") -> str:
    """The name of a network of li2022's Table 3 with these options; options that do not concern it are ignored."""
    if network.startswith("gcn"):
        return network + LAYERS[layer] + INPUTS[inputs]
    return network + (PLANES[planes] if network == "cnn_i" else "") + INPUTS[inputs]


def _li2022() -> Iterator[Architecture]:
    for inputs in INPUTS:
        for planes in PLANES:
            name = li2022_name("cnn_i", inputs=inputs, planes=planes)
            yield _architecture(name, UNIT_IMAGES[planes, inputs], "li2022", "Cnn", 5, 8)
        graph = ATTACK_GRAPHS[inputs]
        yield _architecture(li2022_name("cnn_g", inputs=inputs), graph, "li2022", "Cnn", 6, 6)
        for outputs in (4, 32):
            for layer in LAYERS:
                name = li2022_name(f"gcn_{outputs}", layer=layer, inputs=inputs)
                yield _architecture(name, graph, "li2022", "Gcn", outputs, layer=layer)


# Networks with a value output only.
ARCHITECTURES = {
    one.name: one
    for one in (
        *_li2022(),
        _architecture("takahashi_gcn", DAMAGE_GRAPH, "takahashi", "Gcn"),
        _architecture("takahashi_cnn", TERRAIN_IMAGE, "takahashi", "Cnn"),
        _architecture("takahashi_a", COMBINED, "takahashi", "CombinedA"),
        _architecture("takahashi_b", COMBINED, "takahashi", "CombinedB"),
        _architecture("takahashi_c", COMBINED, "takahashi", "CombinedC"),
    )
}

# Networks with a policy and a value.
POLICIES = {
    one.name: one
    for one in (
        *(
            _policy(f"kimura_{kind}_{blocks}{head}", UNIT_QUESTION, "kimura2020", "PolicyValueNet", blocks, sep, affine)
            for head, affine in (("", False), ("_affine", True))
            for kind, sep in (("sep", True), ("conv", False))
            for blocks in (1, 4, 6, 8)
        ),
        _tokens(32, 2),
        _tokens(64, 3),
        _tokens(96, 4),
    )
}

# Networks that weigh candidate moves of simultaneous turns, with the inputs of soares2025's code, or with those of its
# text, which need a network for each map.
TURN_POLICIES = {
    one.name: one
    for one in (
        _policy("soares2025", TERRITORY_GRAPH, "soares2025", "Network"),
        _policy("soares2025_gcn", TERRITORY_GRAPH, "soares2025_layers", "PlainGcn"),
        _policy("soares2025_territories", TERRITORY_GRAPH, "soares2025_layers", "TerritoryLayers"),
        *(
            _policy(f"soares2025_text_{land}", encoder, "soares2025", "Network", 6 + TEXT_BONUSES[land])
            for land, encoder in TEXT_GRAPHS.items()
        ),
    )
}

# Networks that propose moves of simultaneous turns.
PROPOSERS = {
    one.name: one
    for one in (
        _territories(32, 3),
        _territories(48, 3),
        _territories(64, 4),
    )
}

TRAINABLE = POLICIES | PROPOSERS  # by self-play

ALL: dict[str, Architecture | PolicyArchitecture] = {**ARCHITECTURES, **POLICIES, **TURN_POLICIES, **PROPOSERS}
