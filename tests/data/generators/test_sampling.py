"""Draws without replacement: distinct, complete, and uniform over subsets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.generators.sampling import both_ways, draw_distinct, pair_of, unpack


@given(
    asked=st.lists(
        st.integers(0, 30).flatmap(lambda pool: st.tuples(st.integers(0, pool), st.just(pool))),
        min_size=1,
        max_size=8,
    ),
    seed=st.integers(0, 99),
)
def test_every_pool_gives_its_count_of_distinct_numbers(asked, seed):
    counts, pools = np.array(asked).T
    row, value = draw_distinct(counts, pools, np.random.default_rng(seed))
    np.testing.assert_array_equal(np.bincount(row, minlength=len(pools)), counts)
    assert ((value >= 0) & (value < pools[row])).all()
    pairs = list(zip(row.tolist(), value.tolist(), strict=True))
    assert pairs == sorted(set(pairs))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_subset_is_equally_likely(count):
    R = 20_000
    value = draw_distinct(np.full(R, count), np.full(R, 5), np.random.default_rng(1))[1].reshape(R, count)
    found = Counter(map(tuple, value.tolist()))
    mean = R / comb(5, count)
    assert set(found) == set(combinations(range(5), count))
    assert all(abs(times - mean) < 5 * sqrt(mean) for times in found.values())


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 10])
def test_numbers_and_pairs_correspond_one_to_one(size):
    number = size * (size - 1) // 2
    pairs = {
        frozenset(pair) for pair in zip(*map(list, pair_of(np.arange(number), np.array([size]))), strict=True)
    }
    assert pairs == {frozenset(pair) for pair in combinations(range(size), 2)}


def test_both_ways_is_symmetric_and_ascending():
    edges = both_ways(np.array([3, 0]), np.array([1, 2]), 4)
    assert edges.tolist() == [[0, 1, 2, 3], [2, 3, 0, 1]]


def test_unpack_reads_keys():
    assert unpack(np.array([7, 12]), 5).tolist() == [[1, 2], [2, 2]]
