"""A state or scenario as text for a terminal and as SVG."""

from sandtable.tubstap.drawing.terminal import text
from sandtable.tubstap.drawing.vector import svg

__all__ = ["svg", "text"]
