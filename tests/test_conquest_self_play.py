"""Training by self-play in Conquest: recipes, games and their files, losses, and interrupted trainings."""

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import sandtable as st
from sandtable.conquest import Land
from sandtable.conquest.training import losses as turn_losses
from sandtable.conquest.training import self_play as turns
from sandtable.conquest.training.self_play import Game, Sample
from sandtable.errors import RecipeError, SandtableError
from sandtable.learn import recipe, self_play_training
from sandtable.learn.map_sources import Maps
from sandtable.learn.recipe import Learning, Network, Recipe, Search, Strength, Turns
from sandtable.nets import read_card
from sandtable.nets.architectures import TERRITORY_FEATURES
from sandtable.nets.territories import TerritoryNet
from support.fresh_nets import save_fresh

torch.set_num_threads(1)  # as training does

TINY = Recipe(
    name="tiny",
    network=Network("territories_32"),
    maps=(Maps("planar", options={"territories": [5, 7], "bonuses": 1}), Maps("simple", share=0.2)),
    seed=3,
    games=6,
    search=Search(games=2),
    turns=Turns(rounds=1, candidates=4, fresh=4, joining=2, most=6, opponents=2, iterations=30, search_value=0.25),
    learning=Learning(
        optimiser="adam",
        rate=0.003,
        batch=16,
        memory=80,
        first_update=10,
        updates_per_game=1,
        publish_every=2,
        average=0.9,
        fate_weight=0.3,
    ),
)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_fresh(tmp_path_factory.mktemp("weights") / "fresh.safetensors", "territories_32", seed=2)


@functools.cache
def some_games(path: Path) -> list[Game]:
    return turns.play(path, TINY, range(4)).games


# Recipes.


