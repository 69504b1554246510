from __future__ import annotations

import pytest

from allpass.metrics import METRICS
from allpass.report.tables import metric_table, number_end


def test_every_metric_has_its_row(diagnosis):
    rows = metric_table(diagnosis)
    assert [row.metric for row in rows] == [m for m in METRICS if "numbers" not in m.needs]
    edge = rows[0]
    assert (edge.title, edge.value, edge.range, edge.reason) == ("edge homophily", "0.950", "0 to 1", "")


def test_numbers_have_rows_of_their_own(diagnoses):
    rows = {row.metric.name: row for row in metric_table(diagnoses["numbers"])}
    assert {"morans_i", "gearys_c", "neighbour_correlation"} < set(rows)
    assert rows["morans_i"].range == "−∞ to ∞"


def test_an_undefined_metric_says_why(diagnoses):
    row = metric_table(diagnoses["one class"])[3]
    assert row.title == "adjusted homophily"
    assert row.value == "undefined"
    assert row.reason


def test_bars_begin_at_zero(diagnosis):
    rows = {row.metric.name: row for row in metric_table(diagnosis)}
    assert rows["edge_homophily"].bar == (0, pytest.approx(95))
    start, stop = rows["adjusted_homophily"].bar
    assert (start, stop) == (50, pytest.approx(50 + 50 * diagnosis.profile["adjusted_homophily"], abs=0.01))
    assert rows["feature_smoothness"].bar is None
    assert rows["feature_smoothness"].range == "0 to ∞"


def test_tests_show_their_accuracies(diagnosis):
    rows = {row.metric.name: row for row in metric_table(diagnosis)}
    test = diagnosis.tests["naive-bayes"]
    assert f"{test.with_graph:.0%} with averaging" in rows["classifier_naive_bayes"].remark
    assert rows["edge_homophily"].remark == ""


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (-1, "−1"), (0.5, "0.500"), (float("inf"), "∞")])
def test_ends_of_a_range(value: float, text: str):
    assert number_end(value) == text
