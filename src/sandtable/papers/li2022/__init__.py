"""li2022: Li, He, Hsueh, Ikeda, "Graph Convolutional Networks for Turn-Based Strategy Games" (ICAART 2022).

A run makes random maps, symmetric maps and maps balanced by local search, plays a game between Monte-Carlo players on
each, trains value networks on the results, with states as images or as graphs, and plays matches of minimax players of
depth 2 with these networks against each other and against MCTS.
"""

from sandtable.papers.li2022.compose import compose
from sandtable.papers.li2022.report import MEASURED, write_curves_report, write_readings_report, write_report
from sandtable.papers.li2022.settings import SCALES
from sandtable.papers.stages import in_order

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib")  # packages beyond those of the engine

STAGES = in_order(*MEASURED, write_readings_report, write_curves_report, write_report)

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
