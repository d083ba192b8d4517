"""A state or scenario as text for a terminal and as SVG."""

from typing import TYPE_CHECKING

from sandtable.lazy import lazily

if TYPE_CHECKING:
    from sandtable.tubstap.drawing.terminal import text
    from sandtable.tubstap.drawing.vector import svg

__all__ = ["svg", "text"]

__getattr__ = lazily(
    __name__, {"svg": "sandtable.tubstap.drawing.vector", "text": "sandtable.tubstap.drawing.terminal"}
)
