"""takahashi: Takahashi, Noguchi, Yamamoto, on graph and image representations of TUBSTAP together (in Japanese).

Maps with terrain; a graph whose edges carry damages, which depend on the terrain; a graph network, an image network and
three ways to combine them, trained to classify states as wins, losses and draws; and matches with the networks, the
authors' future work.
"""

from sandtable.papers.stages import in_order
from sandtable.papers.takahashi.compose import compose
from sandtable.papers.takahashi.report import write_report
from sandtable.papers.takahashi.settings import SCALES

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib")  # packages beyond those of the engine

STAGES = in_order(write_report)

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
