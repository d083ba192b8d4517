"""Networks: one file per architecture, checkpoints, and evaluators, through which searches call networks.

Importing this package imports neither torch nor onnxruntime.
"""

from sandtable.nets.architectures import ARCHITECTURES, Architecture, Encoder
from sandtable.nets.checkpoints import Card, read_card
from sandtable.nets.conquest import territory_evaluator, turn_evaluator
from sandtable.nets.evaluators import evaluator, locate, shipped

__all__ = [
    "ARCHITECTURES",
    "Architecture",
    "Card",
    "Encoder",
    "evaluator",
    "locate",
    "read_card",
    "shipped",
    "territory_evaluator",
    "turn_evaluator",
]
