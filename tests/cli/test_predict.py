from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pytest
import torch
import typer
from tests.train.cards import to_version_1
from tests.train.trainings import drawn, graph, write_tables
from tests.train.weeks import keep, write_weeks
from typer.testing import CliRunner

from allpass import load_checkpoint
from allpass.cli.predict import predict
from allpass.cli.words import in_shell_words
from allpass.data import load, save_npz
from allpass.errors import InputError, MissingFileError
from allpass.sealed import CheckpointError
from allpass.train import checkpoint
from allpass.train.folds import train_folds
from allpass.train.given import divide
from allpass.train.rules.stopping import stopping
from allpass.train.scaling import Scaler

pytestmark = pytest.mark.usefixtures("unrecorded")


COLUMNS = ["id", "prediction", "probability", "labelled", "in_training"]


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(predict)

    def inside(*words):
        found = CliRunner().invoke(app, [str(word) for word in words])
        if found.exception is not None:
            raise found.exception
        return found.stdout

    return inside


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _kept(folder: Path, tables: Path, **options: str) -> Path:
    data = load(tables, **options)
    rule = stopping("fixed", max_epochs=40)
    (trained,) = train_folds("acm-gcn", data, divide(data, count=1), {"lr": 0.1, "dropout": 0.0}, stop=rule)
    return checkpoint.save(trained, folder)


@pytest.fixture
def old(tmp_path) -> Path:
    return write_tables(tmp_path / "old", label=lambda i: ("even", "odd")[i % 2])


@pytest.fixture
def kept(tmp_path, old) -> Path:
    return _kept(tmp_path / "kept", old)


def test_old_nodes_by_their_own_ids(call, kept, old):
    rows = _read(call(kept, old))
    assert [row["id"] for row in rows] == [f"n{i}" for i in range(40)]
    assert [row["prediction"] for row in rows] == ["even", "odd"] * 20
    assert all(0.5 < float(row["probability"]) <= 1 for row in rows)
    assert list(rows[0]) == COLUMNS
    assert {row["labelled"] for row in rows} == {"true"}
    assert [row["in_training"] == "true" for row in rows] == checkpoint.load(kept).sets.eq(1).tolist()


@pytest.fixture
def rare(tmp_path) -> tuple[Path, Path]:
    """A tenth of the nodes is 'bad', which is the first class by the alphabet."""
    tables = write_tables(tmp_path / "rare", 60, label=lambda i: ("good", "bad")[i % 10 == 0])
    return _kept(tmp_path / "kept-rare", tables), tables


def test_a_rare_class_is_predicted_from_a_threshold_on(call, rare):
    kept, tables = rare
    chosen = checkpoint.load(kept).threshold
    assert chosen.positive == 0
    rows = _read(call(kept, tables, "--probabilities"))
    for threshold, found in (
        (chosen.value, rows),
        (0.3, _read(call(kept, tables, "--probabilities", "--threshold", "0.3"))),
    ):
        for row in found:
            bad = float(row["p(bad)"])
            assert bad == pytest.approx(threshold, abs=1e-5) or (row["prediction"] == "bad") == (
                bad >= threshold
            )
            assert row["probability"] == row[f"p({row['prediction']})"]
        assert list(found[0]) == [*COLUMNS, "p(bad)", "p(good)"]
    assert {row["prediction"] for row in _read(call(kept, tables, "--threshold", "0"))} == {"bad"}


def test_a_threshold_is_a_probability_of_one_of_two_classes(call, rare, tmp_path):
    kept, tables = rare
    with pytest.raises(InputError, match=r"Got threshold=1\.5.*from 0 to 1"):
        call(kept, tables, "--threshold", "1.5")
    three = write_tables(tmp_path / "three", 60, label=lambda i: "abc"[i % 3])
    with pytest.raises(InputError, match="for a model of 3 classes"):
        call(_kept(tmp_path / "kept-three", three), three, "--threshold", "0.5")


