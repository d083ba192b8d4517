"""The claims of kimura2020 about its networks, and names for the readings that are tried besides the run's own."""

LONG = "long-sep-8"
OTHER_HEAD, OTHER_MAPS = "other head", "other maps"  # than those of the run's own readings
# Claims of the paper that compare two rows of Table 1: the claim, the network that should win more, and the other one.
EFFECTS = (
    ("the attack term helps the long training", LONG, "long-sep-8-no-attack"),
    ("the attack term helps the short training", "short-sep-8", "short-sep-8-no-attack"),
    ("dropout helps", "short-sep-8", "short-sep-8-no-dropout"),
    ("six blocks win more than four", "short-sep-6", "short-sep-4"),
)
