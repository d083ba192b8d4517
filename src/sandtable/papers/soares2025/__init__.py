"""soares2025: a thesis on a policy/value graph network and coevolution for a Risk-like game with simultaneous turns.

Three iterations of data from search, training and evaluation; tournaments of guided MCTS, coevolution with and without
the policy, and vanilla MCTS on four maps; and what the authors' code did beside their text.
"""

import functools
from collections.abc import Callable
from typing import Any

from sandtable.papers.soares2025.beyond import iterate_further, play_code, play_habits, play_ours, play_rivals, sweep
from sandtable.papers.soares2025.compose import compose
from sandtable.papers.soares2025.exploitability import measure_exploitability
from sandtable.papers.soares2025.from_nothing import play_from_nothing
from sandtable.papers.soares2025.matches import evaluate, play_tournament
from sandtable.papers.soares2025.records import write_records
from sandtable.papers.soares2025.report import write_report
from sandtable.papers.soares2025.settings import SCALES
from sandtable.papers.soares2025.text_inputs import play_text_inputs
from sandtable.papers.soares2025.training import make_data, train_network

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib")

# In this order; each asks for what it stands on.
STAGES: dict[str, Callable[..., Any]] = {
    "data_1": functools.partial(make_data, iteration=1),
    "training_1": functools.partial(train_network, iteration=1),
    "evaluation_1": functools.partial(evaluate, iteration=1),
    "data_2": functools.partial(make_data, iteration=2),
    "training_2": functools.partial(train_network, iteration=2),
    "evaluation_2": functools.partial(evaluate, iteration=2),
    "tournament_2": functools.partial(play_tournament, iteration=2),
    "data_3": functools.partial(make_data, iteration=3),
    "training_3": functools.partial(train_network, iteration=3),
    "evaluation_3": functools.partial(evaluate, iteration=3),
    "tournament_3": functools.partial(play_tournament, iteration=3),
    "tournament_3_long": functools.partial(play_tournament, iteration=3, longer=True),
    "further": iterate_further,
    "habits": play_habits,
    "tournament_code": play_code,
    "sweep": sweep,
    "rivals": play_rivals,
    "text_inputs": play_text_inputs,
    "from_nothing": play_from_nothing,
    "ours": play_ours,
    "exploitability": measure_exploitability,
    "records": write_records,
    "report": write_report,
}

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
