"""The page of costs: what it says follows from invented rows whose answer is known."""

from __future__ import annotations

import pytest

from allpass.papers.complexity.study import STUDY
from allpass.papers.pages.complexity import page
from allpass.papers.pages.csv_file import csv_text, parse_csv
from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Picture, Table, Text
from allpass.papers.study import Row
from allpass.report.canvas import to_bytes


def row(dataset: str, model: str, ratio: float | None = None, **changed: object) -> Row:
    found: Row = {
        "dataset": dataset,
        "model": model,
        "base": STUDY.models[model].base,
        "runs": 1,
        "nodes": 10,
        "entries": 30,
        "features": 4,
        "classes": 2,
        "parameters_printed": 1000,
        "parameters_formula": 1000,
        "parameters_counted": 1000,
        "flops_printed": 1_980_000,
        "flops_formula": 2_000_000,
        "flops_counted": 2_000_000,
        "epoch_ms": 1.5,
        "epoch_ms_low": 1.25,
        "epoch_ms_high": 2.0,
        "ratio": ratio,
        "ratio_low": None if ratio is None else ratio - 0.5,
        "ratio_high": None if ratio is None else ratio + 0.5,
        "published_ms": 4.0,
        "published_ratio": None if ratio is None else 2.25,
        "rounds": 50,
        "quick": False,
        "seconds": 1.0,
        "allpass": "0.1.0",
        "torch": "2.13",
        "device": "a machine",
        "ended": "2026-01-02",
    }
    assert set(changed) <= set(found)
    return {**found, **changed}  # type: ignore[dict-item]


ROWS = [
    row("Cornell", "GCN"),
    row("Cornell", "ACM-GCN", 1.8, parameters_printed=1010, flops_counted=2_000_200),
    row("Cornell", "truncated Krylov", parameters_printed=None, flops_printed=None, published_ms=None),
    row("Cora", "GCN"),
    row("Cora", "ACM-GCN", 2.4, parameters_printed=990, flops_counted=1_999_000),
]


def blocks(kind: type) -> list:
    return [block for block in page(STUDY, ROWS).blocks if isinstance(block, kind)]


def test_formulas_are_compared_with_the_counts() -> None:
    parameters, operations = (text.text for text in blocks(Text)[:2])
    assert parameters == (
        "The printed formula gives what is counted in 2 of 4 cases, 0 of them with channels; the formula by the "
        "definition of each layer in 5 of 5."
    )
    assert "are the same in 3 of 5 cases, and at most 0.050% apart in the others." in operations
    assert page(STUDY, ROWS).findings[0].endswith(parameters[1:])


def test_tables_have_a_column_for_each_dataset() -> None:
    counted, excess, flops, flops_excess = blocks(Table)[:4]
    assert counted.header == ("model", "Cornell", "Cora")
    assert counted.rows[0] == ("GCN", "1,000", "1,000")
    assert counted.rows[2] == ("truncated Krylov", "1,000", "–")
    assert excess.rows == (("GCN", "0", "0"), ("ACM-GCN", "+1.00", "−1.00"), ("truncated Krylov", "–", "–"))
    assert flops.rows[0] == ("GCN", "2.0", "2.0")
    assert flops_excess.rows[0] == ("GCN", "−1.00", "−1.00")


def test_times_are_multiples_of_the_base() -> None:
    times, gcn, krylov = blocks(Table)[4:]
    assert times.rows == (("ACM-GCN", "GCN", "2.10 (1.80 to 2.40)", "2.25 (2.25 to 2.25)", "Table 1"),)
    assert page(STUDY, ROWS).findings[-1] == (
        "Time of an epoch with channels, in the median over datasets: 2.10 times that of the base model (published "
        "2.25)."
    )
    more = [*ROWS, row("Cora", "ACMII-GCN", 3.5, published_ratio=None)]
    assert "2.10 to 3.50 times that of the base model (published 2.25)." in page(STUDY, more).findings[-1]
    table = [block for block in page(STUDY, more).blocks if isinstance(block, Table)][4]
    assert table.rows[1] == ("ACMII-GCN", "GCN", "3.50", "–", "–")
    assert gcn.header == ("dataset", "GCN, ms", "ACM-GCN, ours", "published")
    assert gcn.rows[0] == ("Cornell", "1.50 (1.25 to 2.00)", "1.80 (1.30 to 2.30)", "2.25")
    assert krylov.header == ("dataset", "truncated Krylov, ms")
    assert krylov.caption.endswith("of the rounds).")


def test_the_picture_draws_and_shows_all_marks() -> None:
    (picture,) = blocks(Picture)
    figure = picture.draw()
    (panel,) = figure.axes
    assert panel.get_ylim()[0] == 0
    assert panel.get_ylim()[1] > 2.9  # where the middle half of ACM-GCN ends
    drawn = to_bytes(figure, ".svg").decode()
    assert "ACM-GCN" in drawn
    assert "Cornell" in drawn


def test_a_model_without_a_mark_of_its_own_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allpass.papers.pages.complexity._LOOKS", ())
    (picture,) = blocks(Picture)
    with pytest.raises(ValueError, match="zip"):
        picture.draw()


def test_without_ratios_there_is_no_picture() -> None:
    found = page(STUDY, ROWS[:1])
    assert not any(isinstance(block, Picture) for block in found.blocks)
    assert "No model was timed beside its base." in markdown(found)


def test_rows_from_a_file_give_the_same_page() -> None:
    assert markdown(page(STUDY, parse_csv(csv_text(ROWS)))) == markdown(page(STUDY, ROWS))


def test_a_page_without_rows_says_so() -> None:
    assert "Nothing has been run yet." in markdown(page(STUDY, []))
