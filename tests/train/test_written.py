from __future__ import annotations

import math

import pytest

from allpass.train.statistics import estimate, paired
from allpass.train.written import lead, mean, p_value, possible


def test_a_mean_has_its_interval():
    found = estimate([0.5, 0.6, 0.7])
    assert mean("accuracy", found) == f"60.0 ± {100 * found.margin:.1f}"
    assert mean("mae", found) == f"0.600 ± {found.margin:.3f}"
    assert mean("accuracy", estimate([0.5, 0.6])) == "55.0"  # two values say too little


def test_an_interval_ends_where_scores_end():
    found = estimate([1.0, 0.95, 1.0, 0.9])
    assert found.high > 1
    assert possible("accuracy", found) == (found.low, 1.0)
    assert mean("accuracy", found).endswith(" to 100.0)")
    assert all(map(math.isnan, possible("accuracy", estimate([0.5]))))


def test_a_lead_has_its_sign_and_no_interval_wider_than_the_score():
    assert lead("accuracy", paired([0.6, 0.7, 0.8], [0.5, 0.6, 0.7])).startswith("+10.0 ± ")
    uneven = paired([1.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    assert lead("accuracy", uneven) == "+33.3"


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ([0.5, 0.6], [0.4, 0.3], "–"),
        ([0.6, 0.7, 0.8], [0.5, 0.6, 0.7], "–"),
        ([0.9, 0.901, 0.902, 0.9, 0.9, 0.9], [0.1, 0.1, 0.1, 0.1, 0.101, 0.1], "<0.001"),
    ],
)
def test_p_values(ours, theirs, said):
    assert p_value(paired(ours, theirs)) == said
