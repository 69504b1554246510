from __future__ import annotations

import json
import math
import sys

import pytest
import typer
from tests.train.pretended import pretend as pretended
from tests.train.trainings import write_tables
from tests.train.writers import key
from typer.testing import CliRunner

from allpass.cli.sweep import sweep
from allpass.errors import InputError, MissingExtraError, UnknownNameError
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store
from allpass.train.space import read_space

QUICK = ("--count", "2", "--epochs", "3")


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    app = typer.Typer()
    app.command()(sweep)

    def inside(*words):
        found = CliRunner().invoke(app, ["example-bipartite", *words])
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        return found

    return inside


@pytest.fixture
def pretend(monkeypatch):
    """In place of training, runs whose validation and test scores are these functions of the settings."""

    def inside(val=lambda s: 0.5, test=lambda s: 0.5, status=lambda s: "done"):
        return pretended(
            monkeypatch,
            lambda chosen, split, seed: (val(chosen), 0.25, test(chosen) + split / 100),
            lambda run: status(run[0]),
        )

    return inside


def test_a_sweep_and_the_same_again(call, tmp_path):
    words = (
        "--model",
        "mlp-2",
        "--grid",
        "--set",
        "lr=0.01,0.1",
        "--set",
        "weight_decay=0",
        "--set",
        "dropout=0",
        *QUICK,
    )
    first = json.loads(call(*words, "--json").stdout)
    assert (first["model"], first["search"], first["trained"], first["read"]) == ("mlp-2", "grid", 4, 0)
    assert [trial["settings"]["lr"] for trial in first["trials"]] == [0.01, 0.1]
    assert first["chosen"] in first["trials"]
    with Store(tmp_path / "runs.db", read_only=True) as store:
        runs = list(store.runs())
    assert {run.key.protocol["scaling"] for run in runs} == {"auto"}
    assert {run.epochs for run in runs} == {3}
    again = json.loads(call(*words, "--json").stdout)
    assert (again.pop("trained"), again.pop("read")) == (0, 4)
    assert again.items() <= first.items()


def test_what_is_shown(call, pretend):
    pretend(val=lambda s: 1 - s["lr"], test=lambda s: 0.5 + s["lr"])
    out = call("--model", "gcn", "--grid", "--set", "dropout=0.5", "--count", "3", "--no-early-stop").stdout
    lines = out.splitlines()
    assert lines[0] == "gcn on example-bipartite, 3 splits of 33/33/33%"
    assert lines[1] == "27 choices of settings by the search 'grid': 81 runs trained, 0 read from runs.db"
    assert lines[3].split() == ["validation", "loss", "lr", "weight_decay"]  # the dropout never changed
    assert lines[4].split() == ["99.0%", "0.25", "0.01", "0.0"]
    assert "and 19 more; --json has all" in lines
    assert (
        "Chosen by validation: test accuracy 52.0%, 95% interval over splits of this graph 49.5% to 54.5%"
        in lines
    )
    assert "Choosing by the test nodes would have claimed 61.0%: an optimism of 9.0 points." in lines
    assert "Diverged" not in out
    words = lines[-1].partition(" --set ")[2].split(" --set ")
    assert read_space(words, "gcn") == {"lr": (0.01,), "weight_decay": (0.0,), "dropout": (0.5,)}


def test_other_scores_and_diverged_runs(call, pretend):
    pretend(test=lambda s: s["lr"], status=lambda s: "diverged" if s["lr"] == 0.1 else "done")
    out = call("--model", "gcn", "--set", "lr=0.1,0.05", "--score", "macro_f1", "--count", "1").stdout
    assert "1 split of 33/33/33%\n" in out
    assert "test macro f1 5.0%\n" in out  # of one split there is no interval
    assert "claimed no more" in out
    assert "Diverged, and counted as the worst: 15 runs" in out
    pretend(test=lambda s: math.nan)
    assert "test accuracy undefined\n" in call("--model", "gcn", "--trials", "2").stdout


def test_errors_say_their_unit(call, pretend, tmp_path):
    pretend()
    app = typer.Typer()
    app.command()(sweep)
    tables = write_tables(tmp_path / "tables", label=lambda i: i + 0.5)
    words = [str(tables), "--task", "regression", "--score", "mae", "--trials", "2", "--count", "2"]
    out = CliRunner().invoke(app, words).stdout
    assert "sage on tables, 2 splits" in out
    assert ", in standard deviations of the label Choosing" in " ".join(out.split())


