"""An oracle for the rules of TUBSTAP: plain Python, dictionaries, one cell at a time, no code shared with the core.

It is slow on purpose. Tests compare the engine with it on random maps and rules.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from sandtable.tubstap import KINDS, Scenario

Place = tuple[int, int]
Row = tuple[int, int, int, int]  # unit, x, y, target or -1


@dataclass
class Piece:
    kind: int
    side: int
    place: Place
    hp: float
    acted: bool


class Game:
    def __init__(self, scenario: Scenario) -> None:
        rules = scenario.rules
        self.rules = rules
        self.turn_limit = scenario.turn_limit if rules.turn_limit == "map" else rules.turn_limit
        self.hp_threshold = scenario.hp_threshold if rules.hp_threshold == "map" else rules.hp_threshold
        self.terrain = {(x, y): t for y, row in enumerate(scenario.terrain) for x, t in enumerate(row)}
        self.pieces = {
            u.id: Piece(KINDS.index(u.kind), u.side, (u.x, u.y), u.hp, u.acted) for u in scenario.units if u.hp > 0
        }
        self.turn, self.quiet, self.hp_lost = scenario.turn, scenario.quiet, scenario.hp_lost
        self.over, self.winner, self.reason = False, None, None
        for side in (0, 1):
            if not self.of(side):
                self.end(1 - side if self.of(1 - side) else None, "annihilation")
        if not self.over:
            self.check_limits()
        self.skip_finished_turns()

    over: bool
    winner: int | None
    reason: str | None

    @property
    def side(self) -> int:
        return self.turn % 2

    def of(self, side: int) -> list[int]:
        return [i for i, piece in sorted(self.pieces.items()) if piece.side == side]

    def end(self, winner: int | None, reason: str) -> None:
        self.over, self.winner, self.reason = True, winner, reason

    def reach(self, i: int) -> list[Place]:
        me = self.pieces[i]
        standing = {piece.place: piece.side for piece in self.pieces.values()}
        cheapest = {me.place: 0}
        queue = [(0, me.place)]
        while queue:
            spent, (x, y) = heapq.heappop(queue)
            for place in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                cost = self.rules.cost[me.kind][self.terrain[place]]
                if cost == 0 or standing.get(place, me.side) != me.side:
                    continue
                if spent + cost <= self.rules.movement[me.kind] and spent + cost < cheapest.get(place, 10**9):
                    cheapest[place] = spent + cost
                    heapq.heappush(queue, (spent + cost, place))
        return [place for place in cheapest if place == me.place or place not in standing]

    def damage(self, attacker: Piece, hp: float, target: Piece, target_hp: float, place: Place) -> float:
        power = self.rules.power[attacker.kind][target.kind]
        if power == 0:
            return 0
        defence = 0 if self.rules.air[target.kind] else self.rules.defence[self.terrain[place]]
        if self.rules.hp == "integer":
            return min((power * int(hp) + 70) // (100 + defence * int(target_hp)), target_hp)
        return min((power * hp + 70) / (100 + defence * target_hp), target_hp)

    def direct(self, piece: Piece) -> bool:
        return self.rules.range[piece.kind][1] == 1

    def moves(self) -> list[Row]:
        rows: list[Row] = []
        for i in self.of(self.side) if not self.over else []:
            me = self.pieces[i]
            if me.acted:
                continue
            for x, y in self.reach(i):
                rows.append((i, x, y, -1))
                for j in self.of(1 - self.side):
                    enemy = self.pieces[j]
                    least, most = self.rules.range[me.kind]
                    distance = abs(enemy.place[0] - x) + abs(enemy.place[1] - y)
                    if not self.direct(me) and (x, y) != me.place:
                        continue
                    if least <= distance <= most and (self.rules.harmless_attacks or self.harms(i, j)):
                        rows.append((i, x, y, j))
        return sorted(rows)

    def harms(self, i: int, j: int) -> bool:
        """Whether an attack of unit i, if it is near enough, would do unit j any damage."""
        me, enemy = self.pieces[i], self.pieces[j]
        return self.damage(me, me.hp, enemy, enemy.hp, enemy.place) > 0

    def play(self, row: Row) -> tuple[float, float] | None:
        i, x, y, j = row
        me = self.pieces[i]
        me.place, me.acted = (x, y), True
        result = None
        if j >= 0:
            enemy = self.pieces[j]
            dealt = self.damage(me, me.hp, enemy, enemy.hp, enemy.place)
            taken: float = 0
            self.hurt(j, dealt)
            if j in self.pieces and self.direct(me) and self.direct(enemy):
                taken = self.damage(enemy, enemy.hp, me, me.hp, me.place)
                self.hurt(i, taken)
            result = dealt, taken
        for side in (0, 1):
            if not self.of(side):
                self.end(1 - side, "annihilation")
        self.skip_finished_turns()
        return result

    def hurt(self, i: int, amount: float) -> None:
        self.pieces[i].hp -= amount
        self.hp_lost = self.hp_lost or amount > 0
        if self.pieces[i].hp <= 1e-6:
            del self.pieces[i]

    def end_turn(self) -> None:
        self.change_turn()
        self.skip_finished_turns()

    def skip_finished_turns(self) -> None:
        while not self.over and all(self.pieces[i].acted for i in self.of(self.side)):
            self.change_turn()

    def change_turn(self) -> None:
        for i in self.of(self.side):
            self.pieces[i].acted = False
        self.quiet = 0 if self.hp_lost else self.quiet + 1
        self.hp_lost = False
        self.turn += 1
        self.check_limits()

    def check_limits(self) -> None:
        if self.turn_limit is not None and self.turn >= self.turn_limit:
            red, blue = (sum(self.pieces[i].hp for i in self.of(side)) for side in (0, 1))
            winner = None
            if self.hp_threshold is not None:
                if red > blue + self.hp_threshold:
                    winner = 0
                elif blue > red + self.hp_threshold:
                    winner = 1
            self.end(winner, "turn limit")
        elif self.rules.quiet_limit is not None and self.quiet >= self.rules.quiet_limit:
            self.end(None, "no progress")


def attack_cells(game: Game, i: int, j: int) -> list[tuple[int, int]]:
    """The cells from which unit i could attack unit j in one operation; none if it would do no damage."""
    me, enemy = game.pieces[i], game.pieces[j]
    if me.side == enemy.side or game.damage(me, me.hp, enemy, enemy.hp, enemy.place) == 0:
        return []
    least, most = game.rules.range[me.kind]
    places = game.reach(i) if game.direct(me) else [me.place]
    return [p for p in places if least <= abs(p[0] - enemy.place[0]) + abs(p[1] - enemy.place[1]) <= most]