def test_new_nodes_without_labels(call, kept, tmp_path):
    new = write_tables(tmp_path / "new", 12, label=None, first=100)
    assert call(kept, new, "-o", tmp_path / "out.csv") == f"{tmp_path / 'out.csv'}: 12 nodes\n"
    rows = _read((tmp_path / "out.csv").read_text())
    assert [row["id"] for row in rows] == [f"n{i}" for i in range(100, 112)]
    assert [row["prediction"] for row in rows] == ["even", "odd"] * 6


def test_a_new_table_may_hold_fewer_categories_and_new_ones(call, kept, tmp_path):
    new = write_tables(tmp_path / "new", 6, label=None)
    text = (new / "nodes.csv").read_text()
    (new / "nodes.csv").write_text(text.replace("blue", "red"))
    assert {row["prediction"] for row in _read(call(kept, new))} == {"even"}
    (new / "nodes.csv").write_text(text.replace("blue", "green"))
    assert {row["prediction"] for row in _read(call(kept, new))} <= {"even", "odd"}


def test_a_strange_table_has_the_same_numbers_in_python(call, kept, tmp_path):
    """An unseen colour, an empty size, a new column and no label, as the week after brings them."""
    rows = ["id,colour,size,shape", "a,green,1.5,round", "b,red,,flat", "c,,3,round"]
    (tmp_path / "nodes.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    trained = checkpoint.load(kept)
    data = load(tmp_path, encodings=trained.encodings)
    fill = next(encoding.fill for encoding in trained.encodings if encoding.column == "size")
    assert data.x.tolist() == [[1.5, 0, 0], [pytest.approx(fill), 0, 1], [3, 0, 0]]
    chances = trained.probabilities(data).tolist()
    for row, expected in zip(_read(call(kept, tmp_path, "--probabilities")), chances, strict=True):
        assert [float(row["p(even)"]), float(row["p(odd)"])] == pytest.approx(expected, rel=1e-5)


def test_a_checkpoint_of_an_older_version_reads_a_strange_table_too(kept, tmp_path):
    """Cards used to hold the kind of each column alone; the names of the features say the rest."""
    bare = [{"column": "size", "kind": "number"}, {"column": "colour", "kind": "category"}]
    newer = checkpoint.load(kept)
    older = checkpoint.load(to_version_1(kept, encodings=bare))
    assert older.encodings[1] == newer.encodings[1]
    assert older.encodings[0].fill == pytest.approx(newer.scaler.mean[0])
    new = write_tables(tmp_path / "new", 6, label=None)
    (new / "nodes.csv").write_text((new / "nodes.csv").read_text().replace("blue", "green"))
    tables = [load(new, label=False, encodings=one.encodings) for one in (older, newer)]
    assert torch.equal(older.outputs(tables[0]), newer.outputs(tables[1]))


def test_a_label_that_the_model_was_not_trained_on_is_refused(call, kept, old):
    with pytest.raises(
        InputError, match=r"^Got label='colour'; the model was trained on the label 'label'\."
    ):
        call(kept, old, "--label", "colour")


def test_what_is_said_of_a_node_with_a_gap_is_not_said_of_its_table(call, tmp_path):
    old = write_tables(tmp_path / "old", label=lambda i: ("even", "odd")[i % 2])
    text = (old / "nodes.csv").read_text().replace("n3,1.1,", "n3,,")
    (old / "nodes.csv").write_text(text)
    kept, told = _kept(tmp_path / "kept", old), set()
    for size in 1, 900:  # of the other nodes, which are no neighbours
        new = tmp_path / str(size)
        new.mkdir()
        rows = ["id,size,colour", "a,,red", f"b,{size},blue", f"c,{size},blue"]
        (new / "nodes.csv").write_text("\n".join(rows) + "\n")
        (new / "edges.csv").write_text("source,target\nb,c\n")
        told.add(call(kept, new, "--probabilities").splitlines()[1])
    assert len(told) == 1


def test_the_probability_of_every_class(call, kept, old):
    trained = checkpoint.load(kept)
    chances = trained.probabilities(load(old))
    for row, expected in zip(_read(call(kept, old, "--probabilities")), chances.tolist(), strict=True):
        assert [float(row["p(even)"]), float(row["p(odd)"])] == pytest.approx(expected, rel=1e-4)
        assert float(row["probability"]) == pytest.approx(max(expected), rel=1e-4)


def test_graphs_without_ids_and_names_go_by_numbers(call, tmp_path):
    data = graph()
    save_npz(data, tmp_path / "graph.npz")
    trained = drawn(data=data)
    rows = _read(call(checkpoint.save(trained, tmp_path / "kept"), tmp_path / "graph.npz"))
    assert [row["node"] for row in rows] == [str(i) for i in range(60)]
    assert [row["prediction"] for row in rows] == [str(c) for c in trained.predict(data)]


def test_numbers(call, tmp_path):
    old = write_tables(tmp_path / "old", label=lambda i: 1000 + i * 37 % 100 * 3.5)
    kept = _kept(tmp_path / "kept", old, task="regression")
    rows = _read(call(kept, old))  # what the labels are is known from the training
    assert rows == _read(call(kept, old, "--task", "regression"))
    assert list(rows[0]) == ["id", "prediction", "labelled", "in_training"]
    assert all(900 < float(row["prediction"]) < 1450 for row in rows)
    with pytest.raises(InputError, match="The model predicts numbers; they have no probabilities"):
        call(kept, old, "--probabilities")
    data = graph()
    save_npz(data, tmp_path / "graph.npz")
    several = checkpoint.save(drawn(data=data, task="regression", score="r2"), tmp_path / "several")
    heading = call(several, tmp_path / "graph.npz").splitlines()[0]
    assert heading == "node,prediction 0,prediction 1,prediction 2,labelled,in_training"


def test_wrong_words_are_told(call, kept, old, tmp_path):
    with pytest.raises(MissingFileError, match="'absent' does not exist"):
        call("absent", old)
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        call(old, old)
    with pytest.raises(InputError, match="Got 1,433 features; the model was trained on 3"):
        call(kept, "cora")
    with pytest.raises(InputError, match="does not exist"):
        call(kept, old, "-o", tmp_path / "absent" / "out.csv")
    with pytest.raises(InputError, match="Got label='klass'; the model was trained on the label 'label'"):
        call(kept, write_tables(tmp_path / "new", 6, label=None), "--label", "klass")


def _shop(folder: Path, first: int, nodes: int, *, label: bool) -> Path:
    """Customers whose class shows in the second of their visit and in one word of their note."""
    folder.mkdir()
    rows = []
    for i in range(first, first + nodes):
        word = ("likes tea and cake", "likes coffee and bread")[i % 2]
        rows.append(
            f"n{i},{i % 28 + 1:02d}/05/2024 10:00:0{i % 2},note {i % 7} says {word}"
            + f",{'ab'[i % 2]}" * label
        )
    (folder / "nodes.csv").write_text("\n".join(["id,visit,note" + ",label" * label, *rows]) + "\n")
    ends = [f"n{i},n{first + (i - first + 2) % nodes}" for i in range(first, first + nodes)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *ends]) + "\n")
    return folder


