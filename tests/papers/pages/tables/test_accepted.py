from __future__ import annotations

from tests.papers.pages.invented import row_of

from allpass.papers.pages.tables.accepted import accepted
from allpass.papers.pages.tables.cells import allowed
from allpass.papers.tables.spec import read_spec

SPEC = read_spec("acm-random")
FILM = SPEC.cell("ACM-GCN", "Film")  # published 41.62 ± 1.15, the authors' code 40.98 ± 0.89
SGC = SPEC.cell("ACM-SGC-1", "Film")  # published 39.33 ± 1.25, no rerun


def around(mean: float) -> list[float]:
    return [mean - 1, mean + 1] * 5


def test_within_two_standard_errors_of_the_published_mean() -> None:
    margin = allowed(SGC, row_of(SGC, "same", around(39)))
    assert accepted(SGC, row_of(SGC, "same", around(39.33 - margin + 0.01))) is True
    assert accepted(SGC, row_of(SGC, "same", around(39.33 - margin - 0.01))) is False
    assert accepted(SGC, row_of(SGC, "same", around(60))) is True


def test_or_as_good_as_the_authors_own_code() -> None:
    row = row_of(FILM, "same", around(40.4))
    assert row["published_verdict"] == "worse"
    assert row["rerun_verdict"] == "agrees"
    assert accepted(FILM, row) is True
    assert accepted(FILM, row_of(FILM, "same", around(39.0))) is False


def test_nothing_to_compare_with_is_not_judged() -> None:
    minesweeper = SPEC.cell("ACM-GCN", "Minesweeper")
    assert accepted(minesweeper, row_of(minesweeper, "same", around(80))) is None
    geom = SPEC.cell("Geom-GCN*", "Film")
    assert accepted(geom, row_of(geom, "same", around(10))) is None


def test_many_runs_leave_less_to_chance_than_the_ten_of_the_source() -> None:
    margin = allowed(SGC, row_of(SGC, "fresh", around(39)))
    scores = around(SGC.published[0] - margin + 0.05) * 5
    row = row_of(SGC, "fresh", scores)
    assert allowed(SGC, row) < allowed(SGC, row, as_many=True)
    assert accepted(SGC, row) is False
    assert accepted(SGC, row, as_many=True) is True
