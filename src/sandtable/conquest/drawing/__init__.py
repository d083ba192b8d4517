"""A state or land as text for a terminal and as SVG."""

from typing import TYPE_CHECKING

from sandtable.lazy import lazily

if TYPE_CHECKING:
    from sandtable.conquest.drawing.terminal import text
    from sandtable.conquest.drawing.vector import svg

__all__ = ["svg", "text"]

__getattr__ = lazily(
    __name__, {"svg": "sandtable.conquest.drawing.vector", "text": "sandtable.conquest.drawing.terminal"}
)
