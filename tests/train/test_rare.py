"""Scores and thresholds of rare classes, against all thresholds tried one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from allpass.errors import InputError
from allpass.train.rare import Threshold, best_threshold, default_score, rarer_class


def counts(*sizes: int) -> torch.Tensor:
    return torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))


@pytest.mark.parametrize(
    ("y", "score"),
    [
        (counts(81, 19), "roc_auc"),
        (counts(19, 81), "roc_auc"),
        (counts(8000, 2000), "accuracy"),
        (counts(80, 20), "accuracy"),
        (counts(81, 10, 9), "balanced_accuracy"),
        (counts(40, 30, 30), "accuracy"),
        (counts(10), "accuracy"),
        (torch.tensor([-1, -1]), "accuracy"),
        (torch.cat([counts(81, 19), torch.full((100,), -1)]), "roc_auc"),
        (torch.tensor([1.0, 2.0]), "r2"),
    ],
)
def test_accuracy_is_left_where_one_class_has_most_labels(y, score):
    assert default_score(y) == score


@given(seed=st.integers(0, 2**32 - 1), N=st.integers(1, 60), levels=st.integers(1, 20))
def test_no_threshold_has_a_higher_f1(seed, N, levels):
    rng = np.random.default_rng(seed)
    chances, truth = rng.integers(0, levels + 1, N) / levels, rng.random(N) < 0.3
    found = best_threshold(torch.from_numpy(chances), torch.from_numpy(truth))
    if not truth.any():
        assert found is None
        return
    of_each = [f1_score(truth, chances >= t) for t in np.unique(chances)]
    assert f1_score(truth, chances >= found) == pytest.approx(max(of_each))


def test_neighbouring_numbers_have_a_threshold_between_them_or_the_higher_one():
    low, high = 0.5, float(np.nextafter(0.5, 1))
    found = best_threshold(torch.tensor([low, high], dtype=torch.float64), torch.tensor([False, True]))
    assert found == high


def test_the_rarer_of_two_classes_is_rare_below_a_fifth():
    assert rarer_class(counts(80, 20)) == (1, False)
    assert rarer_class(counts(81, 19)) == (1, True)
    assert rarer_class(counts(3, 97)) == (0, True)
    assert rarer_class(torch.cat([counts(5, 5), torch.full((90,), -1)])) == (1, False)


def test_without_a_value_the_more_likely_class_is_predicted():
    assert Threshold(1).classes(torch.tensor([[0.6, 0.4], [0.4, 0.6], [0.5, 0.5]])).tolist() == [0, 1, 0]


def test_a_threshold_is_of_the_rarer_class_whatever_its_number():
    probabilities = torch.tensor([[0.3, 0.7], [0.2, 0.8], [0.1, 0.9]])
    assert Threshold(0, 0.2).classes(probabilities).tolist() == [0, 0, 1]
    assert Threshold(1, 0.8).classes(probabilities).tolist() == [0, 1, 1]


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_probability(value):
    with pytest.raises(InputError, match=r"Got threshold=.*from 0 to 1"):
        Threshold(1, value)


def test_a_threshold_is_of_one_of_two_classes():
    with pytest.raises(InputError, match="Got the class 2"):
        Threshold(2)
