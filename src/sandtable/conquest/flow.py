"""A rule-based player of Conquest that spreads its armies over the fronts by minimum-cost flow: the anchor of a table.

It learns nothing and looks one turn ahead, so its strength stays what it is. Armies that arrive in a turn may march on,
so all armies of a connected piece of own land, and the income, can meet anywhere in it within a turn. A plan is
therefore a flow: sources are the armies and the income, ways are the edges between own territories (a step costs 1, to
keep chains of transfers short), sinks are the attacks worth making and the borders worth holding, served in the order
of their worth per army; the rest joins the main front. How much an enemy reinforces what is attacked cannot be known,
so there is a plan for each of a few stances, and the one is played that fares best against the enemy's plans of the
same kind and some random moves.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from itertools import pairwise
from typing import NamedTuple

from sandtable import _core
from sandtable.conquest.land import State
from sandtable.conquest.ruleset import Rules
from sandtable.conquest.types import Deploy, March, Order
from sandtable.rng import Rng

MAX_ARMIES = _core.conquest.MAX_ARMIES  # in one order, by the rules

# Worths are in armies.
HORIZON = 3.0  # turns for which the income of a bonus is counted: games are short
MISSING_POWER = 1.5  # a bonus that lacks m territories counts value / m^1.5 for each: finish one before the next
LAND = 0.5  # any territory: a way on, and one the enemy has not
ENEMY_LAND = 2.0  # taking it also voids the marches that were to leave it
PLANNED = 5.0  # armies without a task rather join an attack than wait elsewhere

# Of a position after the turn.
INCOME = 3.0  # an army more a turn
HELD = 0.3  # a territory
VICTORY = 1000.0
WORST = 0.3  # weight of the worst reply; the mean of all has the rest
RANDOM_REPLIES = 12  # always those of the seeds 0, 1, ..: what rules alone do not foresee


class Stance(NamedTuple):
    """`reinforced`: the share of the enemy's income expected on a territory; `thrift`: how dear armies lost to
    neutral land are; `hold`: the weight of borders against attacks; `front`: where the rest goes, 0 the best place.
    """

    reinforced: float
    thrift: float
    hold: float
    front: int = 0


STANCES = (
    Stance(0.8, 2, 0.5),  # sound: the best alone
    Stance(0.3, 2, 0.1),  # attack while the enemy is thin
    Stance(0.5, 0.7, 0.5),  # expand
    Stance(1.2, 9, 3),  # hold
    Stance(0.0, 1, 0.0),  # grab all that is weak
    Stance(0.1, 9, 0.0),  # all at the enemy: ends most standoffs
    Stance(0.8, 2, 0.5, front=1),
    Stance(0.3, 2, 0.1, front=1),
)
REPLIES = 3  # the enemy's plans that are expected, from the first


def flow_orders(state: State, player: int, rng: Rng) -> list[Order]:
    """The orders of the player for this turn; the rng breaks ties."""
    return flow_ranking(state, player, rng)[0][1]


def flow_ranking(state: State, player: int, rng: Rng) -> list[tuple[float, list[Order]]]:
    """The plan of every stance with the lead, in armies, that it is expected to give; the best first."""
    own, other = _View(state, player), _View(state, 1 - player)
    replies = [_plan(other, stance, rng) for stance in STANCES[:REPLIES]]
    replies += [state.random_move(1 - player, seed) for seed in range(RANDOM_REPLIES)]

    def worth(plan: list[Order]) -> float:
        outcomes = [_outcome(state, player, plan, reply, first) for reply in replies for first in (0, 1)]
        return (1 - WORST) * sum(outcomes) / len(outcomes) + WORST * min(outcomes)

    plans = [_plan(own, stance, rng) for stance in STANCES]
    return sorted(((worth(plan), plan) for plan in plans), key=lambda ranked: -ranked[0])


def flow_plans(state: State, player: int, rng: Rng) -> list[list[Order]]:
    """The orders of every stance."""
    view = _View(state, player)
    return [_plan(view, stance, rng) for stance in STANCES]


def _outcome(state: State, player: int, plan: list[Order], reply: list[Order], first: int) -> float:
    """The player's lead, in armies, when both have been carried out."""
    after = state.copy()
    after.resolve(*((plan, reply) if player == 0 else (reply, plan)), first, seed=first)
    if after.winner is not None:
        return VICTORY if after.winner == player else -VICTORY
    lead = INCOME * (after.income(player) - after.income(1 - player))
    for owner, armies in zip(after.owner, after.armies, strict=True):
        if owner == player:
            lead += armies + HELD
        elif owner == 1 - player:
            lead -= armies + HELD
    return lead


