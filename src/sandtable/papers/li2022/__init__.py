"""li2022: Li, He, Hsueh, Ikeda, "Graph Convolutional Networks for Turn-Based Strategy Games" (ICAART 2022).

Maps that are fair by design, by play or not at all; games of Monte-Carlo players on them; value networks trained on
the results, with a state as an image or as a graph; a minimax of depth 2 with each network, and matches.
"""

from sandtable.papers.li2022.compose import compose
from sandtable.papers.li2022.report import MEASURED, write_curves_report, write_readings_report, write_report
from sandtable.papers.li2022.settings import SCALES
from sandtable.papers.stages import in_order

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib")  # packages beyond those of the engine

STAGES = in_order(*MEASURED, write_readings_report, write_curves_report, write_report)

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
