from __future__ import annotations

import pytest
import torch
import typer
from tests.train.trainings import drawn, graph
from typer.testing import CliRunner

from allpass.cli.export import export
from allpass.data import save_npz
from allpass.errors import InputError, MissingFileError
from allpass.train import checkpoint


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(export)

    def inside(*words):
        found = CliRunner().invoke(app, [str(word) for word in words])
        if found.exception is not None:
            raise found.exception
        return found.stdout

    return inside


def test_a_checkpoint_as_a_program(call, tmp_path):
    data = graph()
    save_npz(data, tmp_path / "graph.npz")
    trained = drawn("sgc-1", data=data)
    kept = checkpoint.save(trained, tmp_path / "kept")
    told = call(kept, "graph.npz", "-o", "sgc.pt2")
    assert told == "sgc.pt2: takes x, edge_index; the outputs are those of the model\n"
    found = torch.export.load("sgc.pt2").module()(data.x, data.edge_index)
    torch.testing.assert_close(found, trained.outputs(data), rtol=0, atol=1e-5)
    assert call(kept, "graph.npz", "--fixed-graph").startswith("model.pt2: takes x;")


def test_wrong_words_are_told(call, tmp_path):
    with pytest.raises(MissingFileError, match="'absent' does not exist"):
        call("absent", "cora")
    with pytest.raises(InputError, match=r"Expected one that ends in \.pt2"):
        call("absent", "cora", "-o", "model.onnx")
    kept = checkpoint.save(drawn("mlp-1"), tmp_path / "kept")
    with pytest.raises(InputError, match="Got 1,433 features; the model was trained on 5"):
        call(kept, "cora")


def test_the_learned_graph_as_a_table_and_as_a_page(call, tmp_path):
    data = graph()
    save_npz(data, tmp_path / "graph.npz")
    trained = drawn("adjacency-gcn", data=data, settings={"k1": 3, "k2": 2})
    kept = checkpoint.save(trained, tmp_path / "kept")
    told = call(kept, "graph.npz", "--learned-graph", "learned.csv")
    assert told.startswith("Learned graph: ")
    lines = (tmp_path / "learned.csv").read_text().splitlines()
    assert lines[0] == "source,target,weight,change"
    assert len(lines) > data.num_nodes
    call(kept, "graph.npz", "--learned-graph", "learned.html")
    assert (tmp_path / "learned.html").read_text().startswith("<!DOCTYPE html>")
    with pytest.raises(InputError, match=r"Expected a file that ends in \.csv or \.html"):
        call(kept, "graph.npz", "--learned-graph", "learned.txt")
    plain = checkpoint.save(drawn("sgc-1", data=data), tmp_path / "plain")
    with pytest.raises(InputError, match="'sgc-1' learns no graph"):
        call(plain, "graph.npz", "--learned-graph", "learned.csv")
