from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from allpass.data.convert import from_pyg
from allpass.data.files import from_npz
from allpass.data.splits import Split
from allpass.data.stored import KEY, save_npz
from allpass.errors import DataError, InputError, MissingFileError


@st.composite
def graphs(draw: st.DrawFn) -> Data:
    n = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    edges = np.unique(rng.integers(0, n, (draw(st.integers(0, 20)), 2)), axis=0)
    raw = Data(edge_index=torch.from_numpy(edges.reshape(-1, 2).T.copy()), num_nodes=n)
    if draw(st.booleans()):
        x = torch.from_numpy(rng.normal(size=(n, 3)).astype(np.float32))
        raw.x = x * (x > 0) if draw(st.booleans()) else (x * (x > 0)).to_sparse_csr()
        raw.feature_names = ["a", "é", "\0"]
    if draw(st.booleans()):
        raw.y = torch.from_numpy(rng.integers(-1, 4, n))
    if draw(st.booleans()):
        raw.edge_weight = torch.from_numpy(rng.normal(size=edges.shape[0]).astype(np.float32))
    raw.name = draw(st.text(min_size=1, max_size=5))
    data = from_pyg(raw)
    for rule in draw(st.lists(st.sampled_from(["geom-gcn", "stored", "random"]), unique=True)):
        masks = [torch.from_numpy(rng.random(n) < 0.3) for _ in range(3)]
        data.stored_splits[rule] = [Split(*masks, f"{rule}/0", draw(st.sampled_from([None, 0, 7])))] * 2
    return data


@given(graphs())
def test_any_graph_comes_back_exactly(graph: Data) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = save_npz(graph, Path(folder) / "g.npz")
        back = from_npz(path)
        assert [entry.name for entry in Path(folder).iterdir()] == ["g.npz"]
    assert set(back.keys()) == set(graph.keys())
    assert back.fingerprint == graph.fingerprint  # bits, types and layouts of all tensors
    assert (back.name, back.source, back.num_nodes) == (graph.name, graph.source, graph.num_nodes)
    assert back.get("feature_names") == graph.get("feature_names")
    assert back.get("class_names") == graph.get("class_names")
    assert set(back.account.to_list()[0].items()) == set(graph.account.to_list()[0].items())
    assert {note.code for note in graph.account} <= {note.code for note in back.account}
    assert list(back.stored_splits) == list(graph.stored_splits)
    for name, splits in graph.stored_splits.items():
        for ours, theirs in zip(splits, back.stored_splits[name], strict=True):
            assert (ours.name, ours.seed) == (theirs.name, theirs.seed)
            assert all(
                torch.equal(getattr(ours, part), getattr(theirs, part)) for part in ("train", "val", "test")
            )


def test_regression_targets_come_back(tmp_path: Path) -> None:
    raw = Data(edge_index=torch.tensor([[0], [1]]), y=torch.tensor([1.0, 2.0]))
    data = from_pyg(raw, task="regression")
    assert from_npz(save_npz(data, tmp_path / "g.npz")).y.dtype == torch.float32


def graph() -> Data:
    return from_pyg(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))


def test_where_it_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends in \.npz"):
        save_npz(graph(), tmp_path / "g.csv")
    with pytest.raises(MissingFileError, match="no folder"):
        save_npz(graph(), tmp_path / "nowhere" / "g.npz")


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save_npz(graph(), tmp_path / "g.npz")
    before = path.read_bytes()

    def fail(stream: object, **_: object) -> None:
        stream.write(b"half")  # type: ignore[attr-defined]
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(InputError, match="disk full"):
        save_npz(graph(), path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["g.npz"]


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b'{"splits": {}}', b'{"splits": {"a": [["a", 0]]}, "notes": []}']
)
def test_a_damaged_text_is_one_clear_error(tmp_path: Path, text: bytes) -> None:
    arrays = {"edge_index": np.array([[0], [1]]), KEY: np.frombuffer(text, dtype=np.uint8)}
    np.savez(tmp_path / "g.npz", **arrays)
    with pytest.raises(DataError, match=r"'allpass' in g\.npz is damaged"):
        from_npz(tmp_path / "g.npz")