class _View:
    """What all plans of a player for a state share."""

    def __init__(self, state: State, player: int) -> None:
        self.rules, self.player, self.enemy = state.land.rules, player, 1 - player
        self.owner, self.armies = state.owner, state.armies
        self.income, self.enemy_income = state.income(player), state.income(1 - player)
        self.guard = int(self.rules.stand_guard)
        everywhere = range(len(self.owner))
        self.neighbours: list[list[int]] = [[] for _ in everywhere]
        for a, b in state.land.edges:
            self.neighbours[a].append(b)
            self.neighbours[b].append(a)
        self.own = [t for t in everywhere if self.owner[t] == player]
        self.inner: list[list[int]] = [[] for _ in everywhere]
        for t in self.own:
            self.inner[t] = [v for v in self.neighbours[t] if self.owner[v] == player]
        theirs = [t for t in everywhere if self.owner[t] == self.enemy]
        self.from_enemy = _distances(self.neighbours, theirs)
        self.enemy_fronts = sum(any(self.owner[v] != self.enemy for v in self.neighbours[t]) for t in theirs)
        self.worth = self._worths(state)

    def foreign(self, territory: int) -> list[int]:
        return [v for v in self.neighbours[territory] if self.owner[v] != self.player]

    def _worths(self, state: State) -> list[float]:
        """What it is worth to own each territory: progress to own bonuses, and breaking the enemy's."""
        worth = [ENEMY_LAND if owner == self.enemy else LAND for owner in self.owner]
        for bonus in state.land.bonuses:
            owners = [self.owner[t] for t in bonus.territories]
            mine, theirs = owners.count(self.player), owners.count(self.enemy)
            income = HORIZON * bonus.value
            for t, owner in zip(bonus.territories, owners, strict=True):
                worth[t] += income / (len(owners) - mine + (owner == self.player)) ** MISSING_POWER
                if owner == self.enemy:
                    worth[t] += income / (len(owners) - theirs + 1) ** MISSING_POWER
        return worth


def _plan(view: _View, stance: Stance, rng: Rng) -> list[Order]:
    """The orders of one stance."""
    rules, owner, armies = view.rules, view.owner, view.armies
    # An enemy with several fronts cannot reinforce all of them.
    expected = math.ceil(stance.reinforced * view.enemy_income / math.sqrt(max(1, view.enemy_fronts)))
    tasks: list[tuple[float, int, int, int]] = []  # worth per army, tie, territory, armies
    for t, worth in enumerate(view.worth):
        if owner[t] == view.player:
            hostile = [armies[v] for v in view.neighbours[t] if owner[v] == view.enemy]
            if hostile:
                held_by = _held_by(rules, max(hostile) + expected)
                tasks.append((stance.hold * worth / (1 + held_by), rng.below(1 << 16), t, held_by))
        elif any(owner[v] == view.player for v in view.neighbours[t]):
            enemy = owner[t] == view.enemy
            least = needed(rules, armies[t] + (expected if enemy else 0))
            # Of what dies, the enemy's armies are a gain; neutral ones are only in the way.
            gain = armies[t] * (1 - rules.defence_kills if enemy else -stance.thrift * rules.defence_kills)
            if worth + gain > 0:
                tasks.append(((worth + gain) / least, rng.below(1 << 16), t, least))

    flow = _Flow(view)
    attacks: dict[tuple[int, int], int] = {}
    for _, _, t, demand in sorted(tasks, reverse=True):
        if owner[t] == view.player:
            flow.send(t, demand)
            continue
        # All from one place: attacks from two are resolved one after the other, and each meets the defence alone.
        source = max((v for v in view.neighbours[t] if owner[v] == view.player), key=lambda v: flow.left[v])
        if flow.reachable(source) >= demand:
            flow.send(source, demand)
            attacks[source, t] = demand
    _send_rest(view, stance, flow, attacks, expected)
    return _ordered(view, flow, attacks)


def _send_rest(view: _View, stance: Stance, flow: _Flow, attacks: dict[tuple[int, int], int], expected: int) -> None:
    """Armies without a task go to the main front of their piece of land, and on with an attack towards the enemy."""

    def need(s: int) -> float:
        return max(view.worth[v] + PLANNED * ((s, v) in attacks) - view.from_enemy[v] for v in view.foreign(s))

    fronts = sorted((s for s in view.own if view.foreign(s)), key=need, reverse=True)
    fronts = fronts[stance.front :] + fronts[: stance.front]
    for s in fronts:
        rest = flow.send(s, flow.reachable(s))
        if not rest:
            continue
        onward = [v for v in view.foreign(s) if (s, v) in attacks and view.from_enemy[v] < view.from_enemy[s]]
        onward = onward or [
            v
            for v in view.foreign(s)
            if view.owner[v] == view.enemy and _takes(view.rules, rest, view.armies[v] + expected)
        ]
        if onward:
            target = max(onward, key=lambda v: view.worth[v] - PLANNED * view.from_enemy[v])
            attacks[s, target] = attacks.get((s, target), 0) + rest


