"""`muct`, the champion of the original platform."""

from sandtable._core import UctSettings
from sandtable.players.sequential import Uct
from sandtable.settings import declares


@declares(
    UctSettings(
        simulations=5000,
        c=0.15,
        expand_after=11,  # it expands a child that has more than ten visits
        policy="attack80",
        opponent="original",
        order="original",
        log_of_total=True,
        play_best_mean=True,
    )
)
class Muct(Uct):
    """The platform's M-UCT, winner of its 2016 competition: UCT with a small exploration constant and the logarithm of
    all simulations instead of the parent's visits. Playouts attack four times in five, the move with the best mean is
    played, and both sides maximise the result of the root's side. `opponent="adversarial"` makes the other side
    maximise its own result.

    Four fifths of the operations in its playouts are drawn from attacks on every enemy within reach, including attacks
    that do no damage; `policy="attack80_harmful"` leaves those out. The children in its tree are the legal operations.
    The platform's tree never has a child that attacks without damage, so the two trees differ only under rules with
    `harmless_attacks`. It tries children in the order in which it lists them, unit by unit and attacks first, so that
    with few simulations it visits only the first units' moves; `order="random"` tries them in random order."""

    games = ("tubstap",)
