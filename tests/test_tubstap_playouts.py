"""M-UCT's playouts against a plain enumeration of its policy: exact chances of red's win in short games."""

import copy
from collections.abc import Iterator

import pytest

import sandtable as st
from sandtable.tubstap import Scenario
from support.boards import field
from support.tubstap_oracle import Game, Row


def attack80(game: Game, harmless: bool) -> Iterator[tuple[float, Row]]:
    """Operations with their chances: four times in five one of all attacks, if there are any, else one of a random
    unit's operations, excluding attacks without damage."""
    listed = Game.moves(_under(game, harmless_attacks=True))
    harmful = [row for row in listed if row[3] < 0 or game.harms(row[0], row[3])]
    attacks = [row for row in (listed if harmless else harmful) if row[3] >= 0]
    if attacks:
        yield from ((0.8 / len(attacks), row) for row in attacks)
    units = {row[0] for row in harmful}
    for unit in units:
        own = [row for row in harmful if row[0] == unit]
        yield from (((0.2 if attacks else 1) / len(units) / len(own), row) for row in own)


def _under(game: Game, *, harmless_attacks: bool) -> Game:
    game = copy.copy(game)
    game.rules = game.rules.replace(harmless_attacks=harmless_attacks)
    return game


def chance_of_red(game: Game, harmless: bool) -> float:
    if game.over:
        return float(game.winner == 0)
    total = 0.0
    for chance, row in attack80(game, harmless):
        after = copy.copy(game)
        after.pieces = {i: copy.copy(piece) for i, piece in game.pieces.items()}
        after.play(row)
        total += chance * chance_of_red(after, harmless)
    return total


def skirmish(rules: str) -> Scenario:
    """Both sides have attacks that round to 0 damage and some that have no power; most are countered."""
    return field(
        ("infantry", 0, 1, 1, 6),
        ("fighter", 0, 2, 2, 10),
        ("panzer", 1, 3, 1, 10),
        ("infantry", 1, 3, 3, 4),
        rules=st.tubstap.rules(rules).replace(movement=(1, 1, 1, 1, 1, 1)),
        size=3,
        turn_limit=2,
    )


@pytest.mark.parametrize("rules", ["original", "platform"])
def test_the_share_of_wins_matches_the_policy(rules: str) -> None:
    scenario, n = skirmish(rules), 40_000
    chances = {
        policy: chance_of_red(Game(scenario), harmless)
        for policy, harmless in (("attack80", True), ("attack80_harmful", False))
    }
    assert abs(chances["attack80"] - chances["attack80_harmful"]) > 0.05  # 20 standard deviations
    for policy, chance in chances.items():
        won = st.tubstap.playouts(scenario.start(), n, seed=1, policy=policy).red
        assert abs(won / n - chance) < 5 * (chance * (1 - chance) / n) ** 0.5


def test_policies_that_draw_from_legal_operations_follow_the_rules() -> None:
    """With one operation left, a harmless attack loses the game; it is drawn as often as any other operation."""
    chances = {}
    for rules in ("original", "platform"):
        units = (("infantry", 0, 1, 1, 3), ("panzer", 1, 3, 1, 2))
        state = field(*units, rules=rules, size=3, turn_limit=1).start()
        lost = [move for move in state.moves() if move.target is not None]
        chances[rules] = len(lost) / len(state.moves())
        for policy in ("uniform", "flat"):
            blue = st.tubstap.playouts(state, 20_000, seed=1, policy=policy).blue
            assert abs(blue / 20_000 - chances[rules]) < 0.02
        drawn = [state.random_move(seed) in lost for seed in range(2000)]
        assert abs(sum(drawn) / 2000 - chances[rules]) < 0.05
    assert chances["original"] == 0
    assert chances["platform"] > 0.1