@pytest.mark.parametrize(
    "path", sorted((Path(st.__file__).parent / "recipes").glob("conquest*.toml")), ids=lambda path: path.stem
)
def test_shipped_recipes_train_on_no_shipped_map(path: Path) -> None:
    made = recipe.load(path)
    assert made.game == "conquest"
    tested = {st.conquest.load(name).name for name in st.conquest.maps.shipped()}
    for number in (0, 1, 2, 3, 10**4, 10**6):
        land = made.start(number)
        assert isinstance(land, Land)
        assert land.name not in tested  # the network must not be trained on the maps it is tested on
        assert not turns.beginning(made, number).over


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"maps": (Maps("planer"),)}, "no map is called 'planer' (did you mean 'planar'?)"),
        ({"maps": (Maps("skirmish"),)}, "'skirmish' belongs to tubstap, but the network plays conquest"),
        ({"maps": (Maps("planar", options={"sizes": 3}),)}, "planar has no option 'sizes'"),
        (
            {"maps": (Maps("planar", options={"territories": 3}),)},
            "territories must be a whole number within 4..1024, not 3",
        ),
        ({"turns": Turns(rounds=-1)}, "turns.rounds must be within 0..1000000, not -1"),
        ({"turns": Turns(explore=2)}, "turns.explore must be within 0..1, not 2"),
        ({"turns": Turns(joining=13)}, "turns.joining must be within 1..12"),
        ({"turns": Turns(most=11)}, "turns.most must be within 12..1000"),
        ({"strength": Strength(every=1, opponents=("muct",), maps=("simple",))}, "muct plays tubstap, not conquest"),
        ({"strength": Strength(every=1, opponents=("flow",), maps=("duel",))}, "strength.maps: "),
        ({"network": Network("soares2025")}, "network.architecture: 'soares2025' is none of"),
    ],
)
def test_a_bad_recipe_gets_a_one_line_error(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(SandtableError) as caught:
        dataclasses.replace(TINY, **changed)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_recipe_may_use_the_old_name_of_a_key(tmp_path: Path) -> None:
    """Both names give the same recipe, so that a training can be continued with either."""
    shipped = (Path(st.__file__).parent / "recipes" / "conquest-fast.toml").read_text(encoding="utf-8")
    assert "opponents = 4\n" in shipped
    made = []
    for key in ("opponents", "met"):
        path = tmp_path / f"{key}.toml"
        path.write_text(shipped.replace("opponents = 4\n", f"{key} = 5\n"), encoding="utf-8")
        made.append(recipe.load(path))
    assert made[0] == made[1]
    assert made[0].turns.opponents == made[0].about()["turns"]["met"] == 5


# Games and their files.


def test_complete_games_give_two_consistent_samples_a_turn(weights: Path) -> None:
    played = turns.play(weights, TINY, range(4))
    assert [game.number for game in played.games] == list(range(4))
    assert played.evaluated > 0
    assert played.seconds >= played.forward_seconds > 0
    for game in played.games:
        found = turns.samples(game, TINY)
        assert len(found) == 2 * len(game.firsts)
        for i, sample in enumerate(found):
            n = len(sample.state.owner)
            assert sample.player == i % 2
            deploys = sample.shares[sample.places < n]
            assert deploys.sum() == pytest.approx(1, abs=1e-4)
            assert all(sample.state.owner[place] == sample.player for place in sample.places[sample.places < n])
            rows = (sample.places[sample.places >= n] - n) // n
            sums = np.bincount(rows, sample.shares[sample.places >= n], n)
            # Less than 1 for territories to which only some of the mixture's moves bring armies.
            assert all(0 < total < 1.001 for total in sums[np.unique(rows)])
            assert sum(sample.chances) == pytest.approx(1)
        mine, theirs = found[-2], found[-1]
        assert mine.chances == pytest.approx(theirs.chances[::-1])
        assert [{0: 1, 1: 0, 2: 2}[owner] for owner in mine.owners.tolist()] == theirs.owners.tolist()
    again = turns.play(weights, TINY, [3]).games[0]  # played alone
    for one, other in zip(again, played.games[3], strict=True):
        np.testing.assert_array_equal(one, other)


def test_value_targets_mix_the_result_and_the_search_s_value(weights: Path) -> None:
    game = some_games(weights)[0]
    last = turns.samples(game, dataclasses.replace(TINY, turns=dataclasses.replace(TINY.turns, search_value=0.0)))[-1]
    assert sorted(last.chances) == [0, 0, 1]
    all_searched = dataclasses.replace(TINY, turns=dataclasses.replace(TINY.turns, search_value=1.0))
    for turn, sample in enumerate(turns.samples(game, all_searched)[::2]):
        assert sample.chances[0] - sample.chances[2] == pytest.approx(float(game.values[turn]), abs=1e-5)


def test_games_round_trip_through_their_file(weights: Path, tmp_path: Path) -> None:
    games, path = some_games(weights), tmp_path / "games.npz"
    turns.save(games, path)
    for back, game in zip(turns.load(path), games, strict=True):
        for name, one, other in zip(Game._fields, back, turns.rounded(game), strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)


def test_damaged_files_and_inconsistent_games_are_refused(weights: Path, tmp_path: Path) -> None:
    games, path = some_games(weights), tmp_path / "games.npz"
    with pytest.raises(SandtableError, match="not a file of games"):
        turns.load(path)
    turns.save(games, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SandtableError, match="not a file of games"):
        turns.load(path)
    turns.save([games[0]._replace(firsts=games[0].firsts[:-1])], path)
    with pytest.raises(SandtableError, match="do not fit"):
        turns.load(path)
    with pytest.raises(SandtableError, match=r"cannot be played|does not end"):
        turns.samples(games[0]._replace(number=1), TINY)
    with pytest.raises(SandtableError, match="does not end"):
        turns.samples(games[0]._replace(firsts=games[0].firsts[:-1]), TINY)


# Losses.


def losses(module: torch.nn.Module, batch: list[Sample]) -> dict[str, torch.Tensor]:
    return turn_losses.losses(module, TERRITORY_FEATURES, batch, TINY.learning, np.random.default_rng(0))


def test_a_batch_can_be_overfitted(weights: Path) -> None:
    batch = turns.samples(some_games(weights)[0], TINY)[:6] + turns.samples(some_games(weights)[1], TINY)[:6]
    torch.manual_seed(0)
    module = TerritoryNet(32)
    optimiser = torch.optim.Adam(module.parameters(), 0.01)
    first = {name: float(loss.detach()) for name, loss in losses(module, batch).items()}
    for _ in range(60):
        optimiser.zero_grad()
        losses(module, batch)["total"].backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    last = {name: float(loss.detach()) for name, loss in losses(module, batch).items()}
    assert first["total"] == pytest.approx(
        first["deploy"] + first["march"] + first["value"] + TINY.learning.fate_weight * first["fate"], rel=1e-5
    )
    assert all(last[name] < 0.8 * first[name] for name in ("deploy", "march", "value", "fate")), (first, last)


def test_the_loss_is_computed_on_the_network_s_device(weights: Path) -> None:
    found = losses(TerritoryNet(32).to("meta"), turns.samples(some_games(weights)[0], TINY)[:6])
    found["total"].backward()  # type: ignore[no-untyped-call]
    assert all(loss.device.type == "meta" for loss in found.values())


def test_a_policy_equal_to_the_search_s_has_no_policy_loss(weights: Path) -> None:
    sample = turns.samples(some_games(weights)[0], TINY)[2]
    n = len(sample.owners)

    class Known(torch.nn.Module):
        def everything(self, *arrays: torch.Tensor) -> tuple[torch.Tensor, ...]:
            policy = torch.full((n + n * n,), -30.0)
            policy[torch.from_numpy(sample.places).long()] = torch.from_numpy(sample.shares).log()
            return torch.zeros(1, 3), policy[None, :n], policy[n:].view(1, n, n), torch.zeros(1, n, 3)

    found = losses(Known(), [sample])
    assert float(found["deploy"]) == pytest.approx(0, abs=1e-4)
    assert float(found["march"]) == pytest.approx(0, abs=1e-4)
    assert float(found["value"]) == pytest.approx(np.log(3), rel=1e-5)
    assert float(found["fate"]) == pytest.approx(np.log(3), rel=1e-5)


# Trainings.


def trained(folder: Path, stops: int = 0) -> dict[str, torch.Tensor]:
    """The weights after the whole recipe, with `stops` interruptions."""

    class StoppedError(Exception):
        pass

    def watch(progress: self_play_training.Progress) -> None:
        if progress.games < TINY.games and progress.games not in seen and len(seen) < stops:
            seen.add(progress.games)
            raise StoppedError

    seen: set[int] = set()
    while True:
        try:
            return load_file(self_play_training.train(TINY, folder, watch=watch))
        except StoppedError:
            continue


def test_an_interrupted_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    straight, stopped = trained(tmp_path / "a"), trained(tmp_path / "b", stops=2)
    assert straight.keys() == stopped.keys()
    for name, value in straight.items():
        torch.testing.assert_close(value, stopped[name], rtol=0, atol=0)
    path = tmp_path / "a" / "net.safetensors"
    card = read_card(path)
    assert (card.game, card.architecture) == ("conquest", "territories_32")
    assert card.training["recipe"]["turns"]["rounds"] == 1
    assert card.training["updates"] > 0
    state = st.conquest.load("banana").start(1)
    state.resolve(st.player(f"sandtable(net={str(path)!r}, rounds=1)").act(state, 0), [])
    assert {"deploy_loss", "march_loss", "value_loss", "fate_loss"} <= self_play_training.curve(tmp_path / "a")[
        -1
    ].keys()


def test_matches_are_played_during_training(tmp_path: Path) -> None:
    strength = Strength(every=1, games=2, simulations=1, opponents=("random",), maps=("simple",))
    made = dataclasses.replace(TINY, games=2, strength=strength)
    seen: list[dict[str, list[int]]] = []
    self_play_training.train(
        dataclasses.replace(made, games=4), tmp_path, watch=lambda now: seen.append(dict(now.strength))
    )
    assert sum(seen[-1]["random on simple"]) == 2


def test_a_warm_start_with_another_architecture_is_refused(tmp_path: Path, weights: Path) -> None:
    made = dataclasses.replace(TINY, network=Network("territories_48", warm_start=str(weights)))
    with pytest.raises(RecipeError, match="is a territories_32, not a territories_48"):
        self_play_training.train(made, tmp_path)


def test_all_ends_of_a_recipe_s_ranges_are_checked() -> None:
    maps = Maps("planar", options={"territories": [6, 14], "bonuses": [2, 5]})
    with pytest.raises(SandtableError, match=r"bonuses of 6 territories must be a whole number within 0\.\.3, not 5"):
        dataclasses.replace(TINY, maps=(maps,))
