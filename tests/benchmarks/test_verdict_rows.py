"""Rows of the verdict benchmark: the file gives back what it was given, and the regret is what a hand computes."""

from __future__ import annotations

import math

import pytest
from benchmarks.verdict_rows import Row, read, regret, table, write

MODELS = ("mlp-2", "gcn", "linkx")


def row(model, scores, *, graph="g", settings="", recommended=False, test_nodes=2000, overlap=0.25):
    return Row(
        graph,
        model,
        settings,
        "accuracy",
        scores=list(scores),
        test_nodes=test_nodes,
        overlap=overlap,
        splits="abc",
        seconds=1.5,
        recommended=recommended,
        verdict_seconds=12.25 if recommended else math.nan,
        verdict='Structure alone predicts 91.8%, "almost".' if recommended else "",
    )


def test_a_file_gives_back_its_rows(tmp_path):
    rows = [
        row("gcn", [0.5, None, 0.25]),
        row("gcn", [0.5, 0.75, 0.25], settings='{"lr": 0.05}', recommended=True),
        row("mlp-2", [0.1, 0.2, 0.3]),
    ]
    path = tmp_path / "verdict.csv"
    write(path, reversed(rows))
    again = read(path)
    assert [vars(one) | {"verdict_seconds": 0} for one in again] == [
        vars(one) | {"verdict_seconds": 0} for one in rows
    ]
    assert again[1].verdict_seconds == pytest.approx(12.25, abs=0.06)
    assert math.isnan(again[0].verdict_seconds)
    assert again[0].missing == [1]
    assert math.isnan(again[0].mean)
    first = path.read_bytes()
    write(path, again)
    assert path.read_bytes() == first
    assert read(tmp_path / "none.csv") == []


def test_the_regret_is_paired_and_its_interval_allows_for_shared_nodes():
    scores = [0.70, 0.72, 0.74, 0.68]
    best = [score + gap for score, gap in zip(scores, [0.02, 0.04, 0.03, 0.03], strict=True)]
    found = regret(
        [
            row("mlp-2", [0.6] * 4),
            row("linkx", best),
            row("gcn", scores, settings='{"lr": 1}', recommended=True),
        ],
        MODELS,
    )
    assert found.best.model == "linkx"
    assert found.models == 2  # gcn at other settings is not one of the ten
    assert found.difference.mean == pytest.approx(0.03)
    deviation = math.sqrt((0.01**2 + 0.01**2) / 3)
    reach = 3.182446305284263 * deviation * math.sqrt(1 / 4 + 0.25)  # t of 3 degrees of freedom
    assert found.difference.low == pytest.approx(0.03 - reach)
    assert not found.fails


@pytest.mark.parametrize(("gap", "fails"), [(0.019, False), (0.021, True), (-0.05, False)])
def test_a_graph_fails_when_the_regret_is_clearly_above_two_points(gap, fails):
    found = regret(
        [row("gcn", [0.5 + gap] * 3), row("mlp-2", [0.5] * 3, settings="{}", recommended=True)], MODELS
    )
    assert found.fails is fails
    assert found.difference.mean == pytest.approx(gap)  # a recommendation may be better than all ten


def test_the_best_may_be_the_recommended_one():
    found = regret([row("gcn", [0.5, 0.6], recommended=True), row("mlp-2", [0.4, 0.4])], MODELS)
    assert found.difference.mean == 0
    assert found.models == 2


def test_there_is_no_regret_before_everything_is_measured():
    assert regret([row("gcn", [0.5, 0.6])], MODELS) is None
    assert regret([row("gcn", [0.5, None], recommended=True), row("mlp-2", [0.4, 0.4])], MODELS) is None
    assert regret([row("other", [0.5, 0.6], recommended=True)], MODELS) is None


def test_the_table_counts_failures_and_takes_the_median_of_large_graphs():
    rows = []
    for number, gap in enumerate([0.001, 0.004, 0.03, 0.0]):
        size = 100 if number == 3 else 1000
        name = f"graph-{number}"
        rows += [
            row("gcn", [0.5 + gap] * 3, graph=name, test_nodes=size),
            row("mlp-2", [0.5] * 3, graph=name, test_nodes=size, recommended=True),
        ]
    rows.append(row("gcn", [0.5] * 3, graph="open"))
    text = table(rows, MODELS)
    assert text.count("  fails") == 1
    assert "open     not finished" in text
    assert "1 of 4 graphs fail (interval above 2 points), 1 are not finished" in text
    assert (
        "Median regret of 3 graphs with 1,000 or more test nodes: +0.40 points, within the limit of 0.5"
        in text
    )
