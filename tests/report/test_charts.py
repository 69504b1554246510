from __future__ import annotations

from dataclasses import replace

import pytest

from allpass.diagnosis import Mixing
from allpass.report.charts import SHOWN, all_charts, shown_classes, tenths

ALWAYS = {"degrees", "spectrum", "smoothing"}


@pytest.mark.parametrize(
    ("case", "more"),
    [
        ("plain", {"mixing", "classes", "separation"}),
        ("judged", {"comparison", "mixing", "classes", "separation"}),
        ("no labels", set()),
        ("no features", {"mixing", "classes", "separation"}),
        ("nothing", set()),
        ("one class", {"classes"}),
        ("one node", {"classes"}),
        ("numbers", {"numbers"}),
    ],
)
def test_figures_that_apply(diagnoses, case: str, more: set[str]):
    assert set(all_charts(diagnoses[case])) == ALWAYS | more


def test_numbers_beside_the_figures(diagnosis):
    charts = all_charts(diagnosis)
    assert charts["classes"].rows[0] == ("algae", "20", "33%")
    assert charts["degrees"].rows[-1] == ("2–3", "60")
    assert charts["mixing"].headers == ("class", "algae", "birds", "corals")
    assert charts["mixing"].rows[0] == ("algae", "95%", "2%", "2%")
    assert len(charts["spectrum"].rows) == 30
    assert len(charts["smoothing"].rows) == 17
    for chart in charts.values():
        assert all(len(row) == len(chart.headers) for row in chart.rows)


def test_numbers_and_their_neighbours_in_tenths(diagnoses):
    numbers = diagnoses["numbers"].numbers
    chart = all_charts(diagnoses["numbers"])["numbers"]
    assert len(chart.rows) == 10
    assert sum(int(row[2]) for row in chart.rows) == len(numbers.points) == 54
    first = sorted(numbers.points)[:5]
    assert chart.rows[0][0] == "300,548"
    assert chart.rows[0][3] == f"{sum(mean for _, mean in first) / 5:,.0f}"


def test_few_points_make_few_groups():
    assert tenths([(1.0, 1.0), (2.0, 2.0)]) == [[(1.0, 1.0)], [(2.0, 2.0)]]


def test_the_scores_of_a_comparison(diagnoses):
    chart = all_charts(diagnoses["judged"])["comparison"]
    assert chart.headers == ("model", "random/0", "random/1", "mean", "from", "to", "epochs")
    assert chart.rows[0][:4] == ("majority class", "0.300", "0.300", "0.300")
    assert chart.rows[2][:4] == ("gcn", "0.800", "0.810", "0.805")
    assert "2 splits" in chart.reading


def test_the_largest_classes_are_shown_in_their_own_order():
    sizes = [5] * SHOWN
    assert shown_classes([1, *sizes, 2]) == list(range(1, SHOWN + 1))
    assert shown_classes([3, 2]) == [0, 1]


def test_a_thousand_classes_stay_readable(diagnosis):
    many = 1000
    names = tuple(map(str, range(many)))
    facts = replace(diagnosis.facts, classes=many, class_names=names, class_sizes=(1,) * many, labelled=many)
    mixing = Mixing(names, ((1 / many,) * many,) * many, (1 / many,) * many)
    charts = all_charts(replace(diagnosis, facts=facts, mixing=mixing, separation=None))
    assert len(charts["mixing"].rows) == SHOWN
    assert "40 largest of 1,000 classes" in charts["classes"].reading


def test_unlabelled_nodes_are_counted(diagnosis):
    facts = replace(diagnosis.facts, labelled=58)
    assert "2 nodes have no label" in all_charts(replace(diagnosis, facts=facts))["classes"].reading
