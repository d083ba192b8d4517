"""The report of soares2025, written from its tables alone: summary, findings, sentences, sections."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

from sandtable.arena.statistics import wilson
from sandtable.papers.findings import (
    FAILS,
    HOLDS,
    OPEN,
    Finding,
    by_score,
    corrected,
    summarised,
    verdicts,
)
from sandtable.papers.matches import score, turned
from sandtable.papers.measured import Measured
from sandtable.papers.report import Report, Section, findings_section, sections_of
from sandtable.papers.soares2025 import from_nothing, further_games, headlines, published, text_inputs
from sandtable.papers.soares2025.beyond import HABIT_ITERATION, TOURNAMENTS
from sandtable.papers.soares2025.budgets import allowed
from sandtable.papers.soares2025.exploitability import SECONDS
from sandtable.papers.soares2025.further_compose import further_sections
from sandtable.papers.soares2025.matches import GA, GA_POLICY, GUIDED, MCTS, THESIS
from sandtable.papers.soares2025.records import FILE
from sandtable.papers.soares2025.settings import ITERATIONS, SCALES, Settings
from sandtable.papers.tables import PROBABILITY_DIGITS, Cell, Table, agreement, compared, said

TITLE = "soares2025: a policy/value graph network and coevolution for simultaneous turns"
NAMES = {"simple": "custom (simple)", "banana": "banana", "owl_island": "owl island", "italy": "italy", "all": "all"}
HABIT_COLUMNS = ("habit", "what is changed", "score against itself without")
OPERATOR_COLUMNS = ("player", "score with the network of coevolution's data")
SWEEP_COLUMNS = ("what", "player", "changed to", "score against the usual")
PAIR_TABLES = ("table_5_12", "table_5_14")  # the pairs of both tournaments
STARTS = "won-lost-split"  # the order of counts of starts
BY_ITERATION, OF_OTHERS = "by iteration", "of other ways to learn"
EFFECTS = {HOLDS: "helps", FAILS: "harms", OPEN: "open"}


def compose(measured: Measured) -> Report:
    settings = measured.settings(SCALES)
    findings = _findings(measured)
    return Report(
        TITLE,
        _summary(measured, settings, findings),
        (
            findings_section(findings, "the thesis", "score, %", title="What the thesis found, one by one"),
            Section("The headlines", headlines.TEXT, headlines.headlines([measured[name] for name in PAIR_TABLES])),
            *_iterations(measured, settings),
            *_tournaments(measured, settings),
            *_habits(measured, settings),
            Section("What the published pairs can tell", _PUBLISHED, _published_pairs()),
            *_others(measured, settings),
            *_ours(measured, settings),
            *_remaining(measured),
            *_figures(measured),
        ),
        _MADE,
    )


_MADE = (
    "Scores are in per cent, a draw counting half, with 95% intervals (Wilson). Matches follow the thesis's rules: a "
    "random start; a draw after turn 100, or after turn 50 if both players are 49 to 51% sure of winning; surrender at "
    "99% against 1%. Each start is played from both seats, unlike in the authors' games. Their script also built the "
    "second player of a pair as a player of the first one's kind, so it is not certain what their tournaments "
    "measured. The published figures are those of the thesis's tables, as we read them."
)
_SAMPLES = (
    "The samples of all iterations up to this one; a sample is one player's view of one turn. We keep whole games."
)
_PAIRS = "Scores of the row's player against the column's."
_FURTHER = (
    "Italy was added in the third iteration. Scores of guided MCTS with the networks of the third and of further "
    "iterations."
)
_HABITS = (
    "A habit is something that the authors' code does and their text does not describe. Each row is a match of a "
    "player with one habit against the same player without it, on the small maps; above 50% the habit helps. For "
    "habits in learning, a network was trained on the second iteration's data with that one difference."
)
_CODE = (
    "All of these habits at once, in the search, in learning and in the second iteration's data, on the small maps, "
    "beside the thesis's figures for the second iteration."
)
_PUBLISHED = (
    "The published scores with the intervals that their numbers of games allow, as if no game was drawn. If the second "
    "player of a pair was built as a player of the first one's kind, the true score is 50%. Whether a score differs "
    "from 50% is judged by p corrected for all pairs (Holm)."
)
_OPERATOR = (
    "Future work of the thesis: coevolution with the network plays the second iteration's games instead of guided "
    "MCTS. Coevolution counts no visits, so the policy learns the move that was played. Each player with the network "
    "from these games plays against the same player with the usual network, on the small maps."
)
_SWEEP = (
    "A player with one setting changed, against the same player with its settings of the tournament, on all four maps."
)
_RIVALS = (
    "Players beyond the thesis's, with the same budget and, if they need a network and have none of their own, the "
    "same network, against the thesis's four on all four maps."
)
_OURS = (
    "Our network, trained on generated maps only (`recipes/conquest-fast.toml`), with a search that solves the turn "
    "among moves that the network proposes. It was trained on none of these maps. The player's settings were chosen by "
    "games on the thesis's four maps and on other generated ones (docs/fast-training.md); of the maps here, only the "
    "generated ones played no part in that choice."
)
_STARTS = (
    "The numbers of starts that it won from both seats, lost from both, and all others (split). A start of which the "
    "same seat wins both games does not tell the players apart."
)
_EXPLOITED = (
    "How much a player loses to an opponent that knows its strategy, in per cent of the stake; 0 is an equilibrium. "
    f"Positions have three to five territories and a known value; {SECONDS:g} s a move. A best response to few seeds "
    "also exploits chance: for *at least*, it is therefore chosen on one half of the seeds and measured on the other. "
    "No intervals were computed."
)
_DECISIONS = (
    "Mean milliseconds of a decision in the last tournament, and the mean number of a player's decisions in a game."
)


def _games_at(budget: str, games: int) -> str:
    return f"{games} games of each pair on each map at {budget}"


def _published_maps(iteration: int) -> int:
    return len(published.SAMPLES[iteration])


def _pooled(cells: Iterable[Cell], printed: float | None = None) -> Cell:
    """The score over several cells; no figure if none has games."""
    counts = [cell.counts for cell in cells if cell.counts]
    if not counts:
        return Cell(None, published=printed)
    return dataclasses.replace(score([sum(column) for column in zip(*counts, strict=True)]), published=printed)


def _evaluation(measured: Measured, iteration: int) -> Table:
    maps = _published_maps(iteration)
    games = published.EVALUATION_GAMES
    table = measured[f"table_5_{2 * iteration + 2}"].with_published_games(
        lambda row, _: games * maps if row == "all" else games
    )
    return table.saying(f"{agreement(table)} The network comes from {measured.training_seeds}.")


def _by_map(measured: Measured, name: str, iteration: int) -> Table:
    opponents, maps = len(THESIS) - 1, _published_maps(iteration)
    games = opponents * published.TOURNAMENT_GAMES
    table = measured[name].with_published_games(lambda _, column: games * maps if column == "all" else games)
    return table.saying(agreement(table))


def _by_pair(measured: Measured, name: str, iteration: int) -> Table:
    games = published.TOURNAMENT_GAMES * _published_maps(iteration)
    table = measured[name].with_published_games(lambda *_: games)
    said = agreement(table)
    return table.saying(f"Each pair counted once, {said[:1].lower()}{said[1:]}")


def _findings(measured: Measured) -> list[Finding]:
    guided, policy, ga, vanilla = (one.name for one in (GUIDED, GA_POLICY, GA, MCTS))
    evaluations = {k: _evaluation(measured, k) for k in range(1, ITERATIONS + 1)}
    pairs = [_by_pair(measured, name, k) for name, k in zip(PAIR_TABLES, TOURNAMENTS, strict=True)]

    def evaluated(k: int, row: str, column: int) -> Cell:
        return evaluations[k].cell(row, column)

    def both(first: str, second: str, printed: float | None = None) -> Cell:
        """The score over the games of both tournaments; published ones are weighted by number of maps, 3 and 4."""
        cells = [table.cell(first, f"against {second}") for table in pairs]
        maps = [_published_maps(k) for k in TOURNAMENTS]
        mean = sum(count * (cell.published or 0) for count, cell in zip(maps, cells, strict=True)) / sum(maps)
        found = _pooled(cells, mean if printed is None else printed)
        return dataclasses.replace(found, published_games=published.TOURNAMENT_GAMES * sum(maps))

    italy = evaluated(3, NAMES["italy"], 2)
    against_guided = score(turned(italy.counts)) if italy.counts else Cell(None)
    reverse = None if italy.published is None else 100 - italy.published
    return [
        by_score("a trained network beats an untrained one (iteration 1)", evaluated(1, "all", 1)),
        *(
            by_score(
                f"guided MCTS beats vanilla MCTS after iteration {k}, on the maps it has seen", evaluated(k, "all", 2)
            )
            for k in evaluations
        ),
        by_score("guided MCTS beats vanilla MCTS in the tournaments", both(guided, vanilla)),
        by_score("coevolution gains by policy initialisation", both(policy, ga, published.POLICY_OVER_GA)),
        by_score("guided MCTS beats coevolution with the policy", both(guided, policy, published.GUIDED_OVER_POLICY)),
        by_score("guided MCTS beats coevolution without the policy", both(guided, ga)),
        by_score("coevolution with the policy beats vanilla MCTS", both(policy, vanilla)),
        by_score("coevolution without the policy beats vanilla MCTS", both(ga, vanilla)),
        by_score("one iteration helps on Italy: net 3 beats net 2 there", evaluated(3, NAMES["italy"], 1)),
        by_score(
            "one iteration is not enough on Italy: vanilla MCTS beats guided MCTS there",
            dataclasses.replace(against_guided, published=reverse, published_games=italy.published_games),
        ),
        by_score(
            "vanilla MCTS beats the others, taken together, on Italy in the tournament",
            _by_map(measured, "table_5_13", ITERATIONS).cell(vanilla, NAMES["italy"]),
        ),
    ]


def _summary(measured: Measured, settings: Settings, findings: list[Finding]) -> tuple[str, ...]:
    pairs = [
        cell
        for name, iteration in zip(PAIR_TABLES, TOURNAMENTS, strict=True)
        for cell in compared(_by_pair(measured, name, iteration)).values()
    ]
    agree = sum(bool(cell.agrees) for cell in pairs)
    paragraphs = (
        *summarised(findings),
        f"Of the {len(pairs)} published scores of pairs in the tournaments, {agree} agree with ours.",
        _causes(measured, settings),
        _ours_in_short(measured, settings),
        f"Each iteration's network comes from {measured.training_seeds}; how much scores vary between trainings is not "
        "measured.",
    )
    return tuple(filter(None, paragraphs))


def _causes(measured: Measured, settings: Settings) -> str:
    """The tested causes of differences from the tournaments, each judged by guided MCTS against both coevolutions."""
    tried = []
    agreement_of = (
        "both scores differ from the published ones",
        "one of the scores agrees with the published one",
        "both scores agree with the published ones",
    )
    for name, iteration, what in (
        ("longer_pairs", ITERATIONS, f"another time for a move ({settings.long_seconds:g} s)"),
        ("code_pairs", HABIT_ITERATION, "the habits of the authors' code, all at once"),
    ):
        if name in measured:
            table = _by_pair(measured, name, iteration)
            cells = [table.cell(GUIDED.name, f"against {one.name}") for one in (GA_POLICY, GA)]
            scores = " and ".join(said(cell) for cell in cells)
            agree = agreement_of[sum(bool(cell.agrees) for cell in cells)]
            tried.append(
                f"With {what}, guided MCTS scores {scores} against coevolution with and without the policy; {agree}"
            )
    published_pairs = _published_pairs().rows
    apart = sum(row[-1].value != "no" for row in published_pairs)
    text = f"Causes of the differences were tested. {'. '.join(tried)}. " if tried else "No cause was tested. "
    differ = "differs" if apart == 1 else "differ"
    return text + (
        f"Of the {len(published_pairs)} published scores of pairs, {apart} {differ} significantly from 50%; the others "
        "do not show which player is stronger."
    )


def _ours_in_short(measured: Measured, settings: Settings) -> str:
    if "ours" not in measured:
        return ""
    table = measured["ours"]
    groups = []
    for column, what in (
        ("the four", "on the thesis's four maps, on which its settings were chosen"),
        ("generated maps", "on generated maps that were drawn for this report"),
    ):
        scores = [table.number(one.name, column) for one in THESIS]
        groups.append(f"{min(scores):.1f} to {max(scores):.1f}% {what}")
    return (
        f"Beyond the thesis, the player `sandtable` at {allowed(settings)} scores against the "
        f"thesis's four players {', and '.join(groups)}."
    )


def _iterations(measured: Measured, settings: Settings) -> list[Section]:
    budget = f"{settings.guided_iterations} iterations of guided MCTS, {settings.vanilla_iterations} of vanilla MCTS"
    text = f"{settings.evaluation_games} games on each map; {budget}, as in the data."
    sections = []
    for iteration in range(1, ITERATIONS + 1):
        number = 2 * iteration + 1
        samples = measured[f"table_5_{number}"].saying("")
        sections.append(Section(f"Table 5.{number}: data of iteration {iteration}", _SAMPLES, samples))
        title = f"Table 5.{number + 1}: evaluation of iteration {iteration}"
        sections.append(Section(title, text, _evaluation(measured, iteration)))
    return sections


def _tournaments(measured: Measured, settings: Settings) -> list[Section]:
    def text(seconds: float, games: int) -> str:
        return f"{_games_at(f'{seconds:g} s a move', games)}, seats swapped; scores over all opponents."

    sections = []
    for number, k in zip((11, 13), TOURNAMENTS, strict=True):
        by_map = _by_map(measured, f"table_5_{number}", k)
        played = text(settings.seconds, settings.tournament_games)
        sections.append(Section(f"Table 5.{number}: tournament of iteration {k}", played, by_map))
        by_pair = _by_pair(measured, f"table_5_{number + 1}", k)
        sections.append(Section(f"Table 5.{number + 1}: its pairs, all maps", _PAIRS, by_pair))
    title = f"The tournament of iteration {ITERATIONS} at {settings.long_seconds:g} s a move"
    played = text(settings.long_seconds, settings.long_games)
    return [
        *sections,
        *_other_tournament(measured, "longer", ITERATIONS, title, played),
        *sections_of(measured, "further", "More iterations", _FURTHER),
    ]


def _other_tournament(measured: Measured, name: str, iteration: int, title: str, text: str) -> list[Section]:
    """The sections of another tournament beside an iteration's published figures; none if it was not played."""
    if name not in measured:
        return []
    return [
        Section(title, text, _by_map(measured, name, iteration)),
        Section(f"{title}: its pairs", _PAIRS, _by_pair(measured, f"{name}_pairs", iteration)),
    ]


