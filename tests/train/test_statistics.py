from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from allpass.data.splits import Split
from allpass.errors import InputError
from allpass.train.statistics import EXACT, estimate, holm, overlap_of, paired

numbers = st.integers(-1000, 1000).map(lambda value: value / 8)  # of few digits, so that ties are ties
samples = st.lists(numbers, min_size=2, max_size=30)


@given(samples, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_mean_and_interval_against_scipy(values, confidence):
    found = estimate(values, confidence=confidence)
    assert found.mean == pytest.approx(np.mean(values))
    assert found.deviation == pytest.approx(np.std(values, ddof=1))
    assert found.population == pytest.approx(np.std(values))
    if found.deviation > 0:
        expected = stats.ttest_1samp(values, 0.0).confidence_interval(confidence)
        assert (found.low, found.high) == pytest.approx(expected)
        assert found.margin == pytest.approx((expected[1] - expected[0]) / 2)
    else:
        assert found.low == found.mean == found.high


@given(samples, st.randoms(use_true_random=False))
def test_the_paired_test_against_scipy(first, random):
    second = [value + random.randint(-9, 9) for value in first]
    found = paired(first, second)
    if found.deviation > 0:
        expected = stats.ttest_rel(first, second)
        assert found.p_value == pytest.approx(expected.pvalue)
        assert (found.low, found.high) == pytest.approx(expected.confidence_interval(0.95))
    swapped = paired(second, first)
    assert swapped.mean == -found.mean
    assert (swapped.p_value, swapped.p_flipped) == (found.p_value, found.p_flipped)


@given(st.lists(numbers, min_size=1, max_size=9))
def test_flipped_signs_against_brute_force(differences):
    flips = itertools.product((-1, 1), repeat=len(differences))
    sums = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in flips]
    expected = np.mean([abs(one) >= abs(sum(differences)) for one in sums])
    assert paired(differences, np.zeros(len(differences))).p_flipped == expected


def test_flipped_signs_against_scipy_where_rounding_makes_ties():
    differences = np.array([0.1, 0.2, 0.3, -0.3, 0.1, 0.7])
    expected = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert paired(differences, np.zeros(6)).p_flipped == pytest.approx(expected.pvalue)


def test_drawn_flips_come_near_all_of_them_and_are_the_same_each_time():
    differences = np.random.default_rng(1).normal(0.3, 1.0, EXACT + 2)
    found = paired(differences, np.zeros(EXACT + 2)).p_flipped
    assert found == paired(differences, np.zeros(EXACT + 2)).p_flipped
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    exact = np.mean(np.abs(sums) >= abs(differences.sum()) - 1e-9)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 9_999))
    assert paired(np.ones(30), np.zeros(30)).p_flipped == 1 / 10_000  # never 0


def test_the_interval_holds_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(0)
    for n, confidence in ((3, 0.95), (10, 0.95), (10, 0.5)):
        found = [estimate(rng.normal(2.0, 3.0, n), confidence=confidence) for _ in range(3000)]
        share = np.mean([one.low <= 2.0 <= one.high for one in found])
        assert share == pytest.approx(confidence, abs=4 * math.sqrt(confidence * (1 - confidence) / 3000))


def test_p_values_are_even_where_nothing_differs():
    rng = np.random.default_rng(0)
    found = [paired(rng.normal(size=10), rng.normal(size=10)) for _ in range(2000)]
    for p_values in ([one.p_value for one in found], [one.p_flipped for one in found]):
        assert stats.kstest(p_values, "uniform").statistic < 0.035


def test_overlapping_splits_make_the_plain_interval_too_sure():
    """Two models that differ by nothing over all graphs, compared on random splits of one graph after another."""
    rng = np.random.default_rng(0)
    plain, corrected = [], []
    for _ in range(1000):
        gap = rng.normal(size=60)  # at each node, how much better the first is
        tests = [rng.permutation(60)[:20] for _ in range(10)]  # the other 40 train
        scores = [gap[nodes].mean() for nodes in tests]
        plain.append(paired(scores, np.zeros(10)).p_value < 0.05)
        corrected.append(paired(scores, np.zeros(10), overlap=0.5).p_value < 0.05)
    assert np.mean(plain) > 0.2
    assert np.mean(corrected) < 0.07


