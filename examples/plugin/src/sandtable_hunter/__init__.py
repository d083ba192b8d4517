"""`hunter`, a player of TUBSTAP that attacks for a profit and otherwise walks towards the nearest enemy."""

from dataclasses import dataclass


@dataclass
class Hunter:
    """Attacks where that deals more than it takes, and otherwise walks towards the nearest enemy."""

    profit: float = 0.0  # least HP dealt minus taken
    games = ("tubstap",)

    def act(self, state, side=None):
        enemies = [unit for unit in state.units if unit.side != state.side]

        def score(move):
            if move.target is not None:
                combat = state.combat(move)
                return 100 + combat.dealt - combat.taken if combat.dealt - combat.taken > self.profit else -100
            return -min(abs(move.x - enemy.x) + abs(move.y - enemy.y) for enemy in enemies)

        return max(state.moves(), key=score)
