"""A generator of maps from a seed; the maps of the thesis and the world lie beside this file."""

from collections.abc import Callable
from numbers import Real

from sandtable.conquest.land import MAX_TERRITORIES, Land, connected
from sandtable.conquest.loading import shipped
from sandtable.conquest.ruleset import Rules
from sandtable.conquest.ruleset import rules as find_rules
from sandtable.conquest.types import Bonus
from sandtable.errors import SandtableError
from sandtable.rng import Rng, checked_whole

__all__ = ["GENERATORS", "planar", "shipped"]

Point = tuple[float, float]
Edge = tuple[int, int]

CANDIDATES = 12  # points drawn for every point placed: more give more even spacing
SHAPE = 0.7  # height divided by width
MAX_UNIONS = 20
DROPPED = 0.15  # share of the edges to leave out, unless that would split the map


def planar(
    seed: int = 0,
    *,
    territories: int = 20,
    bonuses: int | None = None,
    rules: str | Rules = "soares2025",
    shape: float = SHAPE,
    unions: int = 0,
) -> Land:
    """A random planar map: evenly scattered territories, edges between near ones, and regions as bonuses.

    The edges are a Gabriel graph (two points are joined if no third lies in the circle between them), which is planar
    and connected, minus a few edges. By default there is a bonus for every four territories; a region of n territories
    is worth n - 1. `shape` is the height of the land divided by its width; a small value gives a chain. Up to `unions`
    pairs of neighbouring regions are bonuses too; a pair of n territories is worth n.
    """
    territories = checked_whole("territories", territories, 4, MAX_TERRITORIES)
    room = territories // 2
    count = max(1, territories // 4)
    if bonuses is not None:
        count = checked_whole(f"bonuses of {territories} territories", bonuses, 0, room)
    if isinstance(shape, bool) or not isinstance(shape, Real) or not 0.001 <= shape <= 1000:
        raise SandtableError(f"shape must be a number within 0.001..1000, not {shape!r:.40}")
    unions = checked_whole("unions", unions, 0, MAX_UNIONS)
    rng = Rng(seed, "conquest map planar")
    places = _scattered(rng, territories, shape)
    edges = _thinned(rng, territories, _gabriel(places))
    regions = _regions(rng, territories, edges, max(count, 1))
    names = [""] * territories
    for region, members in enumerate(regions):
        for i, territory in enumerate(members):
            names[territory] = f"{_letters(region)}{i + 1}"
    return Land(
        name=f"planar-{seed}",
        territories=tuple(names),
        places=tuple(places),
        edges=tuple(edges),
        bonuses=(
            *(
                Bonus(f"Region {_letters(i)}", max(1, len(members) - 1), tuple(members))
                for i, members in enumerate(regions[:count])
            ),
            *(
                Bonus(f"Regions {_letters(a)} and {_letters(b)}", len(members), tuple(members))
                for a, b, members in _unions(rng, edges, regions[:count], unions)
            ),
        ),
        rules=find_rules(rules),
        comment=f"{territories} territories from seed {seed}",
    )


GENERATORS: dict[str, Callable[..., Land]] = {"planar": planar}


def _letters(number: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    return (_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def _squared_distance(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def _scattered(rng: Rng, n: int, shape: float) -> list[Point]:
    """Random points: each is, of CANDIDATES that are drawn, the one farthest from the points before it."""
    width = 40 * n**0.5 * (SHAPE / shape) ** 0.5
    points: list[Point] = []
    for _ in range(n):
        drawn = [(round(rng.uniform() * width, 1), round(rng.uniform() * width * shape, 1)) for _ in range(CANDIDATES)]
        points.append(max(drawn, key=lambda p: min((_squared_distance(p, q) for q in points), default=0)))
    return points


def _gabriel(points: list[Point]) -> list[Edge]:
    edges = []
    for i, a in enumerate(points):
        for j in range(i + 1, len(points)):
            b = points[j]
            middle, radius = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), _squared_distance(a, b) / 4
            if all(_squared_distance(middle, c) >= radius for k, c in enumerate(points) if k not in (i, j)):
                edges.append((i, j))
    return edges


def _thinned(rng: Rng, n: int, edges: list[Edge]) -> list[Edge]:
    """The edges without a random few; an edge that keeps the map connected stays."""
    kept = list(edges)
    for edge in rng.sample(edges, int(len(edges) * DROPPED)):
        rest = [other for other in kept if other != edge]
        if len(connected(n, rest)) == n:
            kept = rest
    return kept


def _regions(rng: Rng, n: int, edges: list[Edge], count: int) -> list[list[int]]:
    return [sorted(region) for region in _grown(n, edges, [[seed] for seed in rng.sample(range(n), count)], rng)]


def _unions(rng: Rng, edges: list[Edge], regions: list[list[int]], count: int) -> list[tuple[int, int, list[int]]]:
    """Random pairs of neighbouring regions, with the territories of both."""
    of = {t: i for i, region in enumerate(regions) for t in region}  # the region of each territory
    pairs = sorted({(min(of[a], of[b]), max(of[a], of[b])) for a, b in edges if a in of and b in of and of[a] != of[b]})
    chosen = sorted(rng.sample(pairs, min(count, len(pairs))))
    return [(a, b, sorted(regions[a] + regions[b])) for a, b in chosen]


def _grown(n: int, edges: list[Edge], regions: list[list[int]], rng: Rng) -> list[list[int]]:
    """The regions after the smallest has taken a random free neighbour, again and again, until none can grow."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    free = set(range(n)) - {t for region in regions for t in region}
    growing = list(regions)
    while growing:
        region = min(growing, key=len)
        rim = sorted({t for member in region for t in neighbours[member]} & free)
        if not rim:
            growing = [other for other in growing if other is not region]
            continue
        taken = rng.choice(rim)
        region.append(taken)
        free.remove(taken)
    return regions
