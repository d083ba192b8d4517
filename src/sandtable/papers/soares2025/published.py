"""The figures of soares2025, as printed: scores in per cent, a tie counting half."""

# Tables 5.3 to 5.8, by iteration. The custom map is `simple`.
SAMPLES = {
    1: {"simple": 11_980, "banana": 8_744, "owl_island": 6_204},
    2: {"simple": 14_486, "banana": 18_325, "owl_island": 16_395},
    3: {"simple": 24_486, "banana": 28_335, "owl_island": 26_431, "italy": 10_002},
}
AGAINST_PREVIOUS = {
    1: {"simple": 63.3, "banana": 86.7, "owl_island": 76.7, "all": 75.6},
    2: {"simple": 58.3, "banana": 63.3, "owl_island": 40.0, "all": 53.9},
    3: {"simple": 70.0, "banana": 43.3, "owl_island": 46.7, "italy": 90.0, "all": 62.5},
}
AGAINST_BASELINE = {
    1: {"simple": 51.7, "banana": 56.7, "owl_island": 46.7, "all": 51.7},
    2: {"simple": 63.3, "banana": 53.3, "owl_island": 63.3, "all": 60.0},
    3: {"simple": 51.7, "banana": 50.0, "owl_island": 46.7, "italy": 36.7, "all": 46.2},
}

EVALUATION_GAMES = 30  # on a map
TOURNAMENT_GAMES = 50  # of a pair on a map

# Tables 5.11 to 5.14: the tournaments with the networks of the second and of the third iteration.
TOURNAMENT = {
    2: {
        "guided": {"simple": 56.0, "owl_island": 57.33, "banana": 50.0, "all": 54.44},
        "GA + policy": {"simple": 48.33, "owl_island": 51.33, "banana": 62.0, "all": 53.82},
        "GA": {"simple": 51.0, "owl_island": 40.67, "banana": 48.67, "all": 46.78},
        "MCTS": {"simple": 44.67, "owl_island": 50.66, "banana": 39.33, "all": 44.89},
    },
    3: {
        "guided": {"simple": 62.33, "owl_island": 56.67, "banana": 57.33, "italy": 46.0, "all": 55.58},
        "GA + policy": {"simple": 48.0, "owl_island": 59.33, "banana": 61.33, "italy": 48.0, "all": 54.17},
        "GA": {"simple": 48.67, "owl_island": 42.67, "banana": 39.33, "italy": 44.0, "all": 43.67},
        "MCTS": {"simple": 41.0, "owl_island": 41.33, "banana": 42.0, "italy": 62.0, "all": 46.58},
    },
}
PAIRS = {
    2: {
        ("guided", "GA + policy"): 51.0,
        ("guided", "GA"): 54.33,
        ("guided", "MCTS"): 58.0,
        ("GA + policy", "GA"): 57.33,
        ("GA + policy", "MCTS"): 55.33,
        ("GA", "MCTS"): 52.0,
    },
    3: {
        ("guided", "GA + policy"): 55.0,
        ("guided", "GA"): 54.5,
        ("guided", "MCTS"): 57.25,
        ("GA + policy", "GA"): 63.0,
        ("GA + policy", "MCTS"): 54.5,
        ("GA", "MCTS"): 48.5,
    },
}

# Over both tournaments, section 5.3.2.
POLICY_OVER_GA = 60.6
GUIDED_OVER_POLICY = 53.29

# The lead of the first player over all games of both tournaments, in points of a hundred: abstract, section 5.3.
POLICY_OVER_GA_POINTS = 9.05
GUIDED_OVER_POLICY_POINTS = 1.05
