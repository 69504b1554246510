"""`allpass compare` as a verb of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import typer
from torch_geometric.data import Data
from typer.testing import CliRunner

from allpass.cli.compare import compare
from allpass.data import save_npz
from allpass.errors import AllpassError
from allpass.train.runs.store import Store


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A ring of thirty nodes in two halves."""
    here = torch.arange(30)
    x = torch.randn(30, 4, generator=torch.Generator().manual_seed(0))
    edges = torch.stack([torch.cat([here, (here + 1) % 30]), torch.cat([(here + 1) % 30, here])])
    save_npz(Data(edge_index=edges, x=x, y=here // 15, num_nodes=30), tmp_path / "ring.npz")
    return tmp_path / "ring.npz"


@pytest.fixture
def call(graph: Path, monkeypatch) -> Callable[..., str]:
    monkeypatch.setenv("COLUMNS", "150")
    app = typer.Typer()
    app.command()(compare)

    def inside(*words: object) -> str:
        quick = [str(graph), "--models", "mlp-2,gcn", "--count", "3", "--epochs", "5"]
        done = CliRunner().invoke(app, [*quick, *map(str, words)])
        if isinstance(done.exception, AllpassError):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done.stdout

    return inside


def test_a_table_and_a_figure(call, tmp_path):
    out = call("--figure", tmp_path / "figure.svg", "--against", "mlp-2")
    lines = [line.split() for line in out.splitlines()]
    assert "ahead of mlp-2" in out
    assert [line[0] for line in lines[1:3]] == ["mlp-2", "gcn"]
    assert (tmp_path / "figure.svg").read_bytes().startswith(b"<?xml")


def test_json_and_a_store_that_is_read_again(call, tmp_path):
    first = json.loads(call("--json", "--store", tmp_path / "runs.db"))
    with Store(tmp_path / "runs.db") as store:
        assert len(store) == 6
    again = json.loads(call("--json", "--store", tmp_path / "runs.db"))
    assert again == first
    assert first["splits"] == ["stratified/0", "stratified/1", "stratified/2"]
    assert first["shares"] == "60/20/20"
    assert first["baseline"] == first["best"]
    assert all(model["epochs"] <= 5 for model in first["models"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--models", "mlp-2,gcm"], "no model 'gcm'"),
        (["--models", ","], "list of names"),
        (["--against", "gnc"], "Did you mean 'gcn'"),
        (["--figure", "figure.doc"], r"Expected one of \.svg"),
        (["--splits", "randm"], "Did you mean 'random'"),
        (["--score", "r2"], "not for the task"),
        (["--class-weight", "balance"], "Got class_weight='balance'.*Did you mean 'balanced'"),
    ],
)
def test_what_is_refused_before_anything_is_trained(call, words, message):
    with pytest.raises(AllpassError, match=message):
        call(*words)
