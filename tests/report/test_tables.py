from __future__ import annotations

from dataclasses import replace

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


def test_tests_show_their_accuracies_and_a_p_value_the_usual_way_round(diagnosis):
    """Published tests are near 1 where averaging helps; a reader expects a small p-value where it matters."""
    rows = {row.metric.name: row for row in metric_table(diagnosis)}
    test, row = diagnosis.tests["naive-bayes"], rows["classifier_naive_bayes"]
    assert test.p_value > 0.9995
    assert f"ahead: {test.with_graph:.1%} with averaging" in row.remark
    assert (row.value, row.bar, row.range) == ("p <0.001", None, "")
    assert "as published: 1.000" in row.direction
    assert rows["edge_homophily"].remark == ""
    turned = replace(row.metric, name="classifier_naive_bayes")
    middling = replace(
        diagnosis.profile, rows=(replace(diagnosis.profile.rows[0], metric=turned, value=0.3),)
    )
    (found,) = metric_table(replace(diagnosis, profile=middling))
    assert found.value == "p = 0.600"


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (-1, "−1"), (0.5, "0.500"), (float("inf"), "∞")])
def test_ends_of_a_range(value: float, text: str):
    assert number_end(value) == text
