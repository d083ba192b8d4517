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
    """The platform's M-UCT, winner of its 2016 competition: UCT with a small constant, the logarithm of all
    simulations, playouts that attack four times in five, the best mean played, and every side maximising the result of
    the root's. `opponent="adversarial"` lets the other side play for itself.

    Four fifths of its playouts' operations are drawn from attacks on every enemy within reach, those that do no damage
    among them; `policy="attack80_harmful"` leaves these out. The children in its tree are the legal operations. The
    platform's never has a child that attacks without damage, which is the same under all rules but those with
    `harmless_attacks`. It tries children in the order in which it lists them, unit by unit and attacks first, so that
    with few simulations it visits only the first units' moves; `order="random"` tries them in random order."""

    games = ("tubstap",)
