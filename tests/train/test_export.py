from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from tests.train.trainings import drawn, graph

from allpass.errors import InputError, MissingFileError
from allpass.train.export import ExportError, check_path, export
from allpass.train.scaling import Scaler

ALONE = """
import json, sys, torch
card = {"card.json": ""}
program = torch.export.load(sys.argv[1], extra_files=card).module()
x, edge_index, expected = torch.load(sys.argv[2])
print(float((program(x, edge_index) - expected).abs().max()))
print("allpass" in sys.modules, json.loads(card["card.json"])["model"])
"""


@pytest.fixture(scope="module")
def data():
    return graph()


def test_a_program_gives_the_same_outputs_without_allpass_for_any_graph(data, tmp_path):
    trained, path = drawn("acm-gcn", data=data), tmp_path / "model.pt2"
    export(trained, data, path)
    large = graph(400, seed=1)
    torch.save((large.x, large.edge_index, trained.outputs(large)), tmp_path / "case.pt")
    words = [sys.executable, "-c", ALONE, str(path), str(tmp_path / "case.pt")]
    out = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert float(out[0]) < 1e-5
    assert out[1:] == ["False", "acm-gcn"]
    assert path.stat().st_size < 400_000  # the weights, and not the data
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["case.pt", "model.pt2"]
    program = torch.export.load(path).module()
    for nodes, edges in ((1, 0), (5, 0), (5, 1)):  # which torch may treat on their own
        few = copy.copy(data)
        few.x, few.num_nodes = data.x[:nodes], nodes
        few.edge_index = torch.zeros(2, edges, dtype=torch.long)
        torch.testing.assert_close(program(few.x, few.edge_index), trained.outputs(few), rtol=0, atol=1e-5)


def test_weights_loops_and_edges_given_twice_count_as_they_do_in_the_model(data, tmp_path):
    loaded = copy.copy(data)
    loaded.edge_index = torch.cat(
        [data.edge_index, data.edge_index[:, :9], torch.tensor([[3, 4], [3, 4]])], dim=1
    )
    loaded.edge_weight = torch.rand(loaded.edge_index.shape[1])
    trained = drawn(
        "gcn", data=data, scaling="rows", task="regression", units=Scaler("columns", (9.0,), (5.0,))
    )
    trained = replace(trained, undirected=False)  # edges as they come
    program = export(trained, loaded, tmp_path / "model.pt2").module()
    found = program(data.x, loaded.edge_index, loaded.edge_weight)
    torch.testing.assert_close(found, trained.outputs(loaded), rtol=0, atol=1e-4)


def test_a_model_bound_to_its_nodes_keeps_their_number(data, tmp_path):
    trained = replace(drawn("acm-gcn+", data=data), undirected=False)
    program = export(trained, data, tmp_path / "model.pt2").module()
    fewer = copy.copy(data)
    fewer.edge_index = data.edge_index[:, ::2]
    found = program(data.x, fewer.edge_index)
    torch.testing.assert_close(found, trained.outputs(fewer), rtol=0, atol=1e-5)


def test_a_graph_that_is_no_input_may_be_kept(data, tmp_path):
    trained, path = drawn("h2gcn", data=data), tmp_path / "model.pt2"
    with pytest.raises(ExportError, match=r"cannot write 'h2gcn' down: .*\. Pass fixed_graph=True\."):
        export(trained, data, path)
    assert list(tmp_path.iterdir()) == []
    program = export(trained, data, path, fixed_graph=True)
    assert program.graph_signature.user_inputs == ("x",)
    card = {"card.json": ""}
    found = torch.export.load(path, extra_files=card).module()(data.x)
    torch.testing.assert_close(found, trained.outputs(data), rtol=0, atol=1e-5)
    assert json.loads(card["card.json"])["in_channels"] == 5


def test_a_program_that_differs_is_not_written(data, tmp_path, monkeypatch):
    trained = drawn("mlp-1", data=data)
    true = trained.outputs(data)
    monkeypatch.setattr(type(trained), "outputs", lambda *_: true + 1e-3)
    with pytest.raises(ExportError, match="gives other outputs than the model; it was not written"):
        export(trained, data, tmp_path / "model.pt2")
    assert list(tmp_path.iterdir()) == []


def test_bad_paths_and_other_features_are_told_before_the_work(data, tmp_path):
    trained = drawn("mlp-1", data=data)
    with pytest.raises(InputError, match=r"Expected one that ends in \.pt2"):
        export(trained, data, tmp_path / "model.onnx")
    with pytest.raises(MissingFileError, match="There is no folder"):
        export(trained, data, tmp_path / "absent" / "model.pt2")
    os.mkfifo(tmp_path / "pipe.pt2")
    with pytest.raises(InputError, match="a named pipe, not a regular file"):
        check_path(tmp_path / "pipe.pt2")
    other = copy.copy(data)
    other.x = data.x[:, :3]
    with pytest.raises(InputError, match="Got 3 features; the model was trained on 5"):
        export(trained, other, tmp_path / "model.pt2")
