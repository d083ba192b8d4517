"""soares2025: a thesis on a policy/value graph network and coevolution for a Risk-like game with simultaneous turns.

Three iterations of data from search, training and evaluation; tournaments of guided MCTS, coevolution with and without
the policy, and vanilla MCTS on four maps; and the effects of what the authors' code did beside their text.
"""

from typing import Any

from sandtable.papers.soares2025.beyond import iterate_further, play_code, play_habits, play_ours, play_rivals, sweep
from sandtable.papers.soares2025.compose import compose
from sandtable.papers.soares2025.exploitability import measure_exploitability
from sandtable.papers.soares2025.from_nothing import play_from_nothing
from sandtable.papers.soares2025.further_games import play_best, play_text_order
from sandtable.papers.soares2025.matches import evaluation_stage, tournament_stage
from sandtable.papers.soares2025.networks import play_networks, train_networks
from sandtable.papers.soares2025.records import write_records
from sandtable.papers.soares2025.report import write_report
from sandtable.papers.soares2025.settings import SCALES
from sandtable.papers.soares2025.text_inputs import play_text_inputs
from sandtable.papers.soares2025.training import data_stage, training_stage
from sandtable.papers.stages import Stage

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib")

STAGES: dict[str, Stage[Any]] = {
    one.name: one
    for one in (
        *(data_stage(1), training_stage(1), evaluation_stage(1)),
        *(data_stage(2), training_stage(2), evaluation_stage(2), tournament_stage(2)),
        *(data_stage(3), training_stage(3), evaluation_stage(3), tournament_stage(3)),
        *(tournament_stage(3, longer=True), iterate_further, play_habits, play_code, sweep, play_rivals, play_best),
        *(play_text_order, train_networks, play_networks, play_text_inputs, play_from_nothing, play_ours),
        *(measure_exploitability, write_records, write_report),
    )
}

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
