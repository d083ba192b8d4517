"""An oracle for the rules of Conquest: plain Python, lists, one army at a time, no code shared with the core."""

from __future__ import annotations

import math
import random

from sandtable.conquest import Deploy, Land, March, Order, Rules


def rounded(rules: Rules, x: float) -> int:
    return {"nearest": math.floor(x + 0.5), "down": math.floor(x), "up": math.ceil(x)}[rules.rounding]


class Game:
    def __init__(self, land: Land, owner: list[int], armies: list[int], turn: int = 0) -> None:
        self.land, self.rules = land, land.rules
        self.owner, self.armies, self.turn = list(owner), list(armies), turn

    @property
    def winner(self) -> int | None:
        alive = [player for player in (0, 1) if player in self.owner]
        return alive[0] if len(alive) == 1 else None

    @property
    def over(self) -> bool:
        return not {0, 1} <= set(self.owner) or self.turn >= self.rules.turn_limit

    def income(self, player: int) -> int:
        bonuses = [b.value for b in self.land.bonuses if all(self.owner[t] == player for t in b.territories)]
        return self.rules.base_income + sum(bonuses)

    def resolve(self, orders: tuple[list[Order], list[Order]], first: int) -> None:
        """With the alternating order of the authors' code."""
        marches: list[list[March]] = [[], []]
        for player in (0, 1):
            for order in orders[player]:
                if isinstance(order, Deploy):
                    self.armies[order.territory] += order.armies
                else:
                    marches[player].append(order)
        player = first
        while marches[0] or marches[1]:
            if marches[player]:
                self.march(player, marches[player].pop(0))
            player = 1 - player
        self.turn += 1

    def march(self, player: int, order: March) -> None:
        source, target, armies = order
        if self.owner[source] != player:
            return
        a = min(armies, self.armies[source] - (1 if self.rules.stand_guard else 0))
        if a <= 0:
            return
        if self.owner[target] == player:
            self.armies[source] -= a
            self.armies[target] += a
            return
        d = self.armies[target]
        a_left = rounded(self.rules, a - self.rules.defence_kills * d)
        d_left = rounded(self.rules, d - self.rules.attack_kills * a)
        if a_left > 0 and d_left <= 0:
            self.owner[target], self.armies[target] = player, a_left
            self.armies[source] -= a
        else:
            self.armies[source] -= a - max(a_left, 0)
            self.armies[target] = max(d_left, 0)

    def distance_to_foreign(self, player: int, territory: int) -> int:
        ring, distance = {territory}, 0
        while all(self.owner[t] == player for t in ring):
            ring |= {n for t in ring for n in self.land.neighbours(t)}
            distance += 1
        return distance

    def random_move(self, player: int, rng: random.Random) -> list[Order]:
        own = [t for t, o in enumerate(self.owner) if o == player]
        foreign = {t: [n for n in self.land.neighbours(t) if self.owner[n] != player] for t in own}
        deployed = dict.fromkeys(own, 0)
        for _ in range(self.income(player)):
            deployed[rng.choice([t for t in own if foreign[t]])] += 1
        marches = []
        for t in own:
            left = self.armies[t] + deployed[t] - (1 if self.rules.stand_guard else 0)
            if left <= 0:
                continue
            if foreign[t]:
                shuffled = rng.sample(foreign[t], len(foreign[t]))
                for target in shuffled[: rng.randint(1, len(shuffled))]:
                    need = max(math.floor(self.armies[target] / self.rules.attack_kills + 0.5), 1)
                    if left >= need:
                        committed = rng.randint(need, left)
                        marches.append(March(t, target, committed))
                        left -= committed
            else:
                here = self.distance_to_foreign(player, t)
                nearer = [n for n in self.land.neighbours(t) if self.distance_to_foreign(player, n) < here]
                marches.append(March(t, rng.choice(nearer), left))
        rng.shuffle(marches)
        deploys: list[Order] = [Deploy(t, n) for t, n in deployed.items() if n]
        return deploys + marches
