from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import typer
from tests.train.trainings import graph, write_tables
from typer.testing import CliRunner

from allpass.cli.train import _interval, train
from allpass.data import save_npz
from allpass.errors import AllpassError, InputError, UnknownNameError
from allpass.train import checkpoint

QUICK = ("--count", "3", "--epochs", "20")


@pytest.fixture
def call(tmp_path: Path, monkeypatch) -> Callable[..., str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    app = typer.Typer()
    app.command()(train)

    def inside(*words: object) -> str:
        found = CliRunner().invoke(app, [str(word) for word in words])
        if found.exception is not None:
            raise found.exception
        return found.stdout

    return inside


@pytest.fixture
def classes(tmp_path: Path) -> Path:
    return write_tables(tmp_path / "classes", label=lambda i: ("even", "odd")[i % 2])


def test_a_training_is_told_and_kept(call, classes):
    out = call(classes, "--set", "lr=0.1", "--set", "dropout=0", *QUICK, "-o", "kept")
    lines = out.splitlines()
    assert lines[0] == "acm-gcn on classes, 3 splits of 60/20/20%"
    assert lines[1].startswith(
        "test accuracy 100.0%, 95% interval over splits of this graph 100.0% to 100.0%"
    )
    assert "Kept: the model of the split stratified/" in out
    assert "(100.0%); on its test nodes 100.0%, epoch" in " ".join(out.split())
    assert ["even", "odd"] in [line.split() for line in lines]
    assert ["low", "high", "identity"] in [line.split() for line in lines]
    assert [line.split()[:2] for line in lines if line.startswith("layer")] == [
        ["layer", "1"],
        ["layer", "2"],
    ]
    assert lines[-1] == "Checkpoint: kept"
    trained = checkpoint.load("kept")
    assert trained.class_names == ("even", "odd")
    assert trained.settings["lr"] == 0.1


def test_the_same_as_json(call, classes):
    words = (classes, "--model", "gcn", *QUICK, "--scaling", "none", "--json")
    found = json.loads(call(*words))
    assert found["checkpoint"] == "classes-gcn"
    assert found["splits"] == ["stratified/0", "stratified/1", "stratified/2"]
    assert found["shares"] == "60/20/20"
    assert found["threshold"] == {"positive": 1, "value": None}
    assert found["mixing"] == []
    assert found["scaling"] == "none"
    kept = checkpoint.load("classes-gcn")
    assert found["kept"]["split"] == kept.split
    assert found["kept"]["val_score"] == kept.scores["val_score"]
    counts = np.array(found["confusion"]["counts"])
    assert found["confusion"]["classes"] == ["even", "odd"]
    assert counts.trace() / counts.sum() == pytest.approx(found["kept"]["test_score"])
    test = found["test"]["accuracy"]
    assert test["count"] == 3
    assert test["low"] <= test["mean"] <= test["high"]
    assert json.loads(call(*words)) == found  # the same seed, the same numbers, in the place of the old ones


def test_numbers_have_no_confusion(call, tmp_path):
    folder = write_tables(tmp_path / "numbers", label=lambda i: 1000 + (i * 37 % 100) * 3.5)
    words = (folder, "--task", "regression", "--model", "mlp-2", "--set", "dropout=0", "--set", "lr=0.05")
    out = call(*words, "--count", 2, "--epochs", 150, "-o", "kept")
    assert "test r2 0.9" in out
    assert "test mae " in out
    assert "Its test nodes" not in out
    found = json.loads(call(*words, *QUICK, "--score", "mae", "--json", "-o", "kept"))
    assert found["confusion"] is None
    assert list(found["test"]) == ["mae", "r2"]
    assert found["kept"]["test_score"] == pytest.approx(
        found["kept"]["test_loss"] ** 0.5, rel=0.5
    )  # in their unit
    assert checkpoint.load("kept").task == "regression"


def test_one_split_has_no_interval(call, classes):
    out = call(classes, "--model", "mlp-1", "--count", 1, "--epochs", 5)
    assert out.splitlines()[0].endswith(", 1 split of 60/20/20%")
    assert "interval" not in out.splitlines()[1]


def test_two_splits_have_no_interval_and_others_end_where_the_score_does():
    test = {"mean": 0.5, "low": -0.3, "high": 1.3, "count": 3}
    said = "50.0%, 95% interval over splits of this graph 0.0% to 100.0%"
    assert _interval("accuracy", test) == said
    assert _interval("accuracy", {**test, "count": 2}) == "50.0%"
    assert _interval("mae", test).endswith("0 to 1.3")  # an error has no upper end


@pytest.mark.parametrize(
    ("words", "error", "told"),
    [
        (
            ("--set", "lrr=0.1"),
            UnknownNameError,
            "no setting 'lrr' of the model 'acm-gcn'. Did you mean 'lr'",
        ),
        (("--set", "lr"), InputError, "Got the setting 'lr'. Write NAME=VALUE, such as lr=0.01."),
        (
            ("--set", "lr=0.1,0.2"),
            InputError,
            "Got 2 values of 'lr'. Pass one; `allpass sweep` tries several",
        ),
        (("--set", "lr=fast"), InputError, "Got lr = 'fast'"),
        (("--set", "dropout=2"), InputError, "dropout = 2"),
        (("--model", "acm-gnc"), UnknownNameError, "Did you mean 'acm-gcn'"),
        (("--count", "0"), InputError, "Got count=0"),
        (("--epochs", "0"), InputError, "Got epochs=0"),
        (("--splits", "rndom"), UnknownNameError, "Did you mean 'random'"),
        (("--splits", "geom-gcn"), InputError, "has no stored splits 'geom-gcn'"),
        (("--scaling", "row"), UnknownNameError, "Did you mean 'rows'"),
        (("--score", "r2"), InputError, "The score 'r2' is not for the task 'classification'"),
        (("--class-weight", "even"), InputError, "Got class_weight='even'"),
        (("-o", "absent/kept"), AllpassError, "There is no folder 'absent'"),
        (("-o", "classes"), InputError, "holds 'edges.csv', which a checkpoint does not"),
    ],
)
def test_wrong_words_are_told_and_nothing_is_written(call, classes, words, error, told):
    before = sorted(classes.parent.rglob("*"))
    with pytest.raises(error) as raised:
        call(classes, *QUICK, *words)
    assert told in str(raised.value)
    assert sorted(classes.parent.rglob("*")) == before


def test_many_classes_are_not_printed(call, tmp_path):
    folder = write_tables(tmp_path / "many", 80, label=lambda i: f"c{i % 13}")
    out = call(folder, "--model", "mlp-1", "--splits", "stratified", "--count", 1, "--epochs", 2)
    assert "The confusion table of 13 classes is too wide for here; --json has it." in out


def test_a_label_of_numbers_is_a_regression_without_being_asked(call, tmp_path):
    folder = write_tables(tmp_path / "numbers", label=lambda i: 1000 + (i * 37 % 100) * 3.5)
    found = json.loads(call(folder, *QUICK, "--json", "-o", "kept"))
    assert (found["task"], found["model"], found["score"]) == ("regression", "sage", "r2")
    classes = json.loads(
        call(write_tables(tmp_path / "few", label=lambda i: i % 3), *QUICK, "--json", "-o", "kept")
    )
    assert (classes["task"], classes["model"]) == ("classification", "acm-gcn")


def test_the_graph_is_kept_unless_told_otherwise(call, classes):
    call(classes, "--model", "mlp-1", *QUICK, "-o", "kept")
    assert checkpoint.load("kept").training_graph.num_nodes == 40
    assert len(list(Path("kept").iterdir())) == 3
    out = call(classes, "--model", "mlp-1", *QUICK, "-o", "kept", "--no-graph")
    assert out.splitlines()[-1] == "Checkpoint: kept, without the graph of the training"
    assert checkpoint.load("kept").graph is None
    assert len(list(Path("kept").iterdir())) == 2


def test_a_refit_learns_from_all_labels_and_the_card_says_so(call, classes):
    words = (classes, "--model", "gcn", *QUICK, "-o", "kept")
    plain = json.loads(call(*words, "--json"))
    card = json.loads(Path("kept/card.json").read_text())
    assert card["refit"] is False
    assert card["estimate"]["mean"] == plain["test"]["accuracy"]["mean"]
    again = json.loads(call(*words, "--json", "--refit"))
    assert again["test"] == plain["test"]  # of the splits, as before
    assert again["refit"]["nodes"] == 40
    card = json.loads(Path("kept/card.json").read_text())
    assert (card["refit"], card["split"], card["epoch"]) == (True, "all labels", again["refit"]["epochs"] - 1)
    assert card["estimate"]["mean"] == plain["test"]["accuracy"]["mean"]
    assert card["scores"]["test_score"] is None
    assert checkpoint.load("kept").sets.tolist() == [1] * 40
    told = " ".join(call(*words, "--refit").split())
    assert "Kept: a model trained on all 40 labelled nodes for" in told
    assert "No node is left to test it by" in told
    with pytest.raises(InputError, match="'correct-and-smooth' follows another model"):
        call(classes, "--model", "correct-and-smooth", *QUICK, "-o", "other", "--refit")
    assert not Path("other").exists()


def test_names_of_folders_come_from_names_of_graphs_as_slugs(call, tmp_path):
    data = graph()
    data.name = "../up"
    save_npz(data, tmp_path / "graph.npz")
    call("graph.npz", "--model", "mlp-1", *QUICK)
    assert checkpoint.load("up-mlp-1").model == "mlp-1"
    assert not list(tmp_path.parent.glob("up*"))
