"""Games on the page, from the first move to the record."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import sandtable as st
from sandtable import json_fields
from sandtable.arena.record import Record
from sandtable.arena.store import Store
from sandtable.errors import SandtableError
from sandtable.web.catalogue import Seat
from sandtable.web.keeping import GameStore, KeptGame
from sandtable.web.playing import GameInPlay
from support.commands import sandtable
from support.page_server import HUMAN, Live, level, live, serving, uct


def test_a_person_plays_a_level_to_the_end(client: TestClient, page: Live) -> None:
    state = page.new("tubstap", "duel", HUMAN, level("sergeant"))
    while not state["view"]["over"]:
        attacks = [move for move in state["choices"]["moves"] if move[3] != -1]
        chosen = (attacks or state["choices"]["moves"])[0]
        assert page.ask("move", game_id=state["id"], ply=state["view"]["ply"], move=chosen[:4])["ply"] > 0
        state = page.state_when(lambda state: state["choices"] is not None or state["view"]["over"])
    record = Record.from_line(client.get(f"/api/kept/{state['id']}/record").text)
    assert record.verify().winner == state["view"]["winner"] == record.winner
    assert record.players == ("human", "greedy")
    sides = [entry["side"] for entry in page.ask("join", game_id=state["id"])["state"]["moves"]]
    assert set(sides) == {0, 1}
    assert len(sides) == len(record.moves)


def test_updates_of_a_game_contain_only_what_is_new(page: Live) -> None:
    state = page.new("tubstap", "duel", HUMAN, HUMAN)
    known: dict[str, list[Any]] = {"moves": [], "values": [None]}
    for ply in range(12):
        before, choices = state, state["choices"]["moves"]
        page.ask("move", game_id=state["id"], ply=ply, move=choices[-1][:4])
        state = page.state_when(lambda _: True)
        assert state["since"] == ply
        assert "ground" not in state
        assert len(state["moves"]) == 1
        known = {key: [*known[key][:ply], *state[key]] for key in ("moves", "values")}
        if ply == 5:
            page.ask("undo", game_id=state["id"])
            undone = page.state_when(lambda _: True)
            assert (undone["since"], undone["moves"], undone["values"]) == (5, [], [None])
            assert undone["choices"] == before["choices"]
            page.ask("move", game_id=state["id"], ply=ply, move=choices[-1][:4])
            assert page.state_when(lambda _: True) == state
    whole = page.ask("join", game_id=state["id"])["state"]
    assert {key: whole[key] for key in known} == known
    assert whole["ground"]["width"] == 10


def test_forecasts_of_attacks_match_their_results(page: Live) -> None:
    state = page.new("tubstap", "kimura-map01", HUMAN, HUMAN)
    for _ in range(40):
        attacks = [move for move in state["choices"]["moves"] if move[3] != -1]
        chosen = (attacks or state["choices"]["moves"])[-1]
        hp = {unit["id"]: unit["hp"] for unit in state["view"]["board"]["units"]}
        page.ask("move", game_id=state["id"], ply=state["view"]["ply"], move=chosen[:4])
        state = page.state_when(lambda _: True)
        if attacks:
            left = {unit["id"]: unit["hp"] for unit in state["view"]["board"]["units"]}
            assert hp[chosen[3]] - left.get(chosen[3], 0) == chosen[4]
            assert hp[chosen[0]] - left.get(chosen[0], 0) == chosen[5]
            return
    pytest.fail("nobody attacked")


def test_two_people_at_one_screen_give_orders_in_turn(page: Live) -> None:
    state = page.new("conquest", "simple", HUMAN, HUMAN, seed=3)
    own = [[t for t, owner in enumerate(state["view"]["board"]["owner"]) if owner == side] for side in (0, 1)]
    too_many = page.ask("move", game_id=state["id"], ply=0, side=0, move=[[own[0][0], 99]])
    assert "deploys 99 armies and has an income of 5" in too_many
    assert page.ask("move", game_id=state["id"], ply=0, side=0, move=[[own[0][0], 5]]) == {"ply": 0}
    assert page.ask("join", game_id=state["id"])["state"]["pending"] == [0]
    assert page.ask("undo", game_id=state["id"]) == {"ply": 0}
    assert page.ask("join", game_id=state["id"])["state"]["pending"] == []
    for side in (1, 0):
        page.ask("move", game_id=state["id"], ply=0, side=side, move=[[own[side][0], 5]])
    played = page.wait(lambda event: event["event"] == "game" and event["played"] != [])
    assert played["state"]["view"]["ply"] == 1
    assert [step["deploy"] for step in played["played"][0]["steps"]] == [[0, own[0][0], 5], [1, own[1][0], 5]]
    armies = played["state"]["view"]["board"]["armies"]
    assert all(armies[own[side][0]] == state["view"]["board"]["armies"][own[side][0]] + 5 for side in (0, 1))


def test_steps_of_a_conquest_turn_add_up() -> None:
    game = st.game("conquest")
    page = game.part("page")
    for seed in range(10):
        state = st.conquest.load("italy").start(seed)
        for turn in range(12):
            if state.over:
                break
            before, owner, armies = state.copy(), state.owner, state.armies
            moves = [state.random_move(side, 100 * seed + turn) for side in (0, 1)]
            kept = game.advance(state, moves, st.Rng(turn, "test"))
            for step in page.steps(before, kept):
                if "deploy" in step:
                    armies[step["deploy"][1]] += step["deploy"][2]
                    continue
                (side, source, target, marching), losses = step["march"], step["losses"]
                if step["captured"]:
                    armies[source] -= marching
                    owner[target], armies[target] = side, marching - losses[0]
                elif owner[target] == side:
                    armies[source] -= marching
                    armies[target] += marching
                else:
                    armies[source] -= losses[0]
                    armies[target] -= losses[1]
            assert (owner, armies) == (state.owner, state.armies)


def test_undo_takes_back_moves_of_the_current_turn_only(page: Live) -> None:
    state = page.new("tubstap", "duel", HUMAN, level("sergeant"))
    id, units = state["id"], state["view"]["board"]["units"]
    assert page.ask("undo", game_id=id) == "there is nothing to undo in this turn"
    page.ask("move", game_id=id, ply=0, move=state["choices"]["moves"][0][:4])
    assert page.ask("move", game_id=id, ply=0, move=None) == "the move is for ply 0, but the game is at ply 1"
    assert page.ask("undo", game_id=id) == {"ply": 0}
    assert page.ask("join", game_id=id)["state"]["view"]["board"]["units"] == units
    page.ask("move", game_id=id, ply=0, move=None)
    state = page.state_when(lambda state: state["view"]["ply"] > 1 and state["choices"] is not None)
    assert not state["can_undo"]
    assert page.ask("undo", game_id=id) == "there is nothing to undo in this turn"


def test_resigning_ends_the_game_and_its_record_says_so(client: TestClient, page: Live) -> None:
    state = page.new("tubstap", "ford", HUMAN, level("sergeant"))
    assert page.ask("resign", game_id=state["id"], side=1) == "Blue is not played by a person"
    page.ask("resign", game_id=state["id"], side=0)
    view = page.state_when(lambda state: state["view"]["over"])["view"]
    assert (view["winner"], view["reason"]) == (1, "surrender")
    assert page.ask("move", game_id=state["id"], ply=0, move=None) == "the game is over"
    assert Record.from_line(client.get(f"/api/kept/{state['id']}/record").text).verify().turn == 0


def test_a_game_can_be_saved_from_its_replay_when_it_is_over(client: TestClient, page: Live) -> None:
    id = page.new("tubstap", "duel", HUMAN, HUMAN)["id"]
    assert client.get(f"/api/replays/{id}").json()["can_save"] is False
    page.ask("resign", game_id=id, side=0)
    assert client.get(f"/api/replays/{id}").json()["can_save"] is True
    line = client.get(f"/api/kept/{id}/record").text
    (sent,) = client.post("/api/records", content=line).json()["replays"]
    assert "can_save" not in client.get(f"/api/replays/{sent['id']}").json()  # its sender has it already


def test_a_game_of_two_programs_is_watched_and_replayed(client: TestClient, page: Live) -> None:
    state = page.new("tubstap", "duel", uct(20), level("sergeant"), seed=5)
    end = page.state_when(lambda state: state["view"]["over"])
    replay = client.get(f"/api/replays/{state['id']}").json()
    assert len(replay["views"]) == len(replay["values"]) == end["view"]["ply"] + 1
    assert replay["views"][-1]["board"] == end["view"]["board"]
    assert replay["winner"] == end["view"]["winner"]
    assert [value is not None for value in replay["values"]] == [
        not view["movers"] or view["movers"][0] == 0 for view in replay["views"]
    ]
    assert replay["values"][-1] == {0: 1.0, 1: -1.0, None: 0.0}[replay["winner"]]
    record = client.get(f"/api/kept/{state['id']}/record").text
    (again,) = client.post("/api/records", content=record).json()["replays"]
    assert client.get(f"/api/replays/{again['id']}").json()["views"] == replay["views"]


def test_a_restarted_server_has_the_games_as_they_were(tmp_path: Path) -> None:
    def shown(client: TestClient, id: str) -> Any:
        with live(client) as page:
            state = page.ask("join", game_id=id)["state"]
            asked = any(one["kind"] != "human" for one in state["sides"]) and state["view"]["movers"] == [0, 1]
            if asked and not state["pending"]:  # a player that moves at the same time as a person has not answered yet
                page.state_when(lambda state: state["pending"] == [1])
                state = page.ask("join", game_id=id)["state"]  # the whole state: updates contain only what is new
            return state

    ids = []
    with serving(tmp_path / "games.sqlite") as client, live(client) as page:
        state = page.new("tubstap", "ford", HUMAN, level("sergeant"))
        page.ask("move", game_id=state["id"], ply=0, move=None)
        page.state_when(lambda state: state["choices"] is not None)
        ids.append(state["id"])
        state = page.new("conquest", "italy", HUMAN, HUMAN, seed=1)
        territory = state["view"]["board"]["owner"].index(0)
        page.ask("move", game_id=state["id"], ply=0, side=0, move=[[territory, 5]])
        ids.append(state["id"])
        state = page.new("goofspiel", "four", HUMAN, uct(10) | {"player": "regret"})
        ids.append(state["id"])
        before = [shown(client, id) for id in ids]
    with serving(tmp_path / "games.sqlite") as client:
        assert [shown(client, id) | {"thinking": None} for id in ids] == [one | {"thinking": None} for one in before]
        assert {one["id"] for one in client.get("/api/kept").json()} == set(ids)


def test_a_game_written_in_python_is_played_by_its_list_of_moves(client: TestClient, page: Live) -> None:
    (listed,) = [one for one in client.get("/api/games").json() if one["name"] == "goofspiel"]
    assert not listed["has_board"]
    assert listed["simultaneous"]
    assert len(listed["levels"]) >= 6
    state = page.new("goofspiel", "four", HUMAN, level("random"))
    assert state["ground"] is None
    assert state["view"]["svg"].startswith("<svg")
    while not state["view"]["over"]:
        assert state["choices"]["moves"][0]["sentence"]
        page.ask("move", game_id=state["id"], ply=state["view"]["ply"], move=0)
        ply = state["view"]["ply"]
        state = page.state_when(lambda state, ply=ply: state["view"]["ply"] > ply)  # type: ignore[misc]
    assert Record.from_line(client.get(f"/api/kept/{state['id']}/record").text).verify().over


def test_maps_are_listed_drawn_generated_and_sent(client: TestClient, page: Live) -> None:
    for listed in client.get("/api/games").json():
        for map in listed["maps"]:
            picture = client.get(f"/api/maps/{listed['name']}/{map['id']}.svg")
            assert picture.headers["content-type"].startswith("image/svg+xml")
            assert picture.text.startswith("<svg")
        for generator in listed["generators"]:
            options = {one["name"]: one["high"] for one in generator["options"]}
            asked = {"game": listed["name"], "generator": generator["name"], "options": options, "seed": 7}
            made = client.post("/api/maps/generate", json=asked).json()
            assert page.new(listed["name"], made["id"], HUMAN, HUMAN)["map"]["id"] == made["id"]
    text = st.game("tubstap").format(st.tubstap.load("ford"))
    sent = client.post("/api/maps", content=text).json()
    assert (sent["game"], sent["size"]) == ("tubstap", "10x10, 6 v 6")
    assert page.new("tubstap", sent["id"], HUMAN, HUMAN)["view"]["board"]["units"]
    land = client.post("/api/maps", content=st.game("conquest").format(st.conquest.load("italy"))).json()
    assert land["game"] == "conquest"


@pytest.mark.parametrize(
    "spec", ["bot(command='touch ran')", "os:system", "tempered(player='bot(command=\"touch ran\")')"]
)
def test_a_kept_game_whose_player_would_run_code_is_refused(spec: str, tmp_path: Path) -> None:
    """A foreign store may name players that the page never offers."""
    game = st.game("tubstap")
    start = game.start(game.load("duel"))
    seats = [Seat("human", "You")._asdict(), Seat("player", "Level", spec)._asdict()]
    kept = KeptGame("0", game.name, game.version, "duel", "duel", 1, seats, {}, 0.0, False, None, None)
    kept = kept._replace(start=json.loads(json_fields.to_json(game.start_fields(start))))
    with GameStore(tmp_path / "games.sqlite") as store, pytest.raises(st.PlayerError, match="would run code"):
        GameInPlay.again(store, game, kept)


def test_a_store_of_the_page_is_distinguished_from_one_of_a_tournament(tmp_path: Path) -> None:
    page, cup = tmp_path / "page.sqlite", tmp_path / "cup.sqlite"
    GameStore(page).__exit__()
    for words in (("show", page), ("games", page), ("ratings", page), ("games", "export", page)):
        assert f"the games of the page, not of a tournament: open it with `sandtable play --store {page}`" in (
            sandtable(*words, code=2).stderr
        )
    Store(cup).__exit__()
    with pytest.raises(
        SandtableError, match="this file holds the games of a tournament; the page needs a separate file"
    ):
        GameStore(cup)


def test_a_removed_game_cannot_be_opened(client: TestClient, page: Live) -> None:
    kept, removed = (page.new("tubstap", "duel", HUMAN, HUMAN)["id"] for _ in range(2))
    for id in (kept, removed):
        assert page.ask("move", game_id=id, ply=0, move=None) == {"ply": 1}
    assert client.delete(f"/api/kept/{removed}").json() == {}
    listed = [one["id"] for one in client.get("/api/kept").json()]
    assert kept in listed
    assert removed not in listed
    assert "there is no game" in page.ask("join", game_id=removed)
    assert "there is no game" in page.ask("move", game_id=removed, ply=1, move=None)
    assert client.get(f"/api/replays/{removed}").status_code == 404
    assert client.delete(f"/api/kept/{removed}").status_code == 404
    assert client.delete(f"/api/kept/{kept}", headers={"origin": "http://evil.example"}).status_code == 403
    assert page.ask("join", game_id=kept)["state"]["view"]["ply"] == 1