def test_which_settings_are_tried(call, pretend):
    asked = pretend()
    call("--model", "gcn")
    assert len(asked) == 30
    first, asked = asked, pretend()
    call("--model", "gcn", "--trials", "7")
    assert asked == first[:7]
    asked = pretend()
    call("--model", "gcn", "--trials", "7", "--seed", "1")
    assert asked != first[:7]
    asked = pretend()
    call(
        "--model", "mixhop", "--grid", "--set", "powers=0+1,1+2", "--set", "lr=0.1", "--set", "dropout=0:0.9"
    )
    assert len(asked) == 9 * 10 * 2
    assert asked[0].items() >= {"lr": 0.1, "weight_decay": 0.0, "dropout": 0.0, "powers": (0, 1)}.items()


def test_by_optuna(call, pretend, monkeypatch):
    pytest.importorskip("optuna")
    asked = pretend(val=lambda s: s["dropout"])
    out = call("--model", "gcn", "--search", "optuna", "--trials", "12").stdout
    assert len(asked) == 12
    assert "by the search 'optuna'" in out
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match="pip install"):
        call("--search", "optuna")


def test_stopped_by_ctrl_c(call, monkeypatch, tmp_path):
    def interrupted(*_, store, **__):
        store.add(Run(key=key(0)))
        raise KeyboardInterrupt

    monkeypatch.setattr("allpass.train.halving.obtain", interrupted)
    found = call("--store", "mine.db")
    assert found.exit_code == 130
    assert found.stderr == "Stopped. mine.db holds 1 run in all; the same command goes on from there.\n"
    assert found.stdout == ""
    with Store(tmp_path / "mine.db", read_only=True) as store:
        assert len(store) == 1


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (("--grid", "--trials", "3"), InputError, "Leave out --grid"),
        (("--grid", "--search", "optuna"), InputError, "Leave out --grid"),
        (("--search", "opptuna"), UnknownNameError, "Did you mean 'optuna'"),
        (("--trials", "0"), InputError, "trials"),
        (("--model", "gcm"), UnknownNameError, "Did you mean"),
        (("--set", "droput=1"), UnknownNameError, "Did you mean"),
        (("--splits", "randon"), UnknownNameError, "Did you mean 'random'"),
        (("--epochs", "0"), InputError, "Got epochs=0"),
        (("--class-weight", "even"), InputError, "Got class_weight='even'"),
    ],
)
def test_wrong_words(call, words, kind, message):
    with pytest.raises(kind, match=message):
        call(*words)


def test_networks_that_read_labels_are_tried_and_named(call, pretend):
    asked = pretend()
    out = call("--model", "gcn", "--trials", "2", "--label-input").stdout
    assert [settings["label_input"] for settings in asked] == [True, True]
    assert "--set label_input=True" in out.splitlines()[-1]
    pretend()
    assert "label_input" not in call("--model", "gcn", "--trials", "2").stdout


def test_no_interval_of_two_splits_and_none_beyond_what_a_score_can_be(call, pretend):
    pretend(test=lambda s: 0.98)
    words = ("--model", "gcn", "--trials", "1")
    assert "interval" not in call(*words, "--count", "2").stdout
    assert " to 100.0%" in call(*words, "--count", "3").stdout


def test_how_many_were_stopped_is_shown(call, pretend):
    pretend(val=lambda s: s["lr"], test=lambda s: s["lr"])
    out = call(
        "--model", "gcn", "--set", "lr=0.01:0.1", "--set", "weight_decay=0", "--set", "dropout=0.5"
    ).stdout
    assert "Stopped as hopeless after a few splits: 6 of 10 (--no-early-stop trains all of them" in " ".join(
        out.split()
    )
    heading = next(line.split() for line in out.splitlines() if line.startswith("validation"))
    assert heading == ["validation", "loss", "splits", "lr"]
    found = json.loads(
        call("--model", "gcn", "--set", "lr=0.01:0.1", "--set", "weight_decay=0", "--json").stdout
    )
    assert found["stopped"] == sum(trial["stopped"] for trial in found["trials"]) > 0
