"""`race`, a game: in turn both sides go one to three steps, and whoever makes the last step wins."""

from sandtable import PythonGame


class Race:
    def __init__(self, steps=10, side=0):
        self.steps, self.side = steps, side

    @property
    def over(self):
        return self.steps == 0

    def moves(self):
        return list(range(1, min(3, self.steps) + 1))

    def play(self, move):
        self.steps -= move
        self.side = 1 - self.side

    def value(self, side):
        return -1 if side == self.side else 1

    def copy(self):
        return Race(self.steps, self.side)

    def hash(self):
        return 2 * self.steps + self.side

    def describe(self, move):
        return f"goes {move} of {self.steps} steps"

    def __str__(self):
        return f"{self.steps} steps left"


GAME = PythonGame("race", Race, maps={"short": Race, "long": lambda: Race(30)}, about="who makes the last step?")
