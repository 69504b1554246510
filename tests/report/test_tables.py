from __future__ import annotations

import pytest

from allpass.errors import InputError
from allpass.metrics import METRICS
from allpass.report.tables import METRIC_HEADERS, markdown_table, metric_rows, metric_table, number_end


def test_every_metric_has_its_row(diagnosis):
    rows = metric_rows(diagnosis)
    assert [row[1] for row in rows] == [metric.symbol for metric in METRICS]
    assert all(len(row) == len(METRIC_HEADERS) for row in rows)
    edge = rows[0]
    assert edge == ("edge homophily", "H_edge", "0.950", "0 to 1", METRICS["edge_homophily"].meaning)


def test_an_undefined_metric_says_why(diagnoses):
    row = metric_rows(diagnoses["one class"])[3]
    assert row[0] == "adjusted homophily"
    assert row[2] == "undefined"
    assert row[4] != METRICS["adjusted_homophily"].meaning


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


def test_markdown():
    table = markdown_table(["name", "value"], [["a|b", 1], ["two\nlines", None]])
    assert table.splitlines() == [
        "| name | value |",
        "| --- | --- |",
        "| a\\|b | 1 |",
        "| two lines | None |",
    ]


def test_markdown_without_rows():
    assert markdown_table(["name"], []) == "| name |\n| --- |"


def test_a_row_of_another_width():
    with pytest.raises(InputError, match="row of 1 cells under 2 headers"):
        markdown_table(["a", "b"], [["x"]])
