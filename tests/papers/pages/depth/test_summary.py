"""What is said of depth follows from invented rows whose answer is known."""

from __future__ import annotations

import pytest
from scipy import stats
from tests.papers.pages.depth.invented import DEPTHS, ROWS, compared, findings, row, tables, texts

from allpass.papers.depth import STUDY
from allpass.papers.pages.depth.page import page


def test_what_a_difference_has_to_be_is_where_its_corrected_p_value_crosses() -> None:
    """Ten runs and three questions: a t test of that difference has p = 0.05 / 3."""
    rows = [*ROWS[:3], *(compared(depth, 1.0, 0.2) for depth in DEPTHS)]
    needed = findings(rows).needed()
    error = 1.0 / stats.t.isf(0.1, 9)
    assert 2 * stats.t.sf(needed / error, 9) == pytest.approx(0.05 / 3)
    said = texts(page(STUDY, rows))
    assert f"a difference has to be {needed:.0f} points or more" in said
    assert "0 are better and 0 worse" in said
    clear = [*ROWS[:3], compared(2, 1.0, 0.04), compared(4, -1.0, 0.04), compared(8, 1.0, 0.06)]
    assert "1 are better and 1 worse, where chance alone gives about 0 of each" in texts(page(STUDY, clear))


def test_depths_are_told_by_the_middle_one_and_the_ends() -> None:
    assert "Cora: surely to 2 layers, possibly to 2 layers" in texts(page(STUDY, [row(2, 80.0)]))
    assert "Cora: surely to 4 layers, possibly to 4 layers (4 to 8)" in texts(page(STUDY, ROWS))
    assert "Cora: surely to 0 layers, possibly to 0 layers" in texts(page(STUDY, [row(2, 30.5)]))


def test_how_networks_were_trained_is_told() -> None:
    said = texts(page(STUDY, ROWS))
    assert (
        "trained on 5 splits, with 0.01 and 0.001 as learning rate, 64 hidden channels, for at most 500"
        in said
    )


def test_a_quick_run_tells_its_own_training() -> None:
    said = texts(page(STUDY, [row(2, 80.0, quick=True)]))
    assert "trained on 2 splits" in said
    assert "for at most 20 epochs" in said


def test_the_page_says_what_was_found() -> None:
    made = page(STUDY, ROWS)
    said = texts(made)
    assert "0 of 6 networks diverged in all their runs. Of the others 3 are compared with glorot" in said
    assert ": 2 are significantly better, 0 of them where glorot does no better" in said
    assert "; 0 are significantly worse (" in said
    assert "Networks that lose more than 2 points against the shallow one: 1." in said
    assert "Of 120 runs" in said
    assert all(f"- {note}" in said for note in STUDY.notes)


def test_differences_are_told_apart_by_what_makes_them() -> None:
    rows = [
        row(2, 86.0),
        row(4, 31.0),
        row(8, 60.0),
        row(4, 85.0, "he", scores=" ".join(str(85.0 + place % 3) for place in range(10))),
        compared(8, 1.0, 1e-6),
        row(8, 0.0, "energy", diverged=10, scores=" ".join(["0.0"] * 10)),
        {**compared(8, -24.0, 1e-6, "forward"), "diverged": 4},
    ]
    said = texts(page(STUDY, rows))
    assert "1 of 7 networks diverged in all their runs. Of the others 3 are compared with glorot" in said
    assert ": 2 are significantly better, 1 of them where glorot does no better" in said
    assert "; 1 are significantly worse (" in said
    assert page(STUDY, rows).findings[1] == (
        "Of 3 networks that do not diverge 2 (with 4 or 8 layers) are significantly better than with glorot, and 1 "
        "(with 8 layers) worse."
    )
    helps = tables(page(STUDY, rows))[3]
    assert helps.rows[0] == ("he", "–", "+54.9 (of 1, 1 better)", "+1.0 (of 1, 1 better)")
    assert helps.rows[1] == ("forward", "–", "–", "−24.0 (of 1, 1 worse)")
    assert helps.rows[2] == ("energy", "–", "–", "−60.0 (of 1, 1 diverged)")
    both = [*rows, *({**one, "activation": "tanh"} for one in (rows[2], {**compared(8, 2.0, 0.5, "energy")}))]
    helps = tables(page(STUDY, both))[3]
    assert helps.rows[2][-1] == "−29.0 (of 2, 1 diverged, +2.0 without)"


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
    assert made.findings[2] == (
        "Networks with 8 layers that do better than the most frequent class, by the 95% interval of their accuracy: "
        "glorot 1 of 2, he 2 of 2."
    )
    assert page(STUDY, ROWS[:1]).findings[2].endswith(": glorot 1 of 1.")


def test_the_shallowest_and_the_deepest_networks_are_chosen_on_validation_nodes() -> None:
    """The highest accuracy on test nodes, 87.5, is not that of the network to choose."""
    rows = [
        row(2, 86.0, validation=88.0),
        row(2, 87.5, "he", validation=87.0),
        row(4, 99.0),
        row(8, 60.0, "he"),
    ]
    first = page(STUDY, rows).findings[0]
    assert first.startswith(
        "Mean accuracy on test nodes with 2 and with 8 layers, in percent, of the network with the best mean accuracy "
        "on validation nodes among 1 to 2: Cora 86.0 and 60.0. "
    )
    elsewhere = {**row(2, 70.0), "dataset": "pubmed"}
    assert "PubMed 70.0 and not run yet" in page(STUDY, [*rows, elsewhere]).findings[0]
    assert " on validation nodes among 1: Cora" in page(STUDY, rows[1:]).findings[0]


def test_an_initialisation_that_was_not_run_to_the_full_depth_is_not_counted_there() -> None:
    assert page(STUDY, [row(2, 86.0), row(8, 84.0, "he")]).findings[2].endswith(": he 1 of 1.")
