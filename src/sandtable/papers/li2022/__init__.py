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
from sandtable.papers.stages import by_name

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib")  # packages beyond those of the engine

STAGES = by_name(
    make_maps,
    play_games,
    check_records,
    make_dataset,
    train_networks,
    measure_accuracy,
    measure_ceiling,
    measure_growth,
    measure_thinking,
    play_matches,
    make_readings_data,
    check_readings_records,
    train_readings,
    compare_readings,
    write_readings_report,
    write_report,
)

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
