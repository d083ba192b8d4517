"""Settings, declared once: name, type, default, range or words, and a sentence. Searches declare theirs in C++
(cpp/core/settings.h); settings that Python handles are dataclass fields, declared by `setting` and `count`."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sandtable.errors import SettingError, nearest

MAX_COUNT = 4_000_000_000  # as in the core, where visits are counted in 32 bits

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """The declaration of a setting. A limit may be the name of another setting."""

    name: str
    types: tuple[type, ...]  # of int, float, bool, str and NoneType; empty: any type
    default: Any
    sentence: str = ""
    low: float | str | None = None
    high: float | str | None = None
    words: tuple[Any, ...] = ()
    above: bool = False  # the low limit itself is out of range
    is_count: bool = False  # a budget: its default applies unless there is a clock
    names: str = ""  # what the value names: a "network", by its name or file, or a "player", by its spec
    plain: tuple[str, ...] = ()  # allowed words that name no network or player

    @property
    def given(self) -> Any:
        """The value of a setting that is not given. A count stays None until it is known whether there is a clock."""
        return None if self.is_count else self.default

    @property
    def range(self) -> str:
        """The allowed values, in words."""
        if self.words:
            return " or ".join(map(str, self.words))
        if self.names:
            return " or ".join((*self.plain, f"a {self.names}"))
        if self.low is None:
            return " or ".join(_TYPES.get(one, one.__name__) for one in self.types)
        limits = f"more than {self.low}, at most {self.high}" if self.above else f"{self.low}..{self.high}"
        return limits if self.default is not None else f"none, or {limits}"

    @property
    def row(self) -> tuple[str, str, str, str]:
        """Name, default, range and sentence, for tables."""
        return self.name, in_words(self.default), self.range, self.sentence

    def checked(self, value: Any, others: Mapping[str, Any] | None = None) -> Any:
        """The value, with an int converted to float where a float is wanted; SettingError if the value is not allowed.
        `others` has the values of the settings that the limits name."""
        if value is None and types.NoneType in self.types:
            return None
        if self.words:
            if value not in self.words:
                hint = nearest(str(value), map(str, self.words))
                raise SettingError(f"{self.name} must be {self.range}, not {value!r:.40}{hint}")
            return value
        if float in self.types and type(value) is int:
            try:
                value = float(value)
            except OverflowError:
                raise SettingError(f"{self.name} is too large: {value!r:.40}") from None
        if self.types and type(value) not in self.types:
            choices = " or ".join(_TYPES[choice] for choice in self.types)
            raise SettingError(f"{self.name} must be {choices}, not {value!r:.40}")
        if self.low is not None:
            self._check_range(value, others or {})
        return value

    def _check_range(self, value: Any, others: Mapping[str, Any]) -> None:
        low, high = (others[one] if isinstance(one, str) else one for one in (self.low, self.high))
        if self.above and not low < value <= high:
            raise SettingError(f"{self.name} must be more than {low} and at most {high}, not {value!r:.40}")
        if not low <= value <= high:
            raise SettingError(f"{self.name} must be within {low}..{high}, not {value!r:.40}")


def in_words(value: Any) -> str:
    """A value as it is written in a spec, with floats to six digits."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def as_call(name: str, values: Mapping[str, Any]) -> str:
    """An object as the Python call that creates it."""
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in values.items())})"


_TYPES: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a word",
    bool: "true or false",
    types.NoneType: "none",
}


