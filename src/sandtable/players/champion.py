"""`sandtable`, a player of every game: in each game it plays as that game's champion."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

from sandtable.errors import PlayerError
from sandtable.games import Game, game, game_of, games
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import locate
from sandtable.players.protocol import Analysis
from sandtable.players.registry import player_class
from sandtable.players.seeding import GamesWith, Seeded
from sandtable.players.spec import PlayerSpec
from sandtable.settings import Setting, declared, declares, field_of


class _Champion(Seeded):
    """Each game's champion: one network for all maps, with the search settings that suit it. A setting given here
    replaces the champion's; `none` keeps the champion's. If `net` is given, it determines the game."""

    games: Any = GamesWith()
    net: str | None
    seconds: float | None
    seconds_per_turn: float | None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._champions: dict[str, Any] = {}
        if self.net is not None:
            name = read_card(locate(self.net)).game
            self.games = (name,)
            self.playing(game(name))

    @staticmethod
    def networks_behind(net: str | None) -> tuple[str, ...]:
        """The networks that a value of the setting `net` stands for; None stands for those of all champions."""
        return tuple(_champion_network(one) for one in games() if _champion_network(one)) if net is None else (net,)

    @staticmethod
    def players_behind() -> tuple[str, ...]:
        """The specs of the champions that have networks. The digest of `sandtable` includes them, so that it changes
        when a champion changes."""
        return tuple(one.champion for one in games() if _champion_network(one))

    def check_game(self, of: Game) -> None:
        """PlayerError if the game's champion cannot be made: its network cannot run here, or the count that was given
        is another game's."""
        self.playing(of)

    def start(self, map: Any, side: int, seed: int) -> None:
        self.playing(game_of(map)).start(map, side, seed)  # loads the network before the clock starts

    def act(self, state: Any, side: int | None = None) -> Any:
        mover = self.check_position(state, side)
        return self.playing(game_of(state)).act(state, mover)

    def analyse(self, state: Any, side: int | None = None) -> Analysis:
        mover = self.check_position(state, side)
        found: Analysis = self.playing(game_of(state)).analyse(state, mover)
        return found

    def playing(self, of: Game) -> Any:
        """The champion of a game, with the settings given here; made once per game."""
        if of.name not in self._champions:
            spec = PlayerSpec.parse(of.champion)
            known = {one.name: one for one in declared(player_class(spec.name))}
            own = {one.name: getattr(self, one.name) for one in declared(type(self))}
            given = {name: value for name, value in own.items() if value is not None and name in known}
            self._check_counts(of, known, given)
            self._champions[of.name] = spec.replace(**given).player()
        return self._champions[of.name]

    def _check_counts(self, of: Game, known: dict[str, Setting], given: dict[str, Any]) -> None:
        """PlayerError if the only budget is the count of another game's champion."""
        if self.seconds is not None or self.seconds_per_turn is not None or any(known[name].is_count for name in given):
            return
        own = [name for name, one in known.items() if one.is_count]
        others = [one.name for one in declared(type(self)) if one.is_count and getattr(self, one.name) is not None]
        for count, other in zip(own, others, strict=False):  # the champion may have no count
            hint = f"sandtable({count}={getattr(self, other)})"
            raise PlayerError(f"in {of.name} the count is {count}, not {other}: write {hint}")


def _champion_network(of: Game) -> str:
    """The network of a game's champion; empty if it has none."""
    spec = PlayerSpec.parse(of.champion)
    default = {one.name: one.default for one in declared(player_class(spec.name))}.get("net", "")
    return str(dict(spec.settings).get("net", default))


def _settings_of_champions() -> dict[str, Setting]:
    """The settings of all champions but `seed`, each with None as its default: the champion's own value applies."""
    champions = {
        name: declared(player_class(name)) for name in (PlayerSpec.parse(one.champion).name for one in games())
    }
    found: dict[str, Setting] = {}
    for name, settings in champions.items():
        for setting in settings:
            kinds = (*(kind for kind in setting.types if kind is not types.NoneType), types.NoneType)
            same = (setting.name, setting.sentence)
            shared = all(same in [(one.name, one.sentence) for one in others] for others in champions.values())
            sentence = setting.sentence if shared else f"{setting.sentence} ({name})"
            passed = dataclasses.replace(setting, types=kinds, default=None, sentence=sentence)
            if isinstance(setting.low, str) or isinstance(setting.high, str):  # names a setting; the champion checks it
                passed = dataclasses.replace(passed, low=None, high=None)
            if setting.name != "seed":
                found.setdefault(setting.name, passed)
    return found


_FIELDS = _settings_of_champions()
Sandtable: type[_Champion] = declares()(
    type(
        "Sandtable",
        (_Champion,),
        {
            "__annotations__": dict.fromkeys(_FIELDS, Any),
            "__doc__": _Champion.__doc__,
            "__module__": __name__,
            **{name: field_of(setting) for name, setting in _FIELDS.items()},
        },
    )
)
