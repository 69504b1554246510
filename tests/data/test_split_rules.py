"""The rules against the published sizes, and against their own promises on random class counts."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.split_rules import Nodes, Sets, capped, few_label, stratified
from allpass.errors import InputError

CORA = (351, 217, 418, 818, 426, 298, 180)
CITESEER = (249, 590, 668, 701, 596, 508)  # without the 15 nodes that have no label
PUBMED = (4103, 7739, 7875)
counts_of_classes = st.lists(st.integers(1, 40), min_size=1, max_size=7).filter(lambda c: sum(c) >= 3)


def labels_of(counts: tuple[int, ...] | list[int], missing: int = 0, seed: int = 0) -> Nodes:
    y = np.concatenate([np.repeat(np.arange(len(counts)), counts), np.full(missing, -1)])
    return np.random.default_rng(seed).permutation(y).astype(np.int64)


def sizes(sets: Sets) -> tuple[int, int, int]:
    return len(sets[0]), len(sets[1]), len(sets[2])


def per_class(nodes: Nodes, labels: Nodes) -> list[int]:
    return np.bincount(labels[nodes], minlength=labels.max() + 1).tolist()


@pytest.mark.parametrize(
    ("counts", "published"),
    [
        ((33, 1, 18, 101, 30), (85, 37, 61)),  # Texas, and the legacy Cornell
        ((10, 70, 118, 32, 21), (121, 50, 80)),  # Wisconsin
        ((853, 1337, 1630, 1815, 1965), (4501, 1520, 1579)),  # Film
        ((456, 460, 453, 521, 387), (1365, 455, 457)),  # Chameleon
        ((1042, 1040, 1039, 1040, 1040), (3120, 1040, 1041)),  # Squirrel
        (CORA, (1557, 542, 609)),
        ((264, 590, 668, 701, 596, 508), (1929, 665, 733)),  # CiteSeer with 15 missing labels as class 0
        (PUBMED, (11829, 3943, 3945)),
    ],
)
def test_capped_has_the_published_sizes(counts, published):
    labels = labels_of(counts)
    assert sizes(capped(labels, np.random.default_rng(0), train=0.6, val=0.2)) == published


@given(counts=counts_of_classes, missing=st.integers(0, 5), seed=st.integers(0, 99))
def test_capped_caps_every_class_and_covers_all_labelled_nodes(counts, missing, seed):
    labels = labels_of(counts, missing, seed)
    sets = capped(labels, np.random.default_rng(seed), train=0.6, val=0.2)
    cap = round(0.6 * sum(counts) / len(counts))
    assert per_class(sets[0], labels) == [min(cap, n) for n in counts]
    assert len(sets[1]) == min(round(0.2 * sum(counts)), sum(counts) - len(sets[0]))
    np.testing.assert_array_equal(np.sort(np.concatenate(sets)), np.flatnonzero(labels >= 0))


@given(
    counts=counts_of_classes,
    shares=st.sampled_from([(0.6, 0.2), (0.48, 0.32), (0.1, 0.1), (0.025, 0.025), (0.8, 0.1), (0.5, 0.0)]),
    missing=st.integers(0, 5),
    seed=st.integers(0, 99),
)
def test_stratified_covers_with_every_class_of_three_or_more_everywhere(counts, shares, missing, seed):
    labels = labels_of(counts, missing, seed)
    train, val = shares
    sets = stratified(labels, np.random.default_rng(seed), train=train, val=val)
    np.testing.assert_array_equal(np.sort(np.concatenate(sets)), np.flatnonzero(labels >= 0))
    N = sum(counts)
    least = np.array([[1, int(val > 0), 1] if n >= 3 else [n, 0, 0] for n in counts])
    found = np.stack([per_class(nodes, labels) for nodes in sets], axis=1)
    assert (found >= least).all()
    assert all(row[1:].sum() == 0 for row, n in zip(found, counts, strict=True) if n < 3)
    totals = np.array([round(train * N), round(val * N), N - round(train * N) - round(val * N)])
    if (least.sum(axis=0) <= totals).all():
        np.testing.assert_array_equal(sizes(sets), totals)


def test_stratified_stays_within_one_node_of_the_shares():
    labels = labels_of(CORA)
    sets = stratified(labels, np.random.default_rng(0), train=0.6, val=0.2)
    found = np.stack([per_class(nodes, labels) for nodes in sets], axis=1)
    assert (np.abs(found - np.outer(CORA, (0.6, 0.2, 0.2))) < 1).all()
    assert sizes(sets) == (1625, 542, 541)


@pytest.mark.parametrize(
    ("counts", "percents", "published"),
    [
        (CORA, (0.5, 1, 2, 3, 4, 5), (18, 31, 58, 84, 112, 137)),
        (CITESEER, (0.5, 1, 2, 3, 4, 5), (19, 36, 69, 103, 135, 169)),
        (PUBMED, (0.03, 0.05, 0.1, 0.3), (8, 11, 21, 61)),
    ],
)
def test_few_label_has_the_published_training_sizes(counts, percents, published):
    labels = labels_of(counts, missing=15)
    for percent, size in zip(percents, published, strict=True):
        sets = few_label(labels, np.random.default_rng(0), percent=percent, rule="ceil", val=500, test=1000)
        assert len(sets[0]) == size


@given(
    counts=st.lists(st.integers(1, 300), min_size=1, max_size=6),
    percent=st.sampled_from([0.5, 3, 7, 29, 50]),
    val=st.integers(1, 60),
    test=st.integers(1, 60),
    seed=st.integers(0, 99),
)
def test_few_label_ceil_follows_its_formula_and_is_disjoint(counts, percent, val, test, seed):
    labels = labels_of(counts, missing=3, seed=seed)
    sets = few_label(labels, np.random.default_rng(seed), percent=percent, rule="ceil", val=val, test=test)
    C = len(counts)
    for c, n in enumerate(counts):
        num_train = math.ceil(Fraction(str(percent)) * n / 100)
        num_val = min(math.ceil(val / C), n - num_train)
        num_test = min(math.ceil(test / C), n - num_train - num_val)
        assert [per_class(nodes, labels)[c] for nodes in sets] == [num_train, num_val, num_test]
    together = np.concatenate(sets)
    assert len(np.unique(together)) == len(together)


def test_few_label_june_takes_one_more_and_pools_the_rest():
    labels = labels_of(CORA)
    sets = few_label(labels, np.random.default_rng(0), percent=5, rule="june", val=500, test=1000)
    assert per_class(sets[0], labels) == [int(n * 0.05) + 1 for n in CORA]
    assert sizes(sets) == (138, 500, 1000)
    together = np.concatenate(sets)
    assert len(np.unique(together)) == len(together)


def test_exact_percentages_are_not_rounded_up():
    labels = labels_of([100, 100])  # 0.07 * 100 is a little more than 7 in floating point
    sets = few_label(labels, np.random.default_rng(0), percent=7, rule="ceil", val=10, test=10)
    assert len(sets[0]) == 14


@pytest.mark.parametrize("rule", [capped, stratified])
@pytest.mark.parametrize(("train", "val"), [(0.0, 0.2), (-0.1, 0.2), (0.6, -0.1), (0.8, 0.2), (60, 20)])
def test_shares_that_leave_no_test_set_are_refused(rule, train, val):
    with pytest.raises(InputError, match=f"train={train} and val={val}"):
        rule(labels_of(CORA), np.random.default_rng(0), train=train, val=val)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"percent": 0}, "percent=0"),
        ({"percent": 100}, "percent=100"),
        ({"percent": -3}, "percent=-3"),
        ({"percent": float("nan")}, "percent=nan"),
        ({"rule": "jun"}, "Did you mean 'june'"),
        ({"val": -1}, "val=-1"),
        ({"rule": "june", "val": 2000, "test": 1000}, "fewer than the 2000 validation and 1000 test"),
    ],
)
def test_few_label_refuses_what_cannot_be(options, message):
    settings = {"percent": 5.0, "rule": "ceil", "val": 500, "test": 1000, **options}
    with pytest.raises(InputError, match=message):
        few_label(labels_of(CORA), np.random.default_rng(0), **settings)
