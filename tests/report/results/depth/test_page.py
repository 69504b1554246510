"""The page of depth: what it says follows from invented rows whose answer is known, and every picture draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from allpass.experiments.depth import STUDY
from allpass.experiments.depth.grid import Combination
from allpass.experiments.study import Row
from allpass.nn.initialisation import SCHEMES
from allpass.report.canvas import to_bytes
from allpass.report.results.csv_file import csv_text, parse_csv
from allpass.report.results.depth.figures import accuracy
from allpass.report.results.depth.findings import Findings
from allpass.report.results.depth.page import page
from allpass.report.results.page import Page, Picture, Table, Text, Value

DEPTHS = (2, 4, 8)


def row(layers: int, mean: float, initialisation: str = "glorot", **changed: object) -> Row:
    line = " ".join(f"{-0.5 * layer:.2f}" for layer in range(1, layers + 1))
    steep = " ".join(f"{-1.0 * layer:.2f}" for layer in range(1, layers + 1))
    flat = " ".join(["0.00"] * layers)
    measured = {
        f"{m}_{q}": line for m in ("start", "end") for q in ("variance", "gradient_variance", "energy")
    }
    predicted = {f"independent_{q}": steep for q in ("variance", "gradient_variance", "energy")}
    found: Row = {
        "dataset": "cora",
        "activation": "relu",
        "initialisation": initialisation,
        "layers": layers,
        "lr": 0.01,
        "runs": 10,
        "diverged": 0,
        "tried": 20,
        "tried_diverged": 0,
        "tried_exploded": 0,
        "mean": mean,
        "low": mean - 1,
        "high": mean + 1,
        "validation": mean,
        "train": mean + 5,
        "majority": 30.0,
        "scores": f"{mean - 0.1} {mean + 0.1}",
        "epochs": 100.0,
        "difference": None,
        "difference_low": None,
        "difference_high": None,
        "p_value": None,
        **measured,
        **predicted,
        "alike_variance": flat,
        "alike_energy": flat,
        "quick": False,
        "seconds": 1.0,
        "allpass": "0",
        "torch": "2",
        "device": "none",
        "ended": "2026-01-01",
    }
    return {**found, **changed}  # type: ignore[dict-item]


def compared(layers: int, mean: float, difference: float, p_value: float, name: str = "he") -> Row:
    return row(layers, mean, name, difference=difference, p_value=p_value)


ROWS = [
    *(row(depth, mean) for depth, mean in zip(DEPTHS, (86.0, 84.5, 60.0), strict=True)),
    compared(2, 86.0, 0.0, 1.0),
    compared(4, 85.0, 0.5, 0.02),
    compared(8, 84.0, 24.0, 0.001),
]


def findings(rows: Sequence[Row] = ROWS) -> Findings:
    return Findings(STUDY, rows)


def texts(made: Page) -> str:
    return "\n".join(block.text for block in made.blocks if isinstance(block, Text))


def tables(made: Page) -> list[Table]:
    return [block for block in made.blocks if isinstance(block, Table)]


def plain(value: Value | str) -> str:
    return value.text if isinstance(value, Value) else value


def test_the_depth_to_which_a_combination_trains() -> None:
    assert findings().reach("cora", "relu", "glorot") == (4, 4)
    assert findings().reach("cora", "relu", "he") == (8, 8)
    assert findings().reach("cora", "tanh", "he") is None


def test_what_noise_leaves_open_is_not_sure_but_possible() -> None:
    """Two splits that lose 0 and 5 points: the interval of the mean holds the 2 that are allowed."""
    reach = findings([row(2, 86.0), row(4, 83.5, scores="85.9 81.1"), row(8, 50.0)]).reach(
        "cora", "relu", "glorot"
    )
    assert reach == (2, 4)
    assert str(reach) == "2–4"
    assert str(findings().reach("cora", "relu", "he")) == "8"


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


def test_the_axis_of_a_picture_ends_above_all_accuracies() -> None:
    def top(rows: Sequence[Row]) -> float:
        return float(accuracy(findings(rows), "cora").axes[0].get_ylim()[1])

    assert top([row(2, 42.0), row(4, 31.0)]) == 50.0
    assert top(ROWS) == 90.0
    assert top([row(2, 99.5)]) == 100.0


def test_verdicts_are_corrected_for_how_many_there_are() -> None:
    places = [Combination("cora", "relu", "he", depth) for depth in DEPTHS]
    assert [findings().verdict(place) for place in places] == ["", "better", "better"]  # 0.02 times 2
    more = [*ROWS, *(compared(depth, 80.0, 0.1, 0.9, "energy") for depth in DEPTHS)]
    assert [findings(more).verdict(place) for place in places] == ["", "", "better"]  # 0.02 times 5
    assert findings([compared(2, 80.0, -3.0, 0.001)]).verdict(places[0]) == "worse"


def test_other_activations_are_another_family() -> None:
    more = [*ROWS, *({**compared(depth, 80.0, 0.1, 0.9, "energy"), "activation": "tanh"} for depth in DEPTHS)]
    assert findings(more).verdict(Combination("cora", "relu", "he", 4)) == "better"


def test_what_a_difference_has_to_be_is_where_its_corrected_p_value_crosses() -> None:
    """Five runs of deviation 1 and three questions: a t test of that difference has p = 0.05 / 3."""
    error = 1 / np.sqrt(5)
    half = error * stats.t.isf(0.025, 4)
    around = {"runs": 5, "difference_low": 1 - half, "difference_high": 1 + half}
    rows = [{**compared(depth, 80.0, 1.0, 0.2), **around} for depth in DEPTHS]
    needed = findings(rows).needed()
    assert 2 * stats.t.sf(needed / error, 4) == pytest.approx(0.05 / 3)
    said = texts(page(STUDY, rows))
    assert f"a difference has to be {needed:.0f} points or more" in said
    assert "0 are better and 0 worse" in said
    clear = [{**rows[0], "difference_low": 0.1}, {**rows[1], "difference_high": -0.1}, rows[2]]
    assert "1 are better and 1 worse, where chance alone gives about 0 of each" in texts(page(STUDY, clear))


def test_what_does_not_fit_is_told_from_what_fails_on_new_nodes() -> None:
    assert findings([row(2, 86.0), row(4, 60.0, train=60.0), row(8, 60.0, train=95.0)]).lost() == (2, 1)


def test_growth_is_that_of_hidden_layers() -> None:
    growth = findings([row(4, 80.0, start_variance="-1.00 -1.50 -2.00 9.00")]).growth(
        Combination("cora", "relu", "glorot", 4)
    )
    assert growth is not None
    assert (growth.measured, growth.independent, growth.alike) == (-0.5, -1.0, 0.0)
    assert growth.between
    assert not replace(growth, measured=0.1).between
    assert not growth.nearer_to_alike
    assert replace(growth, measured=-0.4).nearer_to_alike


@pytest.mark.parametrize("start", ["-1.00 1.00 inf 0.00", "-1.00 1.00 nan 0.00"])
def test_what_is_out_of_range_has_no_growth(start: str) -> None:
    place = Combination("cora", "relu", "glorot", 4)
    assert findings([row(4, 80.0, start_variance=start)]).growth(place) is None
    assert findings([row(2, 80.0)]).growth(place._replace(layers=2)) is None


def test_depths_are_told_by_the_middle_one_and_the_ends() -> None:
    assert "Cora: surely to 2 layers, possibly to 2 layers" in texts(page(STUDY, [row(2, 80.0)]))
    assert "Cora: surely to 4 layers (4 to 8), possibly to 4 layers (4 to 8)" in texts(page(STUDY, ROWS))
    assert "Cora: surely to 0 layers, possibly to 0 layers" in texts(page(STUDY, [row(2, 30.5)]))


def test_how_networks_were_trained_is_told() -> None:
    said = texts(page(STUDY, ROWS))
    assert (
        "trained on 5 splits, with 0.01 and 0.001 as learning rate, 64 hidden channels, for at most 500"
        in said
    )


def test_the_page_says_what_was_found() -> None:
    made = page(STUDY, ROWS)
    said = texts(made)
    assert "0 of 6 networks diverged in all their runs. Of the others 3 are compared with glorot" in said
    assert ": 2 are significantly better, 0 of them where glorot does no better" in said
    assert "; 0 are significantly worse (" in said
    assert "Networks that lose more than 2 points against the shallow one: 1." in said
    assert "Of 120 runs" in said
    assert "- ReLU: between the two in 4 of 4 networks, nearer to the second in 0" in said
    assert all(f"- {note}" in said for note in STUDY.notes)


def test_differences_are_told_apart_by_what_makes_them() -> None:
    sure = {"difference_low": 1.0, "difference_high": 2.0, "p_value": 1e-6}
    rows = [
        row(2, 86.0),
        row(4, 31.0),
        row(8, 84.0),
        row(4, 85.0, "he", difference=54.0, **sure),
        row(8, 85.0, "he", difference=1.0, **sure),
        row(8, 0.0, "energy", difference=-84.0, diverged=10, **sure),
        row(8, 60.0, "forward", difference=-24.0, diverged=4, **sure),
    ]
    said = texts(page(STUDY, rows))
    assert "1 of 7 networks diverged in all their runs. Of the others 3 are compared with glorot" in said
    assert ": 2 are significantly better, 1 of them where glorot does no better" in said
    assert "; 1 are significantly worse (" in said
    assert page(STUDY, rows).finding.endswith(
        "Of 3 networks that do not diverge 2 are significantly better than with glorot, and 1 worse."
    )
    helps = tables(page(STUDY, rows))[3]
    assert helps.rows[0] == ("he", "–", "+54.0 (of 1, 1 better)", "+1.0 (of 1, 1 better)")
    assert helps.rows[1] == ("forward", "–", "–", "−24.0 (of 1, 1 worse)")
    assert helps.rows[2] == ("energy", "–", "–", "1 diverged")


def test_networks_that_learn_nothing_are_counted() -> None:
    """The interval of an accuracy is one point to each side; the most frequent class gives 30."""
    tanh = [
        {**one, "activation": "tanh", "mean": mean, "low": mean - 1}
        for one, mean in zip(ROWS[2::3], (30.9, 31.1), strict=True)
    ]
    made = page(STUDY, [*ROWS, *tanh])
    _, by_depth, by_dataset, *_ = tables(made)
    assert by_depth.rows == (
        ("glorot", "1 of 1", "1 of 1", "1 of 2"),
        ("he", "1 of 1", "1 of 1", "2 of 2"),
    )
    assert by_dataset.header == ("initialisation", "Cora")
    assert by_dataset.rows == (("glorot", "1 of 2"), ("he", "2 of 2"))
    assert made.finding.startswith(
        "With 8 layers these do better than the most frequent class, by the 95% interval of their accuracy: "
        "1 of 2 from glorot, 2 of 2 from he. "
    )
    assert ": 1 of 1 from glorot. " in page(STUDY, ROWS[:1]).finding


def test_the_finding_names_the_ends_and_the_baseline() -> None:
    names = ("glorot", "he", "forward", "backward", "energy")
    rows = [
        {**row(2, 80.0 if place < learning else 20.0, name), "activation": activation}
        for name, learning in zip(names, (1, 2, 0, 3, 2), strict=True)
        for place, activation in enumerate(("relu", "tanh", "adarelu"))
    ]
    told = ": 1 of 3 from glorot, 0 of 3 from forward, 3 of 3 from backward, and the others between. "
    assert told in page(STUDY, rows).finding


def test_an_initialisation_that_was_not_run_to_the_full_depth_is_not_counted_there() -> None:
    assert ": 1 of 1 from he. " in page(STUDY, [row(2, 86.0), row(8, 84.0, "he")]).finding


def test_the_tables_hold_what_was_found() -> None:
    reach, _, _, helps, diverged, accuracies, growths = tables(page(STUDY, ROWS))
    assert reach.rows == (("glorot", "4"), ("he", "8+"))  # nothing deeper than 8 is there
    assert helps.rows[0][3] == "+24.0 (of 1, 1 better)"
    assert diverged.rows[0] == ("glorot", *["0 + 0 of 20"] * 3)
    assert [plain(value) for value in accuracies.rows[1]] == [
        "ReLU, he",
        "86.0 ± 1.0",
        "85.0 ± 1.0 ▲",
        "84.0 ± 1.0 ▲",
    ]
    assert growths.rows[0] == ("glorot", "0.316 (0.1; 1)")


def test_growth_that_is_not_known_is_told_from_one_out_of_range() -> None:
    broken = row(8, 20.0, "energy", start_variance="1.00 20.00 inf nan nan nan nan nan")
    elsewhere = {**broken, "activation": "tanh"}
    *_, growths = tables(page(STUDY, [*ROWS, broken, elsewhere]))
    assert growths.rows[0] == ("glorot", "0.316 (0.1; 1)", "–")
    assert growths.rows[-1] == ("energy", "out of range", "out of range")


def test_divergence_stands_on_the_page() -> None:
    bad = row(4, 40.0, "energy", diverged=5, tried_diverged=9, tried_exploded=3)
    made = page(STUDY, [*ROWS, bad])
    assert "9 diverged: their loss stopped being a number. 3 more exploded" in texts(made)
    *_, diverged, accuracies, _ = tables(made)
    assert diverged.rows[-1] == ("energy", "–", "9 + 3 of 20", "–")
    assert [plain(value) for value in accuracies.rows[-1]] == [
        "ReLU, energy",
        "not run yet",
        "40.0 ± 1.0 (5 diverged)",
        "not run yet",
    ]


def test_a_network_that_diverges_has_no_accuracy() -> None:
    lost = row(4, 0.0, "energy", diverged=10, difference=-84.0, p_value=1e-9)
    accuracies = tables(page(STUDY, [*ROWS, lost]))[-2]
    assert plain(accuracies.rows[-1][2]) == "diverged"


def test_every_picture_draws_also_what_is_out_of_range() -> None:
    broken = row(8, 0.0, "energy", start_energy="1.00 inf nan nan nan nan nan nan", end_energy="", low=None)
    made = page(STUDY, [*ROWS, broken])
    pictures = [block for block in made.blocks if isinstance(block, Picture)]
    assert [picture.name for picture in pictures] == ["depth-cora", "depth-cora-8"]
    for picture in pictures:
        assert b"energy" in to_bytes(picture.draw(), ".svg")


def test_accuracy_has_a_panel_for_each_activation_and_a_line_for_each_initialisation() -> None:
    tanh = [{**one, "activation": "tanh"} for one in ROWS]
    pictures = [block for block in page(STUDY, [*ROWS, *tanh]).blocks if isinstance(block, Picture)]
    figure = pictures[0].draw()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["ReLU", "Tanh"]
    drawn = {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].get_lines()}
    assert drawn["he"] == [86.0, 85.0, 84.0]
    assert drawn["glorot"] == [86.0, 84.5, 60.0]


def test_no_two_initialisations_look_alike() -> None:
    rows = [row(depth, 80.0, name) for name in STUDY.spec.initialisations for depth in DEPTHS]
    picture = next(block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    lines = [line for line in picture.draw().axes[0].get_lines() if line.get_label() in SCHEMES]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(
        STUDY.spec.initialisations
    )


def test_the_page_of_nothing_says_so() -> None:
    made = page(STUDY, [])
    assert "Nothing has been run yet." in texts(made)
    assert not tables(made)


def test_rows_read_back_from_their_file_give_the_same_page() -> None:
    again = page(STUDY, parse_csv(csv_text(ROWS)))
    assert texts(again) == texts(page(STUDY, ROWS))
    assert tables(again) == tables(page(STUDY, ROWS))
