"""What rows of depth say follows from invented ones whose answer is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.papers.pages.depth.invented import DEPTHS, ROWS, compared, findings, row

from allpass.papers.depth.grid import Combination
from allpass.papers.pages.depth.findings import Growth


def test_the_depth_to_which_a_combination_trains() -> None:
    assert findings().reach("cora", "relu", "glorot") == (4, 4)
    assert findings([row(depth, 86.0) for depth in DEPTHS]).reach("cora", "relu", "glorot") == (8, 8)
    assert findings().reach("cora", "tanh", "he") is None


def test_what_noise_leaves_open_is_not_sure_but_possible() -> None:
    """Splits that lose 0 and 5 points: the interval of the mean holds the 2 that are allowed."""
    noisy = row(4, 83.5, scores=" ".join(["85.9 81.1"] * 5))
    reach = findings([row(2, 86.0), noisy, row(8, 50.0)]).reach("cora", "relu", "glorot")
    assert reach == (2, 4)
    assert str(reach) == "2–4"
    assert str(findings().reach("cora", "relu", "glorot")) == "4"


def test_the_interval_of_what_is_lost_is_that_of_pairs() -> None:
    shallow, deep = np.random.default_rng(0).normal(80, 3, size=(2, 5))
    rows = [row(2, 80.0, scores=" ".join(map(str, shallow))), row(4, 80.0, scores=" ".join(map(str, deep)))]
    found = findings(rows)
    interval = stats.ttest_rel(deep, shallow).confidence_interval()
    for tolerance, sure in ((-interval.low + 0.01, 4), (-interval.low - 0.01, 2)):
        found.grid = replace(found.grid, tolerance=tolerance)
        assert found.reach("cora", "relu", "glorot") == (sure, 4)


def test_a_depth_that_recovers_does_not_count() -> None:
    assert findings([row(2, 86.0), row(4, 50.0), row(8, 86.0)]).reach("cora", "relu", "glorot") == (2, 2)


def test_depths_that_were_not_run_are_passed_over() -> None:
    assert findings([row(2, 86.0), row(8, 86.0)]).reach("cora", "relu", "glorot") == (8, 8)


def test_a_shallow_network_that_learns_nothing_trains_to_no_depth() -> None:
    assert findings([row(2, 31.0), row(4, 31.0)]).reach("cora", "relu", "glorot") == (0, 0)


def test_a_depth_may_grow_only_where_nothing_deeper_was_run() -> None:
    deep = [row(depth, 86.0) for depth in findings().grid.depths]
    assert findings(deep[:-1]).may_grow("cora", "relu", "glorot")
    assert not findings(deep).may_grow("cora", "relu", "glorot")
    assert not findings([*deep[:2], row(8, 50.0)]).may_grow("cora", "relu", "glorot")
    assert not findings([row(2, 31.0)]).may_grow(
        "cora", "relu", "glorot"
    )  # even the shallow one learns nothing
    assert not findings().may_grow("cora", "tanh", "he")


def test_verdicts_are_corrected_for_how_many_there_are() -> None:
    places = [Combination("cora", "relu", "he", depth) for depth in DEPTHS]
    assert [findings().verdict(place) for place in places] == ["", "better", "better"]  # 0.02 times 2
    more = [*ROWS, *(compared(depth, 0.1, 0.9, "energy") for depth in DEPTHS)]
    assert [findings(more).verdict(place) for place in places] == ["", "", "better"]  # 0.02 times 5
    assert findings([row(2, 86.0), compared(2, -3.0, 0.001)]).verdict(places[0]) == "worse"


def test_differences_are_those_of_the_same_splits_corrected_for_the_nodes_that_these_share() -> None:
    ours, theirs = np.random.default_rng(0).normal(80, 3, size=(2, 5))
    rows = [
        row(2, 80.0, scores=" ".join(map(str, theirs)), overlap=0.3),
        row(2, 80.0, "he", scores=" ".join(map(str, ours)), overlap=0.3),
    ]
    ahead = findings(rows).ahead(Combination("cora", "relu", "he", 2))
    assert ahead.mean == pytest.approx((ours - theirs).mean())
    error = (ours - theirs).std(ddof=1) * np.sqrt(1 / 5 + 0.3)
    assert ahead.margin == pytest.approx(stats.t.isf(0.025, 4) * error)
    assert not findings(rows[1:]).compared  # without the baseline


def test_equal_differences_of_two_splits_prove_nothing() -> None:
    rows = [row(2, 80.0, scores="51.0 64.0"), row(2, 80.0, "he", scores="52.0 65.0")]
    assert findings(rows).verdict(Combination("cora", "relu", "he", 2)) == ""


def test_other_activations_are_another_family() -> None:
    more = [
        *ROWS,
        *(
            {**one, "activation": "tanh"}
            for one in (*ROWS[:3], *(compared(depth, 0.1, 0.9, "energy") for depth in DEPTHS))
        ),
    ]
    assert findings(more).verdict(Combination("cora", "relu", "he", 4)) == "better"


def test_what_does_not_fit_is_told_from_what_fails_on_new_nodes() -> None:
    assert findings([row(2, 86.0), row(4, 60.0, train=60.0), row(8, 60.0, train=95.0)]).lost() == (2, 1)


def test_growth_is_that_of_hidden_layers() -> None:
    place = Combination("cora", "relu", "glorot", 4)
    found = findings([row(4, 80.0, start_variance="-1.00 -1.50 -2.00 9.00")])
    assert found.growth(place) == Growth(-0.5, -1.0, 0.0)
    assert found.growth(place, "energy") == Growth(-0.5, -1.0, 0.0)
    assert found.growth(place, "gradient_variance") == Growth(-0.5, -1.0)  # one derivation alone


@pytest.mark.parametrize("start", ["-1.00 1.00 inf 0.00", "-1.00 1.00 nan 0.00"])
def test_what_is_out_of_range_has_no_growth(start: str) -> None:
    place = Combination("cora", "relu", "glorot", 4)
    assert findings([row(4, 80.0, start_variance=start)]).growth(place) is None
    assert findings([row(2, 80.0)]).growth(place._replace(layers=2)) is None
