"""li2022: Li, He, Hsueh, Ikeda, "Graph Convolutional Networks for Turn-Based Strategy Games" (ICAART 2022).

Maps that are fair by design, by play or not at all; games of Monte-Carlo players on them; value networks trained on
the results, with a state as an image or as a graph; a minimax of depth 2 with each network, and matches.
"""

from sandtable.papers.li2022.accuracy import measure_accuracy, measure_ceiling
from sandtable.papers.li2022.compose import compose
from sandtable.papers.li2022.data import check_records, make_dataset, make_maps, play_games
from sandtable.papers.li2022.growth import measure_growth
from sandtable.papers.li2022.matches import measure_thinking, play_matches
from sandtable.papers.li2022.readings import compare_readings
from sandtable.papers.li2022.readings_data import make_readings_data
from sandtable.papers.li2022.readings_training import check_readings_records, train_readings
from sandtable.papers.li2022.report import write_readings_report, write_report
from sandtable.papers.li2022.settings import SCALES
from sandtable.papers.li2022.training import train_networks

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib")  # packages beyond those of the engine

# In this order; each asks for what it stands on.
STAGES = {
    "maps": make_maps,
    "games": play_games,
    "records": check_records,
    "dataset": make_dataset,
    "training": train_networks,
    "accuracy": measure_accuracy,
    "ceiling": measure_ceiling,
    "growth": measure_growth,
    "thinking": measure_thinking,
    "matches": play_matches,
    "readings_data": make_readings_data,
    "readings_records": check_readings_records,
    "readings_training": train_readings,
    "readings": compare_readings,
    "readings_report": write_readings_report,
    "report": write_report,
}

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