def _habits(measured: Measured, settings: Settings) -> list[Section]:
    games = _games_at(allowed(settings), settings.habit_games)
    beside = "Where the authors' code departs from their text"
    operator = "Coevolution as the operator that makes the data"
    code = "The tournament with all habits of the authors' code"

    def judged_operator(table: Table) -> Table:
        judged = _judged(table.only(*OPERATOR_COLUMNS))
        return judged.saying(f"{judged.said} {_one_seed_each(measured)}")

    return [
        *sections_of(measured, "habits", beside, f"{_HABITS} {games}.", lambda _: _habit_table(measured)),
        *sections_of(measured, "operator", operator, f"{_OPERATOR} {games}.", judged_operator),
        *_other_tournament(measured, "code", HABIT_ITERATION, code, f"{_CODE} {games}."),
    ]


def _one_seed_each(measured: Measured) -> str:
    return f"Each network comes from {measured.training_seeds}."


def _judged(table: Table) -> Table:
    """The table with three more columns: the p-value of each row's score (its last cell), the p-value corrected for all
    rows, and the effect."""
    findings = [by_score(name, row[-1]) for name, row in table.named_rows()]
    effects = [EFFECTS.get(word, "not played") for word in verdicts(findings)]
    table = table.with_column("p", [Cell(one.p) for one in findings], PROBABILITY_DIGITS)
    table = table.with_column("corrected p", [Cell(p) for p in corrected(findings)], PROBABILITY_DIGITS)
    table = table.with_column("effect", [Cell(word) for word in effects])
    helping, harming, undecided = (effects.count(word) for word in EFFECTS.values())
    return table.saying(
        f"Of {len(effects)} changes, {helping} {'helps' if helping == 1 else 'help'}, {harming} "
        f"{'harms' if harming == 1 else 'harm'} and {undecided} {'is' if undecided == 1 else 'are'} open."
    )