def checked_all(owner: str, declared: Sequence[Setting], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, each checked by its setting. If a limit names a setting without a value here, that setting's default
    applies."""
    known = {one.name: one for one in declared}
    for key in values:
        if key not in known:
            choices = f"it has {', '.join(known)}" if known else "it has no settings"
            raise SettingError(f"{owner} has no setting {key!r:.40}{nearest(key, known)}; {choices}")
    others = {one.name: one.default for one in declared} | dict(values)
    try:
        return {key: known[key].checked(value, others) for key, value in values.items()}
    except SettingError as error:
        raise SettingError(f"{owner}: {error}") from None


def setting(
    default: Any,
    sentence: str,
    *,
    low: float | str | None = None,
    high: float | str | None = None,
    words: Sequence[str] = (),
    above: bool = False,
    type: type | None = None,
    names: str = "",
    plain: Sequence[str] = (),
) -> Any:
    """A dataclass field that declares a setting: see Setting. If the default is None, `type` is the type of the other
    values."""
    found = (type or default.__class__, *([types.NoneType] if default is None else []))
    limits = {"low": low, "high": high, "above": above, "words": tuple(words)}
    return field_of(Setting("", found, default, sentence, **limits, names=names, plain=tuple(plain)))  # type: ignore[arg-type]


def says(sentence: str) -> dict[str, Setting]:
    """The metadata that gives a sentence to a dataclass field without a default or with a default factory."""
    return {"setting": Setting("", (), dataclasses.MISSING, sentence)}


def count(default: int, sentence: str) -> Any:
    """A dataclass field that declares a budget. It is None if it is not given."""
    return field_of(Setting("", (int, types.NoneType), default, sentence, 1, MAX_COUNT, is_count=True))


def field_of(declared: Setting) -> Any:
    """The dataclass field of a setting's declaration."""
    return dataclasses.field(default=declared.given, metadata={"setting": declared})


def field_from(search: Any, name: str, **changes: Any) -> Any:
    """A dataclass field with a search's declaration of the setting `name`, changed in some parts."""
    (one,) = (one for one in search.fields if one.name == name)
    return field_of(dataclasses.replace(one, **changes))


def declares(search: Any = None, *, without: Sequence[str] = (), frozen: bool = False) -> Callable[[type[T]], type[T]]:
    """Make a class a dataclass of settings: its own, and those of a search except the ones in `without`. `search` is
    the search's class of settings or, to use other defaults, an object of that class.

    The order of a spec's settings is the order of the fields. A field of the class without a default stands for the
    search's setting of that name; the settings that the search declares before it are inserted before it, and the
    remaining ones at the end. A field with a default replaces the search's setting."""

    def declare(kind: type[T]) -> type[T]:
        fields = [one for one in getattr(search, "fields", ()) if one.name not in without]
        found = {one.name: _with_default(one, search) for one in fields}
        inherited = {one.name for one in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
        own, order = inspect.get_annotations(kind), list[str]()
        waiting = [name for name in found if name not in own and name not in inherited]
        for name in own:
            while name in found and waiting and list(found).index(waiting[0]) < list(found).index(name):
                order.append(waiting.pop(0))
            order.append(name)
        kind.__annotations__ = {name: own.get(name, Any) for name in (*order, *waiting, *(inherited & set(found)))}
        for name, one in found.items():
            if name not in vars(kind):
                setattr(kind, name, field_of(one))
        if found:
            kind.search_settings = search if isinstance(search, type) else type(search)  # type: ignore[attr-defined]
        # A base class that is not a dataclass may define the repr of the classes that inherit from it.
        plain = [base for base in kind.__mro__[:-1] if "__dataclass_fields__" not in vars(base)]
        return dataclass(kw_only=True, frozen=frozen, repr=not any("__repr__" in vars(base) for base in plain))(kind)

    return declare


def searched_with(holder: Any, **changes: Any) -> Any:
    """The settings of the search that `holder`'s class declares, with the holder's values and some changes."""
    values = vars(holder) | changes
    kind = holder.search_settings
    return kind(**{one.name: values[one.name] for one in kind.fields if one.name in values})


def _with_default(declared: Setting, search: Any) -> Setting:
    default = declared.default if isinstance(search, type) else getattr(search, declared.name)
    return dataclasses.replace(declared, default=default)


def declared(kind: type[Any]) -> tuple[Setting, ...]:
    """The settings of a class of players, in the order of its fields. A field without a declaration is checked only
    against its type hint."""
    found: tuple[Setting, ...] | None = kind.__dict__.get("_declared")
    if found is None:
        found = kind._declared = tuple(_declared(kind))
    return found


def _declared(kind: Any) -> Iterator[Setting]:
    if not dataclasses.is_dataclass(kind):
        return
    try:
        hints = typing.get_type_hints(kind)
    except Exception:  # with an annotation that cannot be resolved here, no types are checked
        hints = {}
    for field in dataclasses.fields(kind):
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if field.init and "setting" in field.metadata:
            one = dataclasses.replace(field.metadata["setting"], name=field.name)
            yield dataclasses.replace(one, default=default) if one.default is dataclasses.MISSING else one
        elif field.init:
            yield _setting_from_hint(field.name, hints.get(field.name, Any), default)


def _setting_from_hint(name: str, hint: Any, default: Any) -> Setting:
    if typing.get_origin(hint) is typing.Literal:
        return Setting(name, (), default, words=typing.get_args(hint))
    union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    allowed = typing.get_args(hint) if union else (hint,)
    return Setting(name, allowed if all(one in _TYPES for one in allowed) else (), default)