class _Flow:
    """Armies on their ways over own land. `send` adds the cheapest flow to one more sink."""

    def __init__(self, view: _View) -> None:
        self.view, self.pool = view, len(view.owner)  # the income is a node beside the territories
        own = view.player
        self.left = [max(0, a - view.guard) if o == own else 0 for o, a in zip(view.owner, view.armies, strict=True)]
        self.left.append(view.income)
        self.sent: dict[tuple[int, int], int] = {}

    def reachable(self, sink: int) -> int:
        """Armies left that could still get there."""
        seen, stack = {sink}, [sink]
        while stack:
            for t in self.view.inner[stack.pop()]:
                if t not in seen:
                    seen.add(t)
                    stack.append(t)
        return sum(self.left[t] for t in seen) + self.left[self.pool]

    def send(self, sink: int, armies: int) -> int:
        """Sends as many armies as there are, up to this number, and returns how many."""
        missing = armies
        while missing > 0 and (way := self._cheapest_way(sink)):
            steps = list(pairwise(way))
            undone = [self.sent[b, a] for a, b in steps if self.sent.get((b, a))]
            amount = min(missing, self.left[way[0]], *undone)
            self.left[way[0]] -= amount
            missing -= amount
            for a, b in steps:
                if self.sent.get((b, a)):
                    self.sent[b, a] -= amount
                else:
                    self.sent[a, b] = self.sent.get((a, b), 0) + amount
        return armies - missing

    def _cheapest_way(self, sink: int) -> list[int]:
        """The cheapest way from any node with armies left; a step against armies already sent takes them back. [] if
        there is none."""
        if self.left[sink]:
            return [sink]
        cost = {node: 0 for node, left in enumerate(self.left) if left}
        before: dict[int, int] = {}
        queue = deque(cost)
        while queue:
            a = queue.popleft()
            nexts = self.view.own if a == self.pool else self.view.inner[a]
            if self.sent.get((self.pool, a)):
                nexts = [*nexts, self.pool]
            for b in nexts:
                step = cost[a] + (-1 if self.sent.get((b, a)) else 1)
                if b not in cost or step < cost[b]:
                    cost[b], before[b] = step, a
                    queue.append(b)
        if sink not in cost:
            return []
        way = [sink]
        while way[-1] in before:
            way.append(before[way[-1]])
        return way[::-1]


def _ordered(view: _View, flow: _Flow, attacks: dict[tuple[int, int], int]) -> list[Order]:
    """Attacks as early as their armies are there, the worthiest first; transfers when nothing else can go."""
    here = [armies - view.guard for armies in view.armies]
    deploys: list[Order] = []
    waiting = [March(source, target, min(armies, MAX_ARMIES)) for (source, target), armies in attacks.items()]
    for (source, target), armies in flow.sent.items():
        if armies and source == flow.pool:
            deploys.append(Deploy(target, armies))
            here[target] += armies
        elif armies:
            waiting.append(March(source, target, min(armies, MAX_ARMIES)))
    marches: list[Order] = []
    while waiting:
        march = next((march for march in waiting if here[march.source] >= march.armies), waiting[0])
        waiting.remove(march)
        marches.append(march)
        here[march.source] -= march.armies
        if view.owner[march.target] == view.player:
            here[march.target] += march.armies
    return deploys + marches


def _rounded(rules: Rules, x: float) -> int:
    if rules.rounding == "nearest":
        return math.floor(x + 0.5)
    return math.floor(x) if rules.rounding == "down" else math.ceil(x)


def _takes(rules: Rules, attackers: int, defenders: int) -> bool:
    return (
        _rounded(rules, attackers - rules.defence_kills * defenders) > 0
        and _rounded(rules, defenders - rules.attack_kills * attackers) <= 0
    )


def needed(rules: Rules, defenders: int) -> int:
    """The fewest attackers that take a territory from so many defenders."""
    enough = max(rules.defence_kills * defenders + 1, defenders / rules.attack_kills)
    return bisect_left(range(math.ceil(enough)), True, key=lambda attackers: _takes(rules, attackers, defenders))


def _held_by(rules: Rules, attackers: int) -> int:
    """The fewest defenders that survive so many attackers."""
    enough = math.ceil(rules.attack_kills * attackers + 1)
    return bisect_left(range(enough), True, key=lambda defenders: not _takes(rules, attackers, defenders))


def _distances(neighbours: list[list[int]], sources: list[int]) -> list[int]:
    """Steps from the nearest source."""
    distance = [0 if t in sources else len(neighbours) for t in range(len(neighbours))]
    queue = deque(sources)
    while queue:
        a = queue.popleft()
        for b in neighbours[a]:
            if distance[b] > distance[a] + 1:
                distance[b] = distance[a] + 1
                queue.append(b)
    return distance