def _habit_table(measured: Measured) -> Table:
    """The judged habits; a habit of two players is also judged by the games of both together."""
    table = measured["habits"].only(*HABIT_COLUMNS)
    groups = itertools.groupby(table.rows, key=lambda row: str(row[0].value))
    findings = [by_score(name, _pooled(row[2] for row in rows)) for name, rows in groups]
    found = [
        f"*{one.claim}* {EFFECTS[word]} ({said(one.figure)}, corrected p {p:.3f})"
        for one, word, p in zip(findings, verdicts(findings), corrected(findings), strict=True)
        if p is not None and word != OPEN
    ]
    text = f"{', '.join(found)}; the others are open" if found else "none has a clear effect"
    return _judged(table).saying(
        f"With the games of all players with the same habit pooled, and p corrected for {len(findings)} habits: "
        f"{text}. {_one_seed_each(measured)}"
    )


def _published_pairs() -> Table:
    rows, findings = [], []
    for iteration, pairs in published.PAIRS.items():
        games = published.TOURNAMENT_GAMES * _published_maps(iteration)
        for (first, second), share in pairs.items():
            low, high = wilson(share / 100 * games, games)
            won = round(share / 100 * games)
            figure = Cell(share, 100 * low, 100 * high, games)
            findings.append(by_score(f"{first} against {second}", score([won, games - won, 0])))
            rows.append((Cell(iteration), Cell(f"{first} against {second}"), figure, Cell(games)))
    apart = [{HOLDS: "yes", FAILS: "yes, the other way"}.get(word, "no") for word in verdicts(findings)]
    columns = ("iteration", "pair", "published score", "games")
    table = Table("published_pairs", "The published pairs with intervals", columns, tuple(rows))
    table = table.with_column("corrected p", [Cell(p) for p in corrected(findings)], PROBABILITY_DIGITS)
    table = table.with_column("does it differ from 50%", [Cell(word) for word in apart])
    told = sum(word != "no" for word in apart)
    differ = "differs" if told == 1 else "differ"
    return table.saying(f"Of the {len(rows)} published scores, {told} {differ} significantly from 50%.")


