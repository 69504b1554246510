from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from allpass.cli.main import run as allpass
from allpass.rl import TabularMDP, Transitions

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> Call:
    monkeypatch.setenv("COLUMNS", "100")

    def inside(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            allpass(["rl", *map(str, words)])
        return int(stop.value.code or 0), *capsys.readouterr()

    return inside


def test_an_environment_is_solved(call: Call, tmp_path: Path) -> None:
    status, out, _ = call(
        "solve", "FrozenLake-v1", "--env-arg", "is_slippery=false", "--json", "-o", tmp_path / "values.csv"
    )
    assert status == 0
    found = json.loads(out)
    exact = TabularMDP.from_grid("S...\n.H.H\n...H\nH..G").optimal()
    assert found["states"] == 17
    assert found["converged"]
    assert found["start_value"] == pytest.approx(0.99**5) == pytest.approx(exact.values[0])
    frame = pd.read_csv(tmp_path / "values.csv")
    np.testing.assert_allclose(frame["value"], [row["value"] for row in found["values"]])


def test_a_grid_shows_its_policy(call: Call, tmp_path: Path) -> None:
    drawing = tmp_path / "maze.txt"
    drawing.write_text("S#G\n...\n")
    status, out, _ = call("solve", drawing, "--discount", "0.5")
    assert status == 0
    assert "↓#G" in out
    assert "→→↑" in out
    assert "worth 0.125" in out


def test_a_log_is_solved_as_its_environment(call: Call, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    status, out, _ = call("record", "allpass/Grid-v0", "--env-arg", "grid=S..G", "--steps", "400", "-o", log)
    assert status == 0
    assert "400 steps" in out
    values = {row["state"]: row["value"] for row in json.loads(call("solve", log, "--json")[1])["values"]}
    assert values[0] == pytest.approx(0.99**2)
    assert values[2] == pytest.approx(1)
    steps = Transitions.read(log)
    assert steps.terminated.any()
    named = call("solve", log, "--env-arg", "slip=0.1")
    assert named[0] == 2
    assert "slip" in named[2]


def test_bases_say_how_well_they_fit(call: Call, tmp_path: Path) -> None:
    status, out, _ = call("basis", "four-rooms", "--k", 12, "--discount", 0.95, "--json")
    found = json.loads(out)
    assert status == 0
    assert found["sizes"] == [1, 2, 4, 8, 12]
    for errors in found["errors"].values():
        assert errors[0] == pytest.approx(1)
        assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(errors))
    page = tmp_path / "page.html"
    status, out, _ = call("basis", "four-rooms", "--basis", "krylov", "--k", 8, "--html", page)
    assert status == 0
    assert "basis: krylov" in out
    assert "<svg" in page.read_text()


def test_a_page_has_the_pictures(call: Call, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert call("solve", "Taxi-v4", "--html", page)[0] == 0
    text = page.read_text()
    assert text.count("<svg") >= 2
    assert "data:image" not in text
    assert "Optimal values on the graph of states" in text


def test_a_potential_says_what_it_saves(call: Call, tmp_path: Path) -> None:
    words = ("potential", "four-rooms", "--seeds", 3, "--episodes", 12)
    table, shown = tmp_path / "phi.csv", tmp_path / "page.html"
    found = json.loads(call(*words, "--json", "-o", table, "--html", shown)[1])
    assert found["potential"] == "harmonic"
    assert found["interval"][0] <= found["saved"] <= found["interval"][1]
    assert found["fitted_after"] == [1, 6, 11]
    assert len(found["steps"]["none"]["mean"]) == 12
    frame = pd.read_csv(table)
    assert list(frame) == ["state", "after 1", "after 6", "after 11"]
    assert frame["after 11"].iloc[-1] == pytest.approx(1)  # the end, which the goal leads to
    assert "Learning curves" in shown.read_text()
    status, out, _ = call(*words)
    assert status == 0
    assert "Q-learning needs" in out
    assert "steps, harmonic" in out


def test_a_potential_of_a_log(call: Call, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    call("record", "allpass/Grid-v0", "--env-arg", "grid=S....G", "--steps", "400", "-o", log)
    found = json.loads(call("potential", log, "--potential", "best-path", "--episodes", 5, "--json")[1])
    assert found["states"] == 6


def test_transitions_of_an_environment(call: Call, tmp_path: Path) -> None:
    words = ("transitions", "one-way-doors", "--model", "rotate", "--set", "epochs=20", "--steps", 300)
    table, shown = tmp_path / "moves.csv", tmp_path / "page.html"
    found = json.loads(call(*words, "--json", "-o", table, "--html", shown)[1])
    assert found["steps"] == 300
    assert found["tried"] < found["pairs"]
    assert set(found["held_out"]) == {"rotate", "smoothing", "back-off", "neighbours", "inverse-rule"}
    assert found["curve"]["steps"][-1] == 300
    assert set(found["planning"]) == {"value_error", "regret"}
    frame = pd.read_csv(table)
    assert frame["seen"].sum() + len(found["predicted"]) == len(frame)
    assert "Embedding of the states" in shown.read_text()
    status, out, _ = call(*words)
    assert status == 0
    assert "are predicted" in out


def test_transitions_of_a_log(call: Call, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    call("record", "allpass/Grid-v0", "--env-arg", "grid=S....G", "--steps", "400", "-o", log)
    found = json.loads(call("transitions", log, "--model", "back-off", "--json")[1])
    assert (found["states"], found["steps"], found["planning"]) == (6, 400, {})
    assert call("transitions", log, "--model", "inverse-rule")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("transitions", "four-rooms", "--model", "rotat"), "Did you mean 'rotate'"),
        (("transitions", "four-rooms", "--model", "dihedral", "--set", "K=4.5"), "Got K=4.5"),
        (("transitions", "four-rooms", "--model", "quate", "--set", "dim=30"), "multiple of 4, such as 32"),
        (("transitions", "four-rooms", "--set", "dim"), "Write NAME=VALUE"),
        (("transitions", "four-rooms", "--model", "back-off", "--set", "dim=8"), "takes no options"),
        (("transitions", "four-rooms", "--held-out", "0.8"), "at most half"),
        (("transitions", "four-rooms", "--prior", "0"), "prior=0"),
        (("transitions", "MountainCar-v0"), "does not know its transitions"),
        (("transitions", "empty.csv"), "'empty.csv' is empty"),
        (("transitions", "names.csv"), "without a step"),
        (("solve", "FrozenLak-v1"), "Did you mean 'FrozenLake-v1'"),
        (("solve", "CartPole-v1"), "does not know its transitions"),
        (("solve", "nowhere.csv"), "no file 'nowhere.csv'"),
        (("solve", "four-rooms", "--env-arg", "slip"), "Expected NAME=VALUE"),
        (("solve", "four-rooms", "--env-arg", "discount=0.5"), "Pass the discount as --discount"),
        (("solve", "four-room"), "Did you mean 'four-rooms'"),
        (("solve", "endless.txt", "--discount", "1"), "discount=1 for a process without a terminal state"),
        (("solve", "closed.txt"), "No goal of the grid can be reached"),
        (("solve", "empty.csv"), "'empty.csv' is empty"),
        (("solve", "nan.csv"), "Row 1 of the log has no reward"),
        (("potential", "four-rooms", "--potential", "gnc"), "Did you mean 'gcn'"),
        (("basis", "MountainCar-v0"), "does not know its transitions"),
        (("solve", "four-rooms", "--method", "guess"), "method='guess'"),
        (("basis", "four-rooms", "--basis", "krilov"), "Did you mean 'krylov'"),
        (("potential", "four-rooms", "--potential", "harmonik"), "Did you mean 'harmonic'"),
        (
            ("potential", "four-rooms", "--max-steps", 50),
            "a larger --max-steps, or cut episodes",
        ),
        (("potential", "four-rooms", "--env-arg", "slp=0.1"), "Did you mean 'slip'"),
        (("potential", "four-rooms", "--env-arg", "slip=much"), "slip='much'"),
        (("record", "MountainCar-v0", "-o", "steps.csv", "--policy", "best"), "policy='best'"),
        (("record", "FrozenLake-v1", "-o", "steps.xlsx", "--steps", "5"), "ends in .csv or .parquet"),
    ],
)
def test_wrong_input_is_one_sentence(
    call: Call, words: Any, message: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "endless.txt": "S..",
        "closed.txt": "S#G",
        "empty.csv": "",
        "names.csv": "state,action,reward,next_state\n",
        "nan.csv": "state,action,reward,next_state\n0,0,nan,1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    status, _, said = call(*words)
    assert status == 2
    assert message in said
    assert len(said.strip().splitlines()) == 1


def test_continuous_observations_become_cells(call: Call, tmp_path: Path) -> None:
    log = tmp_path / "cells.parquet"
    assert call("record", "MountainCar-v0", "--bins", 8, "--steps", 300, "-o", log)[0] == 0
    assert Transitions.read(log).tabular
    status, out, _ = call("record", "MountainCar-v0", "--steps", 300, "-o", log)
    assert status == 0
    assert out.endswith("record it with --bins.\n")
    status, _, said = call("solve", log)
    assert status == 2
    assert "states of the recording are vectors" in said
