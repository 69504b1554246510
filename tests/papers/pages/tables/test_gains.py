from __future__ import annotations

import pytest
from tests.papers.pages.invented import row_of

from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.gains import Chart, chart_of, gain_of, over_all
from allpass.papers.pages.tables.pairs import VERSIONS, Version
from allpass.papers.tables.bars import CHARTS, STUDY

SPEC = STUDY.spec


@pytest.mark.parametrize("column", SPEC.columns, ids=lambda column: column.name)
def test_the_printed_gains_follow_from_the_published_numbers(column) -> None:
    gain = gain_of(chart_of(Results(STUDY, []), column, "published"))
    assert gain is not None
    assert round(gain.best.mean - gain.rival.mean, 2) == CHARTS.gains[column.name]
    assert gain.rivals == len(CHARTS.rivals)


def charts(rows) -> dict[Version, dict[str, Chart]]:
    results = Results(STUDY, rows)
    return {
        version: {column.name: chart_of(results, column, version) for column in SPEC.columns}
        for version in VERSIONS
    }


def test_gains_over_all_rivals_of_the_table() -> None:
    film = [cell for cell in SPEC.cells if cell.column.name == "Film" and cell.settings is not None]
    rows = [row_of(cell, "fresh" if cell.has_fresh else "same", [40.0] * 3) for cell in film]
    found = {one.column: one for one in over_all(charts(rows))}
    assert list(found) == [column.name for column in SPEC.columns]
    assert found["Film"] == ("Film", "BernNet", 41.79, pytest.approx(0.05), pytest.approx(-1.79))
    assert found["Squirrel"][1:] == ("GCN+JK", 53.40, pytest.approx(4.62), None)  # no better one is left out
