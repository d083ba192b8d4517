"""Players: conformance to the rules, spec strings, settings, errors, seeds and budgets."""

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.arena.conformance import check_player
from sandtable.players import settings_of, spec_of
from support.clocks import once_in_time

ATTACK_BOT = Path(__file__).parents[1] / "examples" / "bots" / "attack_bot.py"
QUICK = (
    "random",
    "greedy",
    "pmc(playouts=2)",
    "uct(simulations=30)",
    "uct(simulations=30, c=1, expand_after=10)",
    "muct(simulations=30)",
    "muct(simulations=20, policy=flat)",
    "muct(simulations=30, opponent=adversarial)",
    "minimax(depth=1)",
    "minimax(depth=2, width=2, evaluator=sandtable)",
    "pvmcts(simulations=8)",
    "pvmcts(simulations=8, root=gumbel, considered=4, keep=false)",
    "sandtable(simulations=8, rounds=1)",
    "equilibrium(rounds=1, candidates=6, fresh=6, most=8)",
    "equilibrium(rounds=1, candidates=5, fresh=4, most=8, mixed=false, plans=true)",
    "tempered(player='uct(simulations=20)')",
    "tempered(player='mcts(iterations=3)', temperature=3)",
    "mcts(iterations=3)",
    "mcts(iterations=3, stall=true)",
    "mcts(iterations=3, candidates=8, root='coevolution(generations=2, population=5, elites=2)')",
    "guided(iterations=3)",
    "guided(net={net}, iterations=4, candidates=7, trust=0, root_prior=false, stall=true)",
    "guided(net={net}, iterations=2, candidates=5, root='coevolution(generations=1)', share=0.3)",
    "coevolution(generations=3)",
    "coevolution(generations=2, horizon=3, crossover=0.5)",
    "coevolution(generations=2, population=7, selection=tournament, tournament_size=3, crossover_kind=two_point)",
    "coevolution(generations=2, horizon=2, crossover_kind=uniform)",
    "cmaes(generations=3)",
    "cmaes(generations=2, population=5, elites=0, step=2, initialise='mcts(iterations=2, candidates=6)')",
    "cmaes(evaluator={net}, generations=1, population=6, elites=2, initialise=policy, sampled=18)",
    "coevolution(generations=2, initialise='mcts(iterations=2, candidates=6)')",
    "coevolution(evaluator={net}, generations=1, population=6, elites=2, horizon=2)",
    "coevolution(generations=2, population=5, elites=0, mutation=1)",
    "coevolution(evaluator={net}, generations=1, population=6)",
    "coevolution(evaluator={net}, generations=1, population=6, elites=2, initialise=policy, sampled=18)",
    "duct(simulations=30)",
    "duct(simulations=20, evaluator={net}, candidates=5, sampled=15, mixed=true)",
    "regret(simulations=30)",
    "regret(simulations=30, depth=1, max_nodes=1)",
    "regret(simulations=30, root='coevolution(generations=2)', share=0.3)",
    "regret(simulations=20, evaluator={net}, candidates=5, batch=4, mixed=false)",
    "flow",
    f"bot(command='{sys.executable} -I -S {ATTACK_BOT}')",
)


@pytest.mark.parametrize("spec", QUICK)
def test_every_player_keeps_the_rules(spec: str, fresh_net: Path) -> None:
    problems = [f"{name}: {problem}" for name, problem in check_player(with_net(spec, fresh_net)) if problem]
    assert problems == []


def test_uct_plays_out_with_another_policy() -> None:
    """Not in QUICK, since uct also plays games that do not have this policy."""
    first, again = (
        st.play(st.tubstap.load("duel"), "uct(simulations=20, policy=flat)", "random", seed=1) for _ in "ab"
    )
    assert first == again
    assert first.verify().over


def with_net(spec: str, path: Path) -> str:
    return spec.format(net=repr(str(path)))


def test_every_registered_player_is_tested() -> None:
    assert {spec.partition("(")[0] for spec in QUICK} == set(st.players())
    both = {"bot", "random", "sandtable", "tempered"}
    assert set(st.players("tubstap")) & set(st.players("conquest")) == both


@pytest.mark.parametrize("spec", QUICK)
def test_specs_round_trip(spec: str, fresh_net: Path) -> None:
    spec = with_net(spec, fresh_net)
    assert spec_of(st.player(spec_of(st.player(spec)))) == spec_of(st.player(spec))


