"""kimura2020: Kimura and Ikeda, on a policy/value network and PV-MCTS for TUBSTAP without human knowledge.

A residual network over images that is asked about one unit at a time; PUCT with a bonus for attacks; self-play on small
maps with infantry; matches of the networks against Monte-Carlo players on two maps.
"""

from sandtable.papers.kimura2020.compose import compose
from sandtable.papers.kimura2020.report import write_report
from sandtable.papers.kimura2020.settings import SCALES
from sandtable.papers.stages import in_order

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib", "tensorboardX")

STAGES = in_order(write_report)

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