def test_dates_and_words_of_new_nodes_are_read_as_in_the_training(call, tmp_path):
    old = _shop(tmp_path / "old", 0, 60, label=True)
    data = load(old, text="note")
    assert data.x.dtype == torch.float64
    assert [encoding.kind for encoding in data.encodings] == ["date", "text", "id", "label"]
    rule = stopping("fixed", max_epochs=60)
    (trained,) = train_folds("mlp-2", data, divide(data, count=1), {"lr": 0.05, "dropout": 0.0}, stop=rule)
    kept = checkpoint.save(trained, tmp_path / "kept")
    found = checkpoint.load(kept)
    assert found.encodings == data.encodings
    few = _shop(
        tmp_path / "few", 100, 3, label=False
    )  # too few rows to tell days from months, or words from ids
    assert [row["prediction"] for row in _read(call(kept, few))] == ["a", "b", "a"]
    new = load(few, label=False, encodings=found.encodings)
    same = {name: column for column, name in enumerate(new.feature_names)}
    assert set(same) == set(data.feature_names)
    assert float(new.x[1, same["visit"]] - new.x[0, same["visit"]]) == 86_401
    with pytest.raises(
        InputError, match=r"'note' was not read with the words of the training.*encodings=trained\.enc"
    ):
        found.predict(load(few, label=False, text="note"))
    with pytest.raises(InputError, match="'note' was not read with the words of the training"):
        found.predict(load(few, label=False))


