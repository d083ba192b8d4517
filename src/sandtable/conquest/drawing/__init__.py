"""A state or land as text for a terminal and as SVG."""

from sandtable.conquest.drawing.terminal import text
from sandtable.conquest.drawing.vector import svg

__all__ = ["svg", "text"]
