"""Draw the README's two pictures again: `make pictures`.

Each shows a position of a game that is played for it, so they change with the players and the drawing; look at them
before you commit them.
"""

from pathlib import Path

import sandtable as st
from sandtable.files import write_whole
from sandtable.games import game_of

HERE = Path(__file__).parent


def battle(step: int = 16, candidates: int = 3) -> str:
    """A position of TUBSTAP with the moves that the champion considers: three attacks of different worth."""
    seats = "sandtable(simulations=64, choice=visits)", "uct(simulations=300)"
    record = st.play(st.tubstap.load("crossroads"), *seats, seed=16)
    state = list(record.states())[step]
    analysis = st.player("sandtable(simulations=800)").analyse(state)
    return st.tubstap.svg(state, candidates=analysis.candidates[:candidates])


def campaign(turn: int = 5) -> str:
    """A turn of Conquest with the orders that both players gave."""
    record = st.play(st.conquest.load("italy"), "sandtable", "mcts(iterations=200)", seed=1)
    state = list(record.states())[turn]
    return st.conquest.svg(state, orders=game_of(state).moves_of(state, record.moves[turn]))


if __name__ == "__main__":
    write_whole(HERE / "battle.svg", battle().encode())
    write_whole(HERE / "campaign.svg", campaign().encode())
