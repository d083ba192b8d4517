"""What kimura2020 claims of its networks, and the names of readings that are tried beside the run's."""

LONG = "long-sep-8"
OTHER_HEAD, OTHER_MAPS = "other head", "other maps"  # than those of the run's readings
# Claims of the paper that are differences of two rows of Table 1: with something, and without.
EFFECTS = (
    ("the attack term helps the long training", LONG, "long-sep-8-no-attack"),
    ("the attack term helps the short training", "short-sep-8", "short-sep-8-no-attack"),
    ("dropout helps", "short-sep-8", "short-sep-8-no-dropout"),
    ("six blocks win more than four", "short-sep-6", "short-sep-4"),
)
