"""takahashi: Takahashi, Noguchi, Yamamoto, on graph and image representations of TUBSTAP together (in Japanese).

Maps with terrain; a graph whose edges carry damages, which know the terrain; a graph network, an image network and
three ways to combine them, trained to tell wins, losses and draws; and, as the authors wish for, matches with them.
"""

from sandtable.papers.stages import by_name
from sandtable.papers.takahashi.budgets import measure_budgets
from sandtable.papers.takahashi.compose import compose
from sandtable.papers.takahashi.convolution import measure_convolution
from sandtable.papers.takahashi.data import check_records, make_dataset, make_maps, play_games
from sandtable.papers.takahashi.matches import measure_thinking, play_alternative, play_matches
from sandtable.papers.takahashi.report import write_report
from sandtable.papers.takahashi.settings import SCALES
from sandtable.papers.takahashi.training import train_models

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib")  # packages beyond those of the engine

STAGES = by_name(
    measure_convolution,
    make_maps,
    play_games,
    check_records,
    measure_budgets,
    make_dataset,
    train_models,
    measure_thinking,
    play_matches,
    play_alternative,
    write_report,
)

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