def test_settings_are_typed() -> None:
    made: Any = st.player("uct(simulations=500, c=2, policy='flat', seed=3)")
    assert (made.simulations, made.c, made.policy, made.seed) == (500, 2.0, "flat", 3)
    assert isinstance(made.c, float)
    assert settings_of(type(made))["c"] == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("utc", "no player is called 'utc' (did you mean 'uct'?)"),
        ("", "is not a player"),
        ("uct(", "is not a player"),
        ("uct(simulations)", "write key=value"),
        ("uct(5)", "write key=value"),
        ("uct(**{})", "write key=value"),
        ("uct(simulations=)", "write key=value"),
        ("uct(simulations=1) and more", "is not a player"),
        ("uct(simulation=5)", "has no setting 'simulation' (did you mean 'simulations'?)"),
        ("uct(simulations=many)", "simulations must be a whole number or none, not 'many'"),
        ("uct(simulations=1.5)", "simulations must be a whole number"),
        ("uct(simulations=0)", "simulations must be within 1.."),
        ("uct(simulations=-5)", "simulations must be within 1.."),
        ("uct(simulations=99999999999999999999)", "simulations must be within 1.."),
        (f"uct(c={10**400})", "too large"),
        ("UCT", "did you mean 'uct'"),
        ("uct(policy=flatt)", "did you mean 'flat'"),
        ("mcts(rollout_levels=7)", "an even number"),
        ("uct(seconds=2000000)", "at most 100000"),
        ("no_such:thing", "there is no module"),
        ("uct(simulations=true)", "simulations must be a whole number"),
        ("uct(simulations=f())", "must be a number, a word or a quoted text"),
        ("guided(net=sandtable-conquest)", "this net proposes moves"),
        ("uct(simulations=1, simulations=2)", "uct"),
        ("uct(simulations=1)(c=2)", "write key=value"),
        ("uct(seconds=0)", "seconds must be more than 0"),
        ("uct(seconds=1, seconds_per_turn=1)", "not both"),
        ("uct(c=-1)", "c must be within 0..1000"),
        ("uct(policy=best)", "policy must be uniform or flat or attack80 or attack80_harmful"),
        ("uct(seed=-1)", "seed must be within 0.."),
        ("muct(opponent=kind)", "opponent must be original or adversarial"),
        ("minimax(depth=0)", "depth must be within 1..8"),
        ("minimax(seconds=1)", "minimax has no setting 'seconds'"),
        ("minimax(evaluator=net)", "no net is called 'net'"),
        ("minimax(runtime=fast)", "runtime must be auto or native or onnx or torch"),
        ("mcts(candidates=0)", "candidates must be within"),
        ("coevolution(elites=31)", "elites must be within 0..30"),
        ("coevolution(evaluator=shares)", "no net is called 'shares'"),
        ("coevolution(evaluator=gcn_4)", "a net for tubstap, not conquest"),
        ("coevolution(initialise=policy)", "initialise=policy needs a network"),
        ("coevolution(initialise=policy, sampled=29)", "sampled must be within 30..100000"),
        ("coevolution(initialise=best)", "initialise must be random or policy"),
        (
            "mcts(root=coevolutoin)",
            "root must be random or coevolution, not 'coevolutoin' (did you mean 'coevolution'?)",
        ),
        ("mcts(root='coevolution(generation=3)')", "has no setting 'generation' (did you mean 'generations'?)"),
        ("mcts(root='coevolution(seconds=1)')", "`share` gives it a part of the seconds"),
        ("mcts(root=coevolution, share=1)", "share must be within"),
        ("mcts(root='')", "root must be random or coevolution"),
        ("coevolution(initialise=uct)", "initialise must be random or policy or mcts or guided"),
        ("coevolution(initialise='mcts(')", "is not a player"),
        ("coevolution(horizon=0)", "horizon must be within 1..20"),
        ("coevolution(crossover=2)", "crossover must be within 0..1"),
        ("coevolution(crossover_kind=twopoint)", "crossover_kind must be one_point or two_point or uniform"),
        ("coevolution(selection=tournment)", "(did you mean 'tournament'?)"),
        ("coevolution(tournament_size=0)", "tournament_size must be within 1..1000"),
        ("cmaes(mutation=0.1)", "cmaes has no setting 'mutation'"),
        ("cmaes(step=0)", "step must be within 0.01..100"),
        ("cmaes(population=1)", "population must be within 2..200"),
        ("cmaes(initialise=policy)", "initialise=policy needs a network"),
        ("duct(sampled=40)", "sampled moves need a network"),
        ("duct(sampled=5)", "sampled must be within 20..100000"),
        ("duct(candidates=101)", "candidates must be within 1..100"),
        ("duct(c=-1)", "c must be within 0..1000"),
        ("regret(exploration=1.5)", "exploration must be within 0..1"),
        ("regret(evaluator=share)", "no net is called 'share'"),
        ("regret(depth=-1)", "depth must be within"),
        ("guided(net=nowhere)", "no net is called 'nowhere'"),
        ("guided(trust=2)", "trust must be within 0..1"),
        ("guided(candidates=101)", "candidates must be within 1..100"),
        ("guided(runtime=fast)", "runtime must be auto or native or onnx or torch"),
        ("no_such_module:Player", "there is no module"),
        ("json:Player", "has no 'Player'"),
        ("json:loads", "is not a class"),
        ("json:JSONDecoder", "a player needs act(state, side) and `games`, a tuple"),
        ("random(depth=1)", "random has no setting 'depth'"),
    ],
)
def test_bad_specs_get_a_one_line_error(spec: str, message: str) -> None:
    with pytest.raises(st.PlayerError) as caught:
        st.player(spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(s.text(max_size=40) | s.text("uct(simlaon=,)123.'", max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_spec_or_gets_an_error(spec: str) -> None:
    try:
        st.player(spec)
    except st.SandtableError as error:
        assert "\n" not in str(error) or "\n" in spec


def test_a_wrong_game_and_a_missing_side_are_refused() -> None:
    land, scenario = st.conquest.load("simple"), st.tubstap.load("duel")
    with pytest.raises(st.PlayerError, match="muct plays tubstap, not conquest"):
        st.player("muct").act(land.start(1), 0)
    with pytest.raises(st.PlayerError, match="pass the side, 0 or 1"):
        st.player("mcts").act(land.start(1))
    with pytest.raises(st.PlayerError, match="mcts plays conquest, not tubstap"):
        st.player("mcts").act(scenario.start())
    over = land.state([0] * 9, [1] * 9)
    with pytest.raises(st.PlayerError, match="over"):
        st.player("random").act(over, 0)


def test_arguments_that_are_no_player_or_no_position_are_refused() -> None:
    scenario: Any = st.tubstap.load("duel")
    for bad in (5, None, b"uct"):
        with pytest.raises(st.PlayerError, match="a player must be a spec string"):
            st.play(scenario, bad, "random")  # type: ignore[arg-type]
    with pytest.raises(st.SandtableError, match="not a map or state of any game"):
        st.play("duel", "random", "random")
    with pytest.raises(st.PlayerError, match="needs a state"):
        st.player("random").act(None)
    for side in (1.0, 7, -1):
        with pytest.raises(st.PlayerError, match="0 or 1"):
            st.player("mcts").act(st.conquest.load("simple").start(1), side)  # type: ignore[arg-type]
    with pytest.raises(st.PlayerError, match="side must be 0, the side to move, not 7"):
        st.player("random").act(scenario.start(), 7)
    with pytest.raises(st.RecordError):
        st.Record.from_line(None)  # type: ignore[arg-type]


def test_without_start_the_seed_comes_from_the_settings() -> None:
    state = st.tubstap.load("duel").start()
    moves = [st.player(f"random(seed={seed})").act(state) for seed in range(20)]
    assert moves == [st.player(f"random(seed={seed})").act(state) for seed in range(20)]
    assert len(set(moves)) > 5
    assert st.player("random").act(state) == moves[0]


def test_budgets_in_seconds_are_used() -> None:
    state = st.tubstap.load("duel").start()
    made: Any = st.player("uct(seconds=0.05)")
    assert once_in_time(lambda: made.analyse(state).nodes > 100)
    whole: Any = st.player("uct(seconds_per_turn=0.15)")
    start = time.perf_counter()
    while state.turn == 0:
        state.play(whole.act(state))
    assert time.perf_counter() - start > 0.1
