from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.repairs.leaks import PURITY, leaking_columns


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_finds_each_kind_of_leak_and_nothing_else(rng: np.random.Generator) -> None:
    y = rng.integers(0, 4, 1000)
    columns = {
        "the label": y,
        "label in another code": np.array([7.0, 0.0, -3.0, 2.5])[y],
        "label and noise, separable": y + rng.uniform(-0.4, 0.4, 1000),
        "one class only": y == 2,
        "noise": rng.normal(size=1000),
        "few values": rng.integers(0, 9, 1000),
        "half a leak": np.where(rng.random(1000) < 0.5, y, rng.integers(0, 4, 1000)),
        "constant": np.ones(1000),
        "nothing": np.zeros(1000),
    }
    x = np.stack(list(columns.values()), axis=1).astype(np.float32)
    assert leaking_columns(x, y) == [0, 1, 2]
    assert leaking_columns(sp.csr_array(x), y) == [0, 1, 2]


def test_a_few_wrong_nodes_do_not_hide_a_leak(rng: np.random.Generator) -> None:
    y = rng.integers(0, 3, 2000)
    almost, often = y.copy(), y.copy()
    almost[:5] = (almost[:5] + 1) % 3
    often[:40] = (often[:40] + 1) % 3
    noisy = almost + rng.uniform(-0.3, 0.3, 2000)
    assert leaking_columns(np.stack([almost, often, noisy], axis=1), y) == [0, 2]


def test_missing_labels_do_not_count(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 100)
    column = y.copy()
    y[:50] = -1
    column[:50] = 0
    assert leaking_columns(column[:, None], y) == [0]


def test_nothing_is_said_where_any_column_would_do() -> None:
    y = np.arange(10) % 2
    assert leaking_columns(y[:, None], y) == []  # under 20 labelled nodes
    y = np.zeros(1000, dtype=np.int64)
    y[0] = 1
    assert leaking_columns(y[:, None], y) == []  # one class has nearly all
    assert leaking_columns(np.zeros((30, 0)), np.arange(30) % 2) == []
    assert leaking_columns(np.ones((30, 1)), np.full(30, -1)) == []


def test_large_graphs_go_through_the_sample(rng: np.random.Generator) -> None:
    y = rng.integers(0, 5, 60_000)
    x = rng.normal(size=(60_000, 4)).astype(np.float32)
    x[:, 1] = y
    x[:, 3] = y + rng.uniform(-0.4, 0.4, y.size)
    assert leaking_columns(x, y) == [1, 3]


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 8))
def test_groups_of_equal_values_vote(seed: int, classes: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    n = 60
    column = rng.integers(0, values, n)
    y = np.where(rng.random(n) < 0.02, rng.integers(0, classes, n), column % classes)
    votes = sum(max(Counter(y[column == value].tolist()).values(), default=0) for value in range(values))
    expected = votes > PURITY * n and max(Counter(y.tolist()).values()) <= PURITY * n
    assert (leaking_columns(column[:, None].astype(float), y) == [0]) == expected
