from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.errors import InputError, UnknownNameError
from allpass.kge import KnowledgeGraph
from allpass.kge.graph import number_of

ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 9)), min_size=20, max_size=60, unique=True
)


@given(ROWS, st.integers(0, 9))
def test_a_split_parts_the_triplets_and_leaves_every_name_in_training(rows, seed: int) -> None:
    graph = KnowledgeGraph.from_arrays(rows)
    parts = graph.split(0.1, 0.2, seed=seed)
    everything = np.concatenate([parts.train, parts.valid, parts.test])
    assert sorted(map(tuple, everything.tolist())) == sorted(rows)
    for column in ([0, 2], [1]):
        assert set(parts.train[:, column].ravel()) == set(graph.train[:, column].ravel())
    wanted = round(0.1 * len(rows)) + round(0.2 * len(rows))
    moved = len(parts.valid) + len(parts.test)
    assert moved == wanted or "few-free-triplets" in parts.account
    assert np.array_equal(parts.test, graph.split(0.1, 0.2, seed=seed).test)


def test_repeated_triplets_stay() -> None:
    graph = KnowledgeGraph.from_arrays([[0, 0, 1]] * 3)
    assert len(graph.train) == 3


def test_names_and_sizes() -> None:
    graph = KnowledgeGraph.from_arrays([[0, 0, 1]], entities=["a", "b", "c"], relations=4)
    assert (graph.entities, graph.relations) == (("a", "b", "c"), ("0", "1", "2", "3"))
    assert "3 entities, 4 relations" in repr(graph)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[0, 1]], r"shape \[1, 2\]"),
        ([], "no triplet to learn from"),
        ([[0.0, 1.0, 2.0]], "float64"),
        ([[0, 0, -1]], r"triplet 0 is \[0, 0, -1\]"),
        ([["a", "b", "c"]], "whole numbers"),
    ],
)
def test_arrays_that_are_no_triplets(rows: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        KnowledgeGraph.from_arrays(rows)


def test_shares_and_names_that_cannot_be() -> None:
    graph = KnowledgeGraph.from_arrays([[0, 0, 1], [1, 0, 2]])
    with pytest.raises(InputError, match="less than 1 in all"):
        graph.split(0.5, 0.5)
    with pytest.raises(InputError, match="2 entities; the triplets use number 2"):
        KnowledgeGraph.from_arrays([[0, 0, 2]], entities=["a", "b"])


def test_a_name_or_a_number() -> None:
    names = ("likes", "knows")
    assert number_of("knows", names, "relation") == number_of(1, names, "relation") == 1
    with pytest.raises(UnknownNameError, match=r"no relation 'know' in the training. Did you mean 'knows'"):
        number_of("know", names, "relation")
    with pytest.raises(UnknownNameError, match="number from 0 to 1"):
        number_of(2, names, "relation")