def test_the_correction_is_the_published_factor():
    values = [0.1, 0.4, 0.2, 0.3]
    wide, narrow = estimate(values, overlap=0.5), estimate(values)
    assert wide.margin / narrow.margin == pytest.approx(math.sqrt((1 / 4 + 0.5) / (1 / 4)))
    t = np.mean(values) / (np.std(values, ddof=1) * math.sqrt(1 / 4 + 0.5))
    assert paired(values, np.zeros(4), overlap=0.5).p_value == pytest.approx(2 * stats.t.sf(t, 3))


def test_the_overlap_of_splits():
    nodes = torch.arange(12)
    one = Split(nodes < 6, (nodes >= 6) & (nodes < 9), nodes >= 9, "one")  # 3 / 6
    two = Split(nodes < 4, (nodes >= 4) & (nodes < 6), nodes >= 6, "two")  # 6 / 4
    assert overlap_of([one, two]) == pytest.approx(1.0)
    with pytest.raises(InputError, match="no splits"):
        overlap_of([])


def test_one_value():
    found = paired([0.5], [0.25])
    assert (found.mean, found.count, found.population) == (0.25, 1, 0.0)
    assert all(map(math.isnan, (found.low, found.high, found.deviation, found.p_value)))
    assert found.p_flipped == 1.0
    assert json.loads(json.dumps(found.to_dict()))["low"] is None


def test_differences_that_are_all_equal():
    nothing = paired([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert (nothing.low, nothing.high, nothing.p_value, nothing.p_flipped) == (0, 0, 1, 1)
    always = paired([1.5, 2.5, 3.5], [1.0, 2.0, 3.0])
    assert (always.low, always.high, always.p_value, always.p_flipped) == (0.5, 0.5, 0, 0.25)


def test_few_pairs_and_equal_differences_tell_nothing_of_chance():
    assert paired([0.8, 0.9, 0.7], [0.6, 0.5, 0.6]).telling
    assert not paired([0.8, 0.9], [0.6, 0.5]).telling
    assert not paired([0.8, 0.9, 0.7], [0.6, 0.7, 0.5]).telling  # but for rounding the same
    assert not paired([0.8, 0.9, math.nan], [0.6, 0.5, 0.6]).telling


def test_a_nan_is_not_left_out():
    found = paired([1.0, math.nan, 3.0], [1.0, 2.0, 2.0])
    assert found.count == 3
    assert all(map(math.isnan, (found.mean, found.low, found.high, found.p_value, found.p_flipped)))


def test_an_infinite_value_leaves_no_interval():
    found = estimate([-math.inf, 1.0, 2.0])
    assert found.mean == -math.inf
    assert all(map(math.isnan, (found.low, found.high, found.deviation, found.population)))
    assert math.isnan(paired([-math.inf, 1.0], [-math.inf, 2.0]).p_flipped)
    assert math.isnan(paired([math.inf, 1.0], [0.0, 2.0]).mean)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([], {}, "shape"),
        ([[1.0, 2.0]], {}, "shape"),
        (["a"], {}, "no number"),
        ([1.0, 2.0], {"confidence": 95}, "0.95"),
        ([1.0, 2.0], {"overlap": -1}, "test over training"),
        ([1.0, 2.0], {"overlap": math.nan}, "test over training"),
    ],
)
def test_what_is_no_sample_is_refused(values, options, message):
    with pytest.raises(InputError, match=message):
        estimate(values, **options)


def test_pairs_need_partners():
    with pytest.raises(InputError, match="3 and 2 values"):
        paired([1, 2, 3], [1, 2])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_against_its_definition(p_values):
    adjusted = holm(p_values)
    m = len(p_values)
    for level in (0.01, 0.05, 0.2):
        rejected = set()
        for step, place in enumerate(sorted(range(m), key=lambda i: p_values[i])):
            if p_values[place] * (m - step) > level:
                break
            rejected.add(place)
        assert rejected == {place for place in range(m) if adjusted[place] <= level}
    assert all(raised >= given for raised, given in zip(adjusted, p_values, strict=True))


def test_holm_of_odd_values():
    assert holm([0.01, math.nan, 0.02])[::2] == [0.03, 0.04]
    assert math.isnan(holm([0.01, math.nan])[1])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    with pytest.raises(InputError, match="outside of 0 to 1"):
        holm([0.5, 1.5])
