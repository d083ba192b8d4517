"""Signatures of the extension's functions for inspect.signature(), and so for editors and notebooks.

nanobind gives its functions signatures as text (`__nb_signature__`), which inspect does not read. nanobind's types
cannot be changed from Python, so the core sets the attribute.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from sandtable import _core


def signature_of(function: Any) -> inspect.Signature:
    """The signature from its text, in which `\\0` stands for the first default value; annotations stay strings."""
    text, _, defaults = function.__nb_signature__[0]
    scope: dict[str, Any] = {"defaults": defaults}
    definition = re.sub(
        r"^def \w*\(", "def function(", re.sub(r"\\(\d+)", r"defaults[\1]", text)
    )  # getters have no name
    exec(f"from __future__ import annotations\n{definition}: ...", scope)  # safe: the text is compiled into the core
    made = inspect.signature(scope["function"])
    if not hasattr(function, "__self__"):
        return made
    return made.replace(parameters=list(made.parameters.values())[1:])


def show_signatures() -> None:
    """Make inspect.signature() read the extension's functions. One call per process is enough; more change nothing."""
    rng = _core.Rng
    for kind in (type(_core.set_type_attribute), type(rng.below), type(rng(0, "").below)):
        _core.set_type_attribute(kind, "__signature__", property(signature_of))
