from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.account import Account
from allpass.data.readers import arrays
from allpass.data.readers.arrays import compact_features, distinct, one_row_each, simple_edges, whole_labels
from allpass.errors import DataError

pair_lists = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30)


@given(pair_lists, st.booleans())
def test_edges_are_those_of_networkx(pairs, undirected):
    reference = nx.DiGraph(pairs)
    if undirected:
        reference.add_edges_from([(target, source) for source, target in pairs])
    account = Account()
    table = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    edges = simple_edges(table, 6, account, undirected=undirected)
    assert edges.dtype == np.int64
    assert list(map(tuple, edges.T.tolist())) == sorted(reference.edges)
    assert sum(note.count for note in account) == len(pairs) - len(set(pairs))


@given(st.lists(st.integers(-5, 5)))
def test_distinct(values):
    assert distinct(np.array(values, dtype=np.int64)).tolist() == sorted(set(values))


def test_an_empty_graph():
    assert simple_edges(np.empty((2, 0), np.int64), 0, Account(), undirected=True).shape == (2, 0)


@pytest.mark.parametrize(
    "pairs", [np.array([[0, 1], [1, 2]]), np.array([[-1], [0]]), np.zeros((3, 2), int), np.zeros((2, 2))]
)
def test_edges_that_cannot_be_are_refused(pairs):
    with pytest.raises(DataError):
        simple_edges(pairs, 2, Account())


def test_features_stay_sparse_only_when_large_and_thin(monkeypatch):
    thin = sp.csr_array(np.eye(30))
    thick = sp.csr_array(np.ones((30, 30)))
    for matrix in (thin, thin.toarray(), thick):
        dense = compact_features(matrix)
        assert isinstance(dense, np.ndarray)
        assert dense.dtype == np.float32
    monkeypatch.setattr(arrays, "DENSE_BYTES", 1000)
    for matrix in (thin, thin.toarray()):
        sparse = compact_features(matrix)
        assert sp.issparse(sparse)
        assert sparse.dtype == np.float32
        np.testing.assert_array_equal(sparse.toarray(), np.eye(30))
    assert isinstance(compact_features(thick), np.ndarray)


def test_labels():
    assert whole_labels(np.array([[2.0], [-7.0], [0.0]]), 3).tolist() == [2, -1, 0]
    for wrong in ([0.5, 1, 2], [np.nan, 1, 2], [0, 1]):
        with pytest.raises(DataError):
            whole_labels(np.array(wrong), 3)


def test_one_row_each():
    assert one_row_each(np.ones((2, 3)), 2, "x").shape == (2, 3)
    with pytest.raises(DataError, match="2 rows of features for 3 nodes"):
        one_row_each(np.ones((2, 3)), 3, "features")
