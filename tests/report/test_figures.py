from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.train.contenders import comparison

from allpass.diagnosis import DegreeHistogram, Mixing, Smoothing
from allpass.report import figures
from allpass.report.canvas import to_bytes
from allpass.report.theme import light


def texts(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_mixing_matrix_writes_percents_row_by_row():
    mixing = Mixing(("a", "b"), ((0.75, 0.25), (math.nan, math.nan)), (0.75, math.nan))
    axes = figures.mixing_matrix(mixing).axes[0]
    assert texts(axes) == ["75", "25", "–", "–"]
    assert len(axes.collections[0].get_paths()) == 2
    assert axes.collections[0].get_facecolors()[:, 3].tolist() == [0.75, 0.25]


def test_mixing_matrix_draws_the_chosen_classes():
    shares = ((0.1, 0.2, 0.7), (0.3, 0.3, 0.4), (0.5, 0.4, 0.1))
    axes = figures.mixing_matrix(Mixing(("a", "b", "c"), shares, (0.1, 0.3, 0.1)), [0, 2]).axes[0]
    assert texts(axes) == ["10", "70", "50", "10"]


def test_a_large_mixing_matrix_has_no_numbers(diagnoses):
    axes = figures.mixing_matrix(diagnoses["forty classes"].mixing).axes[0]
    assert texts(axes) == []
    assert len(axes.get_yticklabels()) == 20


def test_neighbour_means_counts_every_point():
    points = [(0.0, 0.0)] * 7 + [(5.0, 1.0)] * 2 + [(10.0, 10.0)]
    axes = figures.neighbour_means(points).axes[0]
    strengths = sorted(axes.collections[0].get_facecolors()[:, 3].tolist())
    assert strengths == pytest.approx([0.25, 0.25 + 0.75 * math.log(2) / math.log(7), 1.0])
    assert list(axes.lines[0].get_xdata()) == [0.0, 10.0] == list(axes.lines[0].get_ydata())


def test_neighbour_means_of_one_point():
    to_bytes(figures.neighbour_means([(3.0, 4.0)]), ".svg")


def test_class_sizes(diagnosis):
    axes = figures.class_sizes(diagnosis.facts).axes[0]
    assert [bar.get_width() for bar in axes.patches] == [20, 20, 20]
    assert texts(axes) == ["20 · 33%"] * 3
    assert [label.get_text() for label in axes.get_yticklabels()] == ["algae", "birds", "corals"]


def test_degree_histogram():
    axes = figures.degree_histogram(DegreeHistogram(("0", "1", "2-3"), (0, 1500, 3))).axes[0]
    assert [bar.get_height() for bar in axes.patches] == [0, 1500, 3]
    assert texts(axes) == ["1.5k", "3"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1", "2–3"]


def test_degree_histogram_of_nothing():
    figure = figures.degree_histogram(DegreeHistogram(("0",), (0,)))
    axes = figure.axes[0]
    assert [bar.get_height() for bar in axes.patches] == [0]
    assert texts(axes) == []
    assert axes.get_ylim() == (0, 1)
    to_bytes(figure, ".svg")


def test_spectrum_with_and_without_labels(diagnoses):
    frequencies = diagnoses["plain"].frequencies
    axes = figures.spectrum(frequencies).axes[0]
    spectrum, labels = (patch.get_data().values for patch in axes.patches)
    assert spectrum == pytest.approx([100 * share for share in frequencies.spectrum])
    assert labels == pytest.approx([100 * share for share in frequencies.labels])
    assert [text.split()[0] for text in texts(axes)] == ["low", "middle", "high"]
    assert texts(figures.spectrum(diagnoses["no labels"].frequencies).axes[0]) == ["low", "middle", "high"]


def test_smoothing_curves_are_relative_to_their_start():
    smoothing = Smoothing("features", (0.5, 0.25), (1.0, 0.1), (math.nan, math.nan), 1)
    lines = {
        line.get_label(): list(line.get_ydata()) for line in figures.smoothing_curves(smoothing).axes[0].lines
    }
    assert lines["distance of neighbours"] == [100, 50]
    assert lines["variance over nodes"] == [100, 10]
    assert "Dirichlet energy" not in lines


def test_smoothing_curves_that_rise_are_seen_whole():
    smoothing = Smoothing("features", (1.0, 3.0), (1.0, 1.0), (1.0, 1.0), None)
    assert figures.smoothing_curves(smoothing).axes[0].get_ylim()[1] >= 300


def test_nothing_to_smooth(diagnoses):
    figure = figures.smoothing_curves(diagnoses["one node"].smoothing)
    assert "nothing to smooth" in texts(figure.axes[0])[0]


def test_filter_separation_fills_every_row(diagnosis):
    axes = figures.filter_separation(diagnosis.separation, diagnosis.facts.class_names).axes[0]
    rows = 1 + len(diagnosis.facts.class_names)
    for row in range(rows):
        bars = [group[row].get_width() for group in axes.containers]
        assert sum(bars) == pytest.approx(100)
    shares = diagnosis.separation.shares
    first = {group.get_label(): group[0].get_width() for group in axes.containers}
    assert first == pytest.approx({name: 100 * share for name, share in shares.items()})


def test_filter_separation_of_an_undefined_class(diagnosis):
    empty = dict.fromkeys(diagnosis.separation.shares, math.nan)
    separation = replace(diagnosis.separation, by_class=(empty, *diagnosis.separation.by_class[1:]))
    axes = figures.filter_separation(separation, diagnosis.facts.class_names).axes[0]
    assert [group[1].get_width() for group in axes.containers] == [0, 0, 0, 0]


def test_comparison_draws_a_line_a_split_and_an_interval_a_model():
    compared = comparison({"mlp-2": (0.5, 0.6, 0.7), "gcn": (0.8, 0.8, 0.95)})
    axes = figures.comparison(compared).axes[0]
    drawn = [list(line.get_xdata()) for line in axes.lines]
    assert drawn[:3] == [pytest.approx(pair) for pair in ([50, 80], [60, 80], [70, 95])]
    for model, place in (("mlp-2", 3), ("gcn", 5)):
        found = compared[model].estimate
        assert drawn[place] == pytest.approx([100 * found.low, min(100 * found.high, 100)])
        assert drawn[place + 1] == pytest.approx([100 * found.mean])
    assert texts(axes) == ["60.0", "85.0"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["mlp-2", "gcn"]
    assert axes.get_xlabel() == "accuracy on the test nodes, %"


def test_comparison_of_one_split_of_scores_that_are_no_shares():
    figure = figures.comparison(comparison({"gcn": (-0.25,), "mlp-2": (math.nan,)}, score="r2"))
    assert texts(figure.axes[0]) == ["−0.250"]
    to_bytes(figure, ".svg")


def test_a_comparison_draws_shares_on_the_whole_axis_and_nothing_beyond_it():
    compared = comparison({"mlp-2": (0.5, 0.6, 0.7), "gcn": (0.8, 0.99, 0.95)})
    assert compared["gcn"].estimate.high > 1
    baseline = replace(compared["mlp-2"], model="majority class")
    axes = figures.comparison(compared, baseline, highlighted="").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["majority class", "mlp-2", "gcn"]
    assert axes.get_xlim()[0] == 0
    assert all(max(line.get_xdata()) <= 100 for line in axes.lines)
    assert light("high") not in {line.get_color() for line in axes.lines}
    assert axes.lines[3].get_color() == light("muted")
