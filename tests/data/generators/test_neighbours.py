"""Drawn neighbourhoods: counts exact, own and other classes told apart, uniform."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.generators.neighbours import draw_neighbours
from allpass.errors import InputError


@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    share=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_every_node_has_what_it_asked_for(sizes, share, seed):
    y = np.repeat(np.arange(len(sizes)), sizes)
    N = len(y)
    members = np.array(sizes)[y]
    own, other = np.floor(share * (members - 1)).astype(int), np.floor(share * (N - members)).astype(int)
    source, target = draw_neighbours(own, other, np.array(sizes), np.random.default_rng(seed))
    inside = y[source] == y[target]
    np.testing.assert_array_equal(np.bincount(target[inside], minlength=N), own)
    np.testing.assert_array_equal(np.bincount(target[~inside], minlength=N), other)
    edges = set(zip(source.tolist(), target.tolist(), strict=True))
    assert len(edges) == len(source)
    assert (source != target).all()


def test_all_neighbours_are_equally_likely():
    sizes = np.array([3, 4])
    draws = [
        draw_neighbours(np.ones(7, dtype=int), np.ones(7, dtype=int), sizes, np.random.default_rng(seed))
        for seed in range(2000)
    ]
    counts = np.zeros((7, 7))
    for source, target in draws:
        counts[source, target] += 1
    y = np.repeat([0, 1], sizes)
    choices = np.where(y[:, None] == y, sizes[y] - 1, 7 - sizes[y])  # [source, target]
    expected = 2000 / choices * (1 - np.eye(7))
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected)).all()


def test_more_neighbours_than_there_are_is_refused():
    few, many = np.ones(5, dtype=int), np.full(5, 3)
    with pytest.raises(InputError, match="3 different neighbours from its own class, which have 1 others"):
        draw_neighbours(many, few, np.array([2, 3]), np.random.default_rng(0))
    with pytest.raises(InputError, match="3 different neighbours from other classes, which have 2 others"):
        draw_neighbours(few, many, np.array([2, 3]), np.random.default_rng(0))
