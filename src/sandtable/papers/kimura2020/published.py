"""The figures of kimura2020, as printed: wins-draws-losses against PMC and MCTS by the names of the variants."""

Counts = tuple[int, int, int]

# Table 1, on Map01. The row of the long training without the attack term has 52 games against MCTS in the paper.
MAP01: dict[str, tuple[Counts, Counts]] = {
    "short-sep-4": ((7, 3, 40), (3, 5, 42)),
    "short-sep-6": ((18, 5, 27), (13, 9, 28)),
    "short-sep-8": ((16, 1, 33), (11, 4, 35)),
    "short-conv-6": ((17, 6, 27), (20, 4, 26)),
    "long-sep-8-no-attack": ((20, 3, 27), (24, 2, 26)),
    "short-sep-8-no-dropout": ((7, 3, 40), (6, 1, 43)),
    "long-sep-8": ((130, 5, 15), (128, 6, 16)),
}

# Table 2, on Map02, of the long training.
MAP02: tuple[Counts, Counts] = ((28, 5, 17), (24, 5, 21))
