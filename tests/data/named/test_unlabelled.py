from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.data.draft import Draft, splits_of_masks
from allpass.data.named.unlabelled import describe, settle_unlabelled
from allpass.errors import InputError


@pytest.fixture
def draft() -> Draft:
    """A path of four nodes, the second without label and features."""
    masks = {
        "train": [True, True, False, False],
        "val": [False, False, True, False],
        "test": [False, False, False, True],
    }
    return Draft(
        4,
        np.array([[0, 1, 2, 3, 2], [1, 2, 3, 2, 2]]),
        x=np.array([[1, 0], [0, 0], [0, 1], [1, 1]], dtype=np.float32),
        y=np.array([1, -1, 0, 1]),
        node_ids=["a", "b", "c", "d"],
        splits={
            "public": splits_of_masks({part: np.array(mask) for part, mask in masks.items()}, 4, "public")
        },
    )


def test_missing_stays_and_leaves_the_splits(draft):
    settle_unlabelled(draft, "missing")
    assert draft.y is not None
    assert draft.y.tolist() == [1, -1, 0, 1]
    assert draft.splits["public"][0].train.tolist() == [True, False, False, False]
    assert [(note.code, note.count) for note in draft.account] == [("missing-labels", 1)]


def test_zero(draft):
    settle_unlabelled(draft, "zero")
    assert draft.y is not None
    assert draft.y.tolist() == [1, 0, 0, 1]
    assert draft.splits["public"][0].train.tolist() == [True, True, False, False]


@pytest.mark.parametrize("sparse", [False, True])
def test_drop_gives_the_induced_graph(draft, sparse):
    if sparse:
        draft.x = sp.csr_array(draft.x)
    draft.edge_weight = np.arange(5.0)
    settle_unlabelled(draft, "drop")
    assert draft.num_nodes == 3
    assert draft.edge_index.tolist() == [[1, 2, 1], [2, 1, 1]]
    assert draft.edge_weight.tolist() == [2, 3, 4]
    assert np.asarray(draft.x.todense() if sparse else draft.x).tolist() == [[1, 0], [0, 1], [1, 1]]
    assert draft.y is not None
    assert draft.y.tolist() == [1, 0, 1]
    assert draft.node_ids == ["a", "c", "d"]
    assert draft.splits["public"][0].val.tolist() == [False, True, False]


@pytest.mark.parametrize("rule", ["missing", "zero", "drop"])
def test_nothing_happens_when_every_node_has_a_label(draft, rule):
    draft.y = np.array([1, 0, 0, 1])
    settle_unlabelled(draft, rule)
    assert draft.num_nodes == 4
    assert len(draft.account) == 0


def test_an_unknown_rule(draft):
    with pytest.raises(InputError, match=r"'drpo'.*Did you mean 'drop'"):
        settle_unlabelled(draft, "drpo")


@pytest.mark.parametrize("sparse", [False, True])
def test_describe_counts(draft, sparse):
    if sparse:
        draft.x = sp.csr_array(draft.x)
    describe(draft)
    found = {note.code: note.count for note in draft.account}
    assert found == {"directed": 2, "self-loops": 1, "zero-feature-rows": 1, "one-node-classes": 1}


def test_describe_a_bare_graph():
    draft = Draft(3, np.array([[0, 1], [1, 0]]))
    describe(draft)
    assert {note.code: note.count for note in draft.account} == {"undirected": 2, "isolated-nodes": 1}
