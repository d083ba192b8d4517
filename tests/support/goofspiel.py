"""A toy game in which both sides decide at once: each bids a card for a prize, and the higher bid takes it."""

import sandtable as st


class Goofspiel:
    def __init__(self, cards: int = 4) -> None:
        self.hands = [tuple(range(1, cards + 1)) for _ in range(2)]
        self.prizes = list(range(cards, 0, -1))  # the first is bid for; the rest come in random order
        self.points = [0, 0]

    def copy(self) -> "Goofspiel":
        other = Goofspiel(0)
        other.hands, other.prizes, other.points = list(self.hands), list(self.prizes), list(self.points)
        return other

    def hash(self) -> int:
        return hash((tuple(self.hands), tuple(self.prizes), tuple(self.points)))

    def over(self) -> bool:
        return not self.prizes

    def value(self, side: int) -> int:
        own, other = self.points[side], self.points[1 - side]
        return (own > other) - (own < other)

    def candidates(self, side: int) -> list[int]:
        return list(self.hands[side])

    def resolve(self, move0: int, move1: int, rng: st.Rng) -> None:
        prize = self.prizes.pop(0)
        rng.shuffle(self.prizes)
        for side, (own, other) in enumerate(((move0, move1), (move1, move0))):
            self.points[side] += prize * (own > other)
            self.hands[side] = tuple(card for card in self.hands[side] if card != own)

    def __str__(self) -> str:
        return f"prizes {self.prizes}, points {self.points[0]} : {self.points[1]}"


GAME = st.register_game(st.PythonGame("goofspiel", Goofspiel, maps={"four": Goofspiel, "six": lambda: Goofspiel(6)}))
