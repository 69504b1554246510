from __future__ import annotations

import numpy as np
import pytest

from allpass.errors import InputError, UnknownNameError
from allpass.kge import Embedding, KnowledgeGraph, RotatE

NAMES = ("ann", "bob", "eve")


@pytest.fixture
def kept() -> Embedding:
    return Embedding("rotate", RotatE(3, 2, 4, seed=0).eval(), NAMES, ("likes", "knows"))


def test_answers_are_sorted_scores(kept: Embedding) -> None:
    tails, heads = kept.tails("ann", "knows"), kept.heads("knows", "ann")
    for found, score in (
        (tails, lambda name: kept.score("ann", 1, name)),
        (heads, lambda name: kept.score(name, 1, "ann")),
    ):
        assert dict(found) == pytest.approx({name: score(name) for name in NAMES}, rel=1e-5)
        assert [name for name, _ in found] == sorted(NAMES, key=lambda name: -score(name))
    assert len(kept.tails(0, 0, k=2)) == 2


def test_neighbours_are_by_cosine_and_leave_the_entity_out(kept: Embedding) -> None:
    vectors = kept.vectors / np.linalg.norm(kept.vectors, axis=1, keepdims=True)
    cosines = {name: float(vectors[0] @ vectors[place]) for place, name in enumerate(NAMES) if place}
    found = kept.neighbours("ann")
    assert [name for name, _ in found] == sorted(cosines, key=lambda name: -cosines[name])
    assert dict(found) == pytest.approx(cosines, abs=1e-6)


def test_probabilities_are_the_softmax_of_scores(kept: Embedding) -> None:
    found = kept.probabilities([[0, 1]])
    scores = np.array([kept.score(0, 1, t) for t in range(3)])
    np.testing.assert_allclose(found[0], np.exp(scores) / np.exp(scores).sum(), rtol=1e-5)


def test_ranks_of_another_graph(kept: Embedding) -> None:
    graph = KnowledgeGraph.from_arrays([[0, 0, 1]], test=[[1, 1, 2]], entities=NAMES, relations=2)
    assert len(kept.rank(graph).tail) == 1


def test_a_frame_has_the_names(kept: Embedding) -> None:
    frame = kept.to_frame()
    assert frame.index.tolist() == list(NAMES)
    assert frame.shape == (3, 4)
    assert "rotate on triplets: 3 entities" in repr(kept)


def test_what_was_not_in_training(kept: Embedding) -> None:
    with pytest.raises(UnknownNameError, match="no relation 'like' in the training"):
        kept.tails("ann", "like")
    with pytest.raises(UnknownNameError, match="no entity 'al' in the training"):
        kept.heads("likes", "al")
    with pytest.raises(InputError, match="k=0"):
        kept.neighbours("ann", 0)
