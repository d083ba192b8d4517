"""The published figures of li2022."""

WEIGHTS = {"cnn_i": 174_721, "cnn_g": 76_705, "gcn_4": 76_433, "gcn_32": 596_225}  # Table 3

STATES = {  # Table 2
    "train": {"win": 34_863, "loss": 19_768, "tie": 28_429, "total": 83_060},
    "test": {"win": 1_783, "loss": 1_186, "tie": 890, "total": 3_859},
}

ACCURACY = {  # Table 4, per cent
    "cnn_i": {"overall": 58.2, "random": 74.5, "symmetric": 61.1, "local_search": 56.8},
    "cnn_g": {"overall": 71.5, "random": 81.1, "symmetric": 75.9, "local_search": 70.6},
    "gcn_4": {"overall": 77.5, "random": 85.3, "symmetric": 81.2, "local_search": 76.7},
    "gcn_32": {"overall": 78.2, "random": 85.4, "symmetric": 81.2, "local_search": 77.5},
}

# Tables 5 and 6 and section 4.3.1: wins, losses and ties of the first player.
MATCHES = {
    "symmetric GCN CNN_g": (199, 144, 157),
    "symmetric GCN CNN_i": (349, 67, 84),
    "symmetric GCN MCTS": (304, 158, 38),
    "symmetric CNN_g CNN_i": (298, 88, 114),
    "symmetric CNN_g MCTS": (196, 269, 35),
    "symmetric CNN_i MCTS": (95, 393, 12),
    "local_search GCN CNN_g": (213, 119, 168),
    "local_search GCN CNN_i": (356, 73, 71),
    "local_search GCN MCTS": (315, 175, 10),
    "local_search CNN_g CNN_i": (306, 77, 117),
    "local_search CNN_g MCTS": (182, 286, 32),
    "local_search CNN_i MCTS": (93, 404, 3),
    "larger GCN MCTS": (296, 89, 115),
}

THINKING = {  # seconds of a decision on initial maps
    "symmetric": {"GCN": 1.42, "CNN_g": 1.78, "CNN_i": 1.89, "MCTS": 5.34},
    "local_search": {"GCN": 3.64, "CNN_g": 3.98, "CNN_i": 4.15, "MCTS": 5.54},
    "larger": {"GCN": 1.65, "MCTS": 5.76},
}
