"""Games exported as a data set of columns, and read back."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sandtable as st
from sandtable.arena import dataset
from sandtable.errors import RecordError
from support.commands import sandtable


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of records of both games."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    ford, simple = st.load("ford"), st.load("simple")
    games = [st.play(ford, "greedy", "random", seed=seed) for seed in (1, 2)]
    games.append(st.play(simple, "flow", "random", seed=3))
    path.write_text("".join(game.to_line() + "\n" for game in games))
    return path


def test_a_data_set_gives_back_its_records(records: Path, tmp_path: Path) -> None:
    done = sandtable("dataset", "export", records, "--out", tmp_path / "data", "--format", "parquet")
    assert done.stdout.startswith("3 games, ")
    back = tmp_path / "back.jsonl"
    sandtable("dataset", "records", tmp_path / "data", "--out", back)
    assert back.read_bytes() == records.read_bytes()
    assert [one.to_line() for one in dataset.read(tmp_path / "data")] == records.read_text().splitlines()


def test_every_decision_is_a_row(records: Path, tmp_path: Path) -> None:
    made = dataset.export(records, tmp_path)
    games = pq.read_table(tmp_path / "games.parquet").to_pylist()
    rows = pq.read_table(tmp_path / "positions.parquet").to_pylist()
    assert (made.games, made.positions, made.analyses) == (3, len(rows), 0)
    assert not (tmp_path / "analyses.parquet").exists()
    for game, record in zip(games, dataset.read(tmp_path), strict=True):
        assert (game["game_id"], game["player0"], game["seed"]) == (record.digest, record.players[0], record.seed)
        own = [row for row in rows if row["game_id"] == game["game_id"]]
        assert len(own) == game["decisions"] == len(record.moves)
        assert [row["ply"] for row in own] == list(range(len(own)))
        assert [row["hash"] for row in own] == [state.hash() for state in record.states()][:-1]
        assert {row["result"] for row in own} == {0 if record.winner is None else 1 - 2 * record.winner}
        assert {row["side"] for row in own} == ({-1} if record.game == "conquest" else {0, 1})
    results = pq.read_table(tmp_path / "results.parquet").to_pylist()
    assert sum(row["games"] for row in results) == 3
    assert all(row["games"] == row["wins"] + row["losses"] + row["draws"] for row in results)


def test_every_nth_position_can_be_analysed(records: Path, tmp_path: Path) -> None:
    only = tmp_path / "one.jsonl"
    only.write_text(records.read_text().splitlines()[0] + "\n")
    made = dataset.export(only, tmp_path / "data", analyse="uct(simulations=5)", every=25)
    rows = pq.read_table(tmp_path / "data/analyses.parquet").to_pylist()
    assert len(rows) == made.analyses == -(-made.positions // 25)
    assert [row["ply"] for row in rows] == list(range(0, made.positions, 25))
    for row in rows:
        assert -1 <= row["value"] <= 1
        assert len(row["moves"]) == len(row["visits"]) == len(row["values"]) > 0
        assert row["player"] == "uct(simulations=5)"
    again = dataset.export(only, tmp_path / "again", analyse="uct(simulations=5)", every=25)
    assert again == made
    for name in dataset.TABLES:
        files = [(tmp_path / folder / f"{name}.parquet").read_bytes() for folder in ("data", "again")]
        assert files[0] == files[1]


def test_a_store_is_exported_with_a_card_that_describes_it(tmp_path: Path) -> None:
    sandtable("match", "greedy", "random", "--map", "duel", "--games", 2, "--store", "cup.sqlite", cwd=tmp_path)
    sandtable("dataset", "export", "cup.sqlite", "--out", "data", cwd=tmp_path)
    card = (tmp_path / "data/README.md").read_text()
    for said in (
        "Games of tubstap",
        "maps: duel",
        "`greedy`, `random`",
        "Apache-2.0",
        "games.parquet: 2 rows",
        "SHA-256",
    ):
        assert said in card
    for columns in dataset.TABLES["games"]:
        assert f"| `{columns[0]}` | {columns[1]} | {columns[2]} |" in card


def test_an_invalid_data_set_or_record_gets_a_one_line_error(records: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"there is no such file; a data set is a folder that contains it$"):
        list(dataset.read(tmp_path))
    (tmp_path / "games.parquet").write_bytes(b"PAR1 but nothing more PAR1")
    with pytest.raises(RecordError, match="not the table of games of a data set"):
        list(dataset.read(tmp_path))
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text(records.read_text().replace('"winner":0', '"winner":1').replace('"winner":null', '"winner":0'))
    with pytest.raises(RecordError, match=r"game 1: record: says winner"):
        dataset.export(damaged, tmp_path / "data")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2]),
        pa.array([None, "{}"]),
        pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"]).buffers()),
    ],
    ids=["numbers", "missing", "not UTF-8"],
)
def test_records_that_are_not_text_get_a_one_line_error(column: pa.Array, tmp_path: Path) -> None:
    pq.write_table(pa.table({"record": column}), tmp_path / "games.parquet")
    with pytest.raises(RecordError, match=r"games\.parquet: not the table of games of a data set: .+$"):
        list(dataset.read(tmp_path))


def test_many_equal_records_are_not_held_in_memory_at_once(tmp_path: Path) -> None:
    """The file is small; its records together would take a quarter of a gigabyte."""
    equal = pa.DictionaryArray.from_arrays(pa.array([0] * 1024, pa.int32()), pa.array(["x" * (1 << 18)]))
    pq.write_table(pa.table({"record": equal.cast(pa.string())}), tmp_path / "games.parquet")
    assert (tmp_path / "games.parquet").stat().st_size < 100_000
    usual, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.system_memory_pool())
    pa.set_memory_pool(pool)
    try:
        assert sum(1 for _ in dataset.lines(tmp_path)) == 1024
    finally:
        pa.set_memory_pool(usual)
    assert pool.max_memory() < 32_000_000


def test_analyses_of_an_earlier_export_are_removed(records: Path, tmp_path: Path) -> None:
    (tmp_path / "analyses.parquet").write_bytes(b"of other games")
    dataset.export(records, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "README.md",
        *(f"{name}.parquet" for name in dataset.TABLES if name != "analyses"),
    }


def test_the_shipped_sample_is_complete() -> None:
    sample = Path(__file__).parents[1] / "examples/dataset"
    assert sum(path.stat().st_size for path in sample.iterdir()) <= 2 * 2**20
    found = list(dataset.read(sample))
    assert len(found) == pq.read_metadata(sample / "games.parquet").num_rows > 0
    found[0].verify()
    found[-1].verify()
    rows = pq.read_table(sample / "positions.parquet", columns=["game_id", "ply", "hash"]).to_pylist()
    hashes = [
        {"game_id": record.digest, "ply": ply, "hash": state.hash()}
        for record in found
        for ply, state in zip(range(len(record.moves)), record.states(), strict=False)
    ]
    assert rows == hashes
