from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.train.writers import key, run

from allpass.cli.main import run as allpass
from allpass.train.runs.store import Store


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("COLUMNS", "100")

    def inside(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            allpass(["store", *map(str, words)])
        return int(stop.value.code or 0), *capsys.readouterr()

    return inside


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store(tmp_path / "runs.db") as store:
        store.add_many([run(1, seconds=90), run(2, status="diverged"), run(3, key=key(3, dataset="[b]cora"))])
    return tmp_path / "runs.db"


def test_the_runs_counted(call, path):
    status, out, _ = call("list", path)
    lines = [line.split() for line in out.splitlines()]
    assert status == 0
    assert lines[0] == ["dataset", "model", "runs", "done", "diverged", "minutes", "last"]
    assert lines[1][:6] == ["[b]cora", "gcn", "1", "1", "0", "0.0"]
    assert lines[2][:6] == ["texas", "gcn", "2", "1", "1", "1.5"]


def test_every_run_as_json(call, path):
    _, out, _ = call("list", path, "--json")
    runs = json.loads(out)
    assert [found["epoch"] for found in runs] == [1, 2, 3]
    assert runs[0]["settings"] == {"lr": 0.01, "number": 1}
    assert runs[1]["status"] == "diverged"


@pytest.mark.parametrize("change", ["status = NULL", "ended = x'ff'", "model = x'ff'"])
def test_values_that_no_run_has(call, path, change):
    connection = sqlite3.connect(path, isolation_level=None)
    text = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'runs'").fetchone()[0]
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "UPDATE sqlite_master SET sql = ? WHERE name = 'runs'", (text.replace(" NOT NULL", ""),)
    )
    connection.close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"UPDATE runs SET {change}")
    connection.close()
    status, _, said = call("list", path)
    assert status == 2
    assert "is damaged: a run of" in said


def test_an_empty_store(call, tmp_path):
    Store(tmp_path / "runs.db").close()
    assert call("list", tmp_path / "runs.db")[:2] == (0, "The file holds no runs.\n")
    assert json.loads(call("list", tmp_path / "runs.db", "--json")[1]) == []


def test_stores_joined(call, path, tmp_path):
    with Store(tmp_path / "other.db") as other:
        other.add_many([run(1, scores={"test_score": 1.0}), run(2, status="diverged"), run(4)])
    status, out, _ = call("merge", tmp_path / "all.db", path, tmp_path / "other.db")
    assert status == 0
    first, second, conflict, last = out.splitlines()
    assert first.endswith("runs.db: 3 added, 0 already there, 0 with other numbers than those there")
    assert second.endswith("other.db: 1 added, 1 already there, 1 with other numbers than those there")
    assert key(1).identity in conflict
    assert last.endswith("all.db: 4 runs")
    with Store(tmp_path / "all.db") as joined:
        assert joined.get(key(1)).agrees(run(1))
        assert joined.get(key(2)).agrees(run(2, status="diverged"))


@pytest.mark.parametrize(
    ("differing", "more"), [(5, []), (6, ["  and 1 more"]), (1205, ["  and 1,200 more"])]
)
def test_five_runs_that_differ_are_named_and_the_others_counted(call, tmp_path, differing, more):
    for name, score in (("runs.db", 0.5), ("other.db", 1.0)):
        with Store(tmp_path / name) as store:
            store.add_many([run(number, scores={"test_score": score}) for number in range(differing)])
    _, out, _ = call("merge", tmp_path / "runs.db", tmp_path / "other.db")
    counted, *named, last = out.splitlines()
    assert f" {differing:,} with other numbers" in counted
    assert [line.split(", ")[-1] for line in named[:5]] == [key(number).identity for number in range(5)]
    assert named[5:] == more
    assert last.endswith(f"runs.db: {differing:,} runs")


def test_nothing_is_written_when_a_source_is_bad(call, path, tmp_path):
    (tmp_path / "text.db").write_text("hello")
    for bad in ("text.db", "absent.db"):
        status, out, err = call("merge", tmp_path / "all.db", path, tmp_path / bad)
        assert (status, out) == (2, "")
        assert err.startswith("allpass: ")
        assert bad in err
        assert len(err.splitlines()) == 1
    assert not (tmp_path / "all.db").exists()


def test_what_cannot_be_listed(call, tmp_path):
    assert "absent.db" in call("list", tmp_path / "absent.db")[2]
    assert "folder" in call("list", tmp_path)[2]
    assert call("list")[0] == 2
    assert call("merge", tmp_path / "a.db")[0] == 2


def test_help(call):
    for words in ([], ["-h"], ["list", "-h"], ["merge", "--help"]):
        _, out, err = call(*words)
        assert "store" in out + err