def _others(measured: Measured, settings: Settings) -> list[Section]:
    def text(of: str, games: int) -> str:
        return f"{of} {_games_at(allowed(settings), games)}."

    sections = [
        *sections_of(
            measured,
            "sweep",
            "Other settings",
            text(_SWEEP, settings.sweep_games),
            lambda table: _judged(table.only(*SWEEP_COLUMNS)),
        ),
        *sections_of(measured, "rivals", "Other players", text(_RIVALS, settings.rival_games)),
        *further_sections(measured, settings, _games_at),
        *_text_order(measured, settings),
    ]
    for name, of, games in (
        ("text_inputs", text_inputs.TEXT, settings.text_games),
        (from_nothing.LINE, from_nothing.TEXT, settings.from_nothing_games),
    ):
        if name in measured:
            table = measured[name].saying(_one_seed_each(measured))
            sections.append(Section(table.title, text(of, games), table))
    return sections


def _text_order(measured: Measured, settings: Settings) -> list[Section]:
    name, title = further_games.TEXT_ORDER, "The last tournament by the text's order of marches"
    if name not in measured:
        return []
    text = further_games.ORDER_TEXT.format(games=settings.text_order_games, seconds=settings.seconds)
    return [
        Section(title, text, _by_map(measured, name, ITERATIONS)),
        Section(f"{title}, by pair", "", _by_pair(measured, f"{name}_pairs", ITERATIONS)),
    ]


