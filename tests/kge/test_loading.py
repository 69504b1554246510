from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from allpass.errors import DataError, InputError, MissingFileError
from allpass.kge import KnowledgeGraph, load


def test_three_files_share_their_names(tmp_path: Path) -> None:
    for name, rows in (("train", "b\tr\ta\nb\tr\ta\n"), ("valid", "a\tr\tc\n"), ("test", "a\ts\tb\n")):
        (tmp_path / f"{name}.tsv").write_text(rows)
    graph = load(tmp_path / "train.tsv", valid=tmp_path / "valid.tsv", test=str(tmp_path / "test.tsv"))
    assert (graph.entities, graph.relations) == (("a", "b", "c"), ("r", "s"))
    assert graph.train.tolist() == [[1, 0, 0], [1, 0, 0]]
    assert (graph.valid.tolist(), graph.test.tolist()) == ([[0, 0, 2]], [[0, 1, 1]])
    notes = {note.code: note.count for note in graph.account}
    assert notes["unseen-entity"] == notes["unseen-relation"] == notes["repeated-triplets"] == 1


def test_shares_are_drawn() -> None:
    rows = np.random.default_rng(0).integers(0, [8, 2, 8], (100, 3))
    graph = load(rows, valid=0.1, test=0.2, seed=1)
    assert (len(graph.train), len(graph.valid), len(graph.test)) == (70, 10, 20)


def test_triplets_that_are_trained_on_and_measured_with_are_noted() -> None:
    graph = load([[0, 0, 1], [1, 0, 2]], test=[[0, 0, 1], [2, 0, 1]])
    assert [(note.code, note.count) for note in load(graph).account] == [("seen-in-training", 1)]
    assert not len(load([[0, 0, 1]], test=[[1, 0, 0]]).account)


def test_a_graph_keeps_its_own_parts() -> None:
    graph = KnowledgeGraph.from_arrays([[0, 0, 1]])
    assert load(graph) is graph
    with pytest.raises(InputError, match="has its own parts"):
        load(graph, test=[[0, 0, 1]])


def test_a_name_that_is_unknown() -> None:
    with pytest.raises(MissingFileError, match=r"neither a file nor a named knowledge graph.*wn18rr"):
        load("wn18r")


@pytest.mark.parametrize("name", ["wn18rr", pytest.param("FB15k-237", marks=pytest.mark.slow)])
def test_named_graphs_have_their_published_sizes(name: str, data_dir: Path) -> None:
    graph = load(name, data_dir=data_dir)  # raises where counts differ
    assert graph.name == name.lower()
    assert "repeated-triplets" not in graph.account


@pytest.mark.parametrize("name", ["nations", "umls", "kinships"])
def test_small_graphs_are_those_of_pykeen(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found in an installed PyKEEN, which is not imported."""
    package = tmp_path / "pykeen"
    (package / "datasets" / name).mkdir(parents=True)
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    for part in ("train", "valid", "test"):
        (package / "datasets" / name / f"{part}.txt").write_text("a\tlikes\tb\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DataError, match=f"files of {name} do not hold the published graph: found 2 entities"):
        load(name, data_dir=tmp_path)
