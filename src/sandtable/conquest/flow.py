"""A rule-based player of Conquest that distributes its armies over the fronts by minimum-cost flow.

It does not learn and looks one turn ahead, so its strength is fixed and can anchor a rating table. Armies that arrive
in a turn may march on, so the income and all armies of a connected region of own land can gather at any territory of
the region within a turn. A plan is therefore a flow: its sources are the armies and the income, its arcs the edges
between own territories (a step costs 1, to keep chains of transfers short), its sinks the attacks worth making and the
borders worth holding, served in the order of their worth per army. The remaining armies join the main front. How much
the enemy will reinforce an attacked territory is unknown, so there is a plan for each of a few stances. The player
plays the plan that does best against the enemy's plans of the same kind and some random moves.
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
LAND = 0.5  # any territory: it opens the way to others, and the enemy does not own it
ENEMY_LAND = 2.0  # taking it also cancels the marches that would leave it
PLANNED = 5.0  # makes armies without a task join a planned attack rather than wait elsewhere

# The evaluation of a position after the turn, in armies.
INCOME = 3.0  # per army of income
HELD = 0.3  # per territory
VICTORY = 1000.0
WORST = 0.3  # weight of the worst reply; the mean of all replies has the rest
RANDOM_REPLIES = 12  # replies of the seeds 0, 1, ...: moves that the rule-based plans do not foresee


class Stance(NamedTuple):
    """`reinforced`: the share of the enemy's income expected on a territory; `thrift`: the cost of an army lost to
    neutral land; `hold`: the weight of borders relative to attacks; `front`: the rank of the front that gets the
    remaining armies, 0 for the best.
    """

    reinforced: float
    thrift: float
    hold: float
    front: int = 0


STANCES = (
    Stance(0.8, 2, 0.5),  # sound: the best stance if used alone
    Stance(0.3, 2, 0.1),  # attack while the enemy is weak
    Stance(0.5, 0.7, 0.5),  # expand
    Stance(1.2, 9, 3),  # hold
    Stance(0.0, 1, 0.0),  # take everything that is weakly defended
    Stance(0.1, 9, 0.0),  # send everything at the enemy: ends most standoffs
    Stance(0.8, 2, 0.5, front=1),
    Stance(0.3, 2, 0.1, front=1),
)
REPLIES = 3  # the enemy's replies include the plans of this many stances, from the first


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
    """The player's lead, in armies, after both plans have been carried out."""
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
    """The data about a state that all plans of a player use."""

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
        """The worth of owning each territory: the land itself, progress towards own bonuses, breaking the enemy's."""
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
    """The orders that follow from one stance."""
    rules, owner, armies = view.rules, view.owner, view.armies
    # An enemy with several fronts cannot reinforce all of them.
    expected = math.ceil(stance.reinforced * view.enemy_income / math.sqrt(max(1, view.enemy_fronts)))
    tasks: list[tuple[float, int, int, int]] = []  # worth per army, random tie-break, territory, armies
    for t, worth in enumerate(view.worth):
        if owner[t] == view.player:
            hostile = [armies[v] for v in view.neighbours[t] if owner[v] == view.enemy]
            if hostile:
                garrison = _defenders_needed(rules, max(hostile) + expected)
                tasks.append((stance.hold * worth / (1 + garrison), rng.below(1 << 16), t, garrison))
        elif any(owner[v] == view.player for v in view.neighbours[t]):
            enemy = owner[t] == view.enemy
            least = needed(rules, armies[t] + (expected if enemy else 0))
            # Enemy armies killed count as a gain, less the own losses; killing neutral armies only costs own armies.
            gain = armies[t] * (1 - rules.defence_kills if enemy else -stance.thrift * rules.defence_kills)
            if worth + gain > 0:
                tasks.append(((worth + gain) / least, rng.below(1 << 16), t, least))

    flow = _Flow(view)
    attacks: dict[tuple[int, int], int] = {}
    for _, _, t, demand in sorted(tasks, reverse=True):
        if owner[t] == view.player:
            flow.send(t, demand)
            continue
        # All from one territory: attacks from two are resolved one after the other, and each faces the defence alone.
        source = max((v for v in view.neighbours[t] if owner[v] == view.player), key=lambda v: flow.left[v])
        if flow.reachable(source) >= demand:
            flow.send(source, demand)
            attacks[source, t] = demand
    _send_rest(view, stance, flow, attacks, expected)
    return _orders_of(view, flow, attacks)


def _send_rest(view: _View, stance: Stance, flow: _Flow, attacks: dict[tuple[int, int], int], expected: int) -> None:
    """Send armies without a task to the main front of their region, and onward with an attack towards the enemy."""

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
    """The flow of armies over own land. `send` adds the cheapest flow to one more sink."""

    def __init__(self, view: _View) -> None:
        self.view, self.pool = view, len(view.owner)  # the income is a node of its own, after the territories
        own = view.player
        self.left = [max(0, a - view.guard) if o == own else 0 for o, a in zip(view.owner, view.armies, strict=True)]
        self.left.append(view.income)
        self.sent: dict[tuple[int, int], int] = {}

    def reachable(self, sink: int) -> int:
        """The number of unassigned armies that can still reach the sink."""
        seen, stack = {sink}, [sink]
        while stack:
            for t in self.view.inner[stack.pop()]:
                if t not in seen:
                    seen.add(t)
                    stack.append(t)
        return sum(self.left[t] for t in seen) + self.left[self.pool]

    def send(self, sink: int, armies: int) -> int:
        """Send armies to the sink, at most this many, and return how many were sent."""
        missing = armies
        while missing > 0 and (way := self._cheapest_way(sink)):
            steps = list(pairwise(way))
            cancellable = [self.sent[b, a] for a, b in steps if self.sent.get((b, a))]
            amount = min(missing, self.left[way[0]], *cancellable)
            self.left[way[0]] -= amount
            missing -= amount
            for a, b in steps:
                if self.sent.get((b, a)):
                    self.sent[b, a] -= amount
                else:
                    self.sent[a, b] = self.sent.get((a, b), 0) + amount
        return armies - missing

    def _cheapest_way(self, sink: int) -> list[int]:
        """The cheapest way to the sink from any node with armies left; a step against armies already sent takes them
        back (an arc of the residual graph). [] if there is no way."""
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


def _orders_of(view: _View, flow: _Flow, attacks: dict[tuple[int, int], int]) -> list[Order]:
    """The deploys, then the marches. The next march is the first whose armies are present: attacks, the most worthwhile
    first, then transfers."""
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
    """The fewest attackers that take a territory from this many defenders."""
    enough = max(rules.defence_kills * defenders + 1, defenders / rules.attack_kills)
    return bisect_left(range(math.ceil(enough)), True, key=lambda attackers: _takes(rules, attackers, defenders))


def _defenders_needed(rules: Rules, attackers: int) -> int:
    """The fewest defenders that hold a territory against this many attackers."""
    enough = math.ceil(rules.attack_kills * attackers + 1)
    return bisect_left(range(enough), True, key=lambda defenders: not _takes(rules, attackers, defenders))


def _distances(neighbours: list[list[int]], sources: list[int]) -> list[int]:
    """The steps from each territory to the nearest source."""
    distance = [0 if t in sources else len(neighbours) for t in range(len(neighbours))]
    queue = deque(sources)
    while queue:
        a = queue.popleft()
        for b in neighbours[a]:
            if distance[b] > distance[a] + 1:
                distance[b] = distance[a] + 1
                queue.append(b)
    return distance
