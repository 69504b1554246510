"""The page of depth holds what was found."""

from __future__ import annotations

from tests.papers.pages.depth.invented import ROWS, plain, row, tables, texts

from allpass.papers.depth import STUDY
from allpass.papers.pages.csv_file import csv_text, parse_csv
from allpass.papers.pages.depth.page import page


def test_the_tables_hold_what_was_found() -> None:
    reach, _, _, helps, diverged, *_, accuracies, growths = tables(page(STUDY, ROWS))
    assert reach.rows == (("glorot", "4"), ("he", "4–8+"))  # nothing deeper than 8 is there
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


def test_a_network_that_diverges_has_no_accuracy() -> None:
    lost = row(4, 0.0, "energy", diverged=10)
    accuracies = tables(page(STUDY, [*ROWS, lost]))[-2]
    assert plain(accuracies.rows[-1][2]) == "diverged"


def test_divergence_stands_on_the_page() -> None:
    bad = row(4, 40.0, "energy", diverged=5, tried_diverged=9, tried_exploded=3)
    made = page(STUDY, [*ROWS, bad])
    assert "9 diverged: their loss stopped being a number. 3 more exploded" in texts(made)
    diverged, accuracies = tables(made)[4], tables(made)[-2]
    assert diverged.rows[-1] == ("energy", "–", "9 + 3 of 20", "–")
    assert [plain(value) for value in accuracies.rows[-1]] == [
        "ReLU, energy",
        "not run yet",
        "40.0 ± 1.0 ▼ (5 diverged)",
        "not run yet",
    ]


def test_the_page_of_nothing_says_so() -> None:
    made = page(STUDY, [])
    assert "Nothing has been run yet." in texts(made)
    assert not tables(made)


def test_rows_read_back_from_their_file_give_the_same_page() -> None:
    again = page(STUDY, parse_csv(csv_text(ROWS)))
    assert texts(again) == texts(page(STUDY, ROWS))
    assert tables(again) == tables(page(STUDY, ROWS))
