"""kimura2020: Kimura and Ikeda, on a policy/value network and PV-MCTS for TUBSTAP without human knowledge.

A residual network over images that asks about one unit at a time; PUCT with a bonus for attacks; self-play on small
maps with infantry; the networks against Monte-Carlo players on two maps.
"""

from sandtable.papers.kimura2020.beyond import measure_memory, measure_thinking, train_graph
from sandtable.papers.kimura2020.compose import compose
from sandtable.papers.kimura2020.fast import play_fast, train_fast
from sandtable.papers.kimura2020.matches import play_matches
from sandtable.papers.kimura2020.pruned import play_pruned
from sandtable.papers.kimura2020.report import write_report
from sandtable.papers.kimura2020.settings import SCALES
from sandtable.papers.kimura2020.training import train_variants

NEEDS = ("torch", "safetensors", "onnx", "onnxruntime", "matplotlib", "tensorboardX")

# In this order; each asks for what it stands on.
STAGES = {
    "training": train_variants,
    "matches": play_matches,
    "graph": train_graph,
    "thinking": measure_thinking,
    "memory": measure_memory,
    "fast": train_fast,
    "fast_matches": play_fast,
    "pruned": play_pruned,
    "report": write_report,
}

__all__ = ["NEEDS", "SCALES", "STAGES", "compose"]