def _ours(measured: Measured, settings: Settings) -> list[Section]:
    text = f"{_OURS} All players have {allowed(settings)}."
    return [
        *sections_of(measured, "ours", "The player sandtable", text, lambda _: _one_seed_each(measured)),
        *sections_of(measured, "our_starts", "The player sandtable: starts", _STARTS, _starts),
    ]


def _starts(table: Table) -> Table:
    """The table with the order of the counts in each cell; older results state it in the title only."""
    rows = tuple(
        (row[0], *(Cell(f"{STARTS} {str(cell.value).removeprefix(STARTS).strip()}") for cell in row[1:]))
        for row in table.rows
    )
    return dataclasses.replace(table, rows=rows, said="")


def _remaining(measured: Measured) -> list[Section]:
    records = measured["records"]
    text = (
        f"All games were replayed and checked. `{FILE}` in the run's folder has one record per line, first the data's "
        "games, then those of the matches."
    )
    ends, digest = (records.facts.get(name) for name in ("ends", "sha256"))
    ended = f"How they ended: {ends}. The file's sha256 begins with {digest}." if ends and digest else ""
    return [
        *sections_of(measured, "exploitability", "Exploitability", _EXPLOITED),
        Section("Decisions", _DECISIONS, measured["decisions"].saying("")),
        Section("Games", text, records.saying(ended)),
    ]


def losses(what: str, part: str) -> str:
    """The name of a figure of losses."""
    return f"{part}_losses_{what.replace(' ', '_')}"


def _figures(measured: Measured) -> list[Section]:
    sections = []
    for what in (BY_ITERATION, OF_OTHERS):
        for part in ("policy", "value"):
            picture = measured.picture(losses(what, part))
            title = f"the {part}'s losses {what}"
            if picture:
                sections.append(Section(f"Figures 5.2 to 5.5: {title}", "", None, picture, title))
    return sections