def test_seconds_survive_scaling(tmp_path):
    rows = [f"n{i},2024-05-01T10:{i // 2:02d}:{i % 2:02d},{'ab'[i % 2]}" for i in range(60)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,visit,label", *rows]) + "\n")
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"n{i},n{i + 1}\n" for i in range(59)))
    data = load(tmp_path)
    scaled = Scaler.of(data.x, "auto")(data.x).float()
    assert len(scaled.unique()) == 60


def test_next_week_in_the_shell_and_in_python(call, tmp_path):
    weeks = write_weeks(tmp_path)
    kept = keep("acm-gcn", load(weeks.old, drop="opened"), tmp_path / "kept")
    words = (kept, "--new", weeks.new, "--edges", weeks.links)
    rows = _read(call(*words, "--probabilities"))
    assert [row["id"] for row in rows] == weeks.new_ids
    assert {(row["labelled"], row["in_training"]) for row in rows} == {("false", "false")}
    trained = load_checkpoint(kept)
    expected = trained.probabilities(new=weeks.new, edges=weeks.links).tolist()
    for row, chances in zip(rows, expected, strict=True):
        assert [float(row["p(fraud)"]), float(row["p(legit)"])] == pytest.approx(chances, rel=1e-5)
    text = call(*words, "-o", "out.csv")
    assert text == "out.csv: 12 nodes\n"
    frame = trained.table(new=weeks.new, edges=weeks.links)
    pd.testing.assert_frame_equal(pd.read_csv("out.csv"), frame, check_dtype=False)


def test_without_a_target_the_graph_of_the_training_is_predicted(call, tmp_path):
    weeks = write_weeks(tmp_path)
    data = load(weeks.old)
    kept = keep("trees", data, tmp_path / "kept")
    rows = _read(call(kept))
    assert rows == _read(call(kept, weeks.old))
    assert [row["in_training"] == "true" for row in rows] == (checkpoint.load(kept).sets == 1).tolist()
    unlabelled = [name for name, y in zip(data.node_ids, data.y.tolist(), strict=True) if y < 0]
    assert [row["id"] for row in _read(call(kept, "--only-unlabelled"))] == unlabelled


def test_notes_about_new_nodes_and_the_flags_that_cure(call, tmp_path):
    weeks = write_weeks(tmp_path)
    kept = keep("mlp-2", load(weeks.old), tmp_path / "kept")
    app = typer.Typer()
    app.command()(predict)
    found = CliRunner().invoke(app, [str(kept), "--new", str(weeks.new), "--edges", str(weeks.links)])
    assert "1 value of 'country' did not occur in the training: 'XX'" in " ".join(found.stderr.split())
    with pytest.raises(InputError) as raised:
        call(kept, "--nodes", weeks.new, "--edges", weeks.links)
    assert "pass the node table with --new in place of --nodes" in in_shell_words(str(raised.value))
    with pytest.raises(InputError, match="Got label='country'; the model was trained on the label 'label'"):
        call(kept, "--label", "country")
