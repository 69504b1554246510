from __future__ import annotations

import pytest
from tests.papers.pages.invented import row_of, rows_of
from tests.papers.pages.tables.few_labels import SPEC, STUDY, around, line, starting, tables

from allpass.papers.pages.html import html
from allpass.papers.pages.latex import latex
from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Text
from allpass.papers.pages.tables.few_labels import page


def test_three_sheets_of_every_graph_with_label_rates_as_columns() -> None:
    found = page(STUDY, rows_of(STUDY))
    for graph, rates in (("Cora", 6), ("CiteSeer", 6), ("PubMed", 4)):
        sheets = [table for table in tables(found) if table.caption.startswith(f"{graph}, ")]
        assert len(sheets) == 3
        for sheet in sheets:
            assert len(sheet.header) == 1 + rates
            assert len(sheet.rows) == 14
            for place in range(1, 1 + rates):
                column = [values[place] for values in sheet.values()]
                shades = [value.shade for value in column if value.shade is not None]
                assert (min(shades), max(shades)) == (0.0, 1.0)
                assert any(value.best for value in column)
    assert starting(found, "PubMed, published").header == ("method", "0.03%", "0.05%", "0.1%", "0.3%")


def test_the_six_unpublished_cells_are_shown_as_such() -> None:
    found = page(STUDY, [])
    sheets = [starting(found, f"{graph}, published") for graph in ("Cora", "CiteSeer", "PubMed")]
    missing = [
        values[0].text
        for sheet in sheets
        for values in sheet.values()
        for value in values
        if value.text == "not published"
    ]
    assert sorted(missing) == ["M3S"] * 3 + ["MultiStage"] * 3
    begun = page(STUDY, [row_of(SPEC.cell("M3S", "Cora 1%"), "same", around(70))])
    same = starting(begun, "Cora, ours, settings")
    assert line(same, "M3S")[-2:] == ["not run yet", "not run yet"]
    assert len(same.rows) == 1
    said = [block.text for block in begun.blocks if isinstance(block, Text)]
    (waiting,) = [text for text in said if text.startswith("Cora, same, not run yet: LP, Cheby, ")]
    assert "M3S" not in waiting


def test_fewer_runs_are_marked() -> None:
    rows = [
        row_of(SPEC.cell("Snowball", "Cora 1%"), "same", around(73, 4)),
        row_of(SPEC.cell("Snowball", "Cora 2%"), "same", around(78)),
    ]
    planned = row_of(SPEC.cell("linear Snowball", "Cora 2%"), "same", [77.0, 78.0, 79.0])
    sheet = starting(page(STUDY, [*rows, planned]), "Cora, ours, settings")
    assert line(sheet, "Snowball")[2:4] == ["73.0 (n = 4)", "78.0"]
    assert line(sheet, "linear Snowball")[3] == "78.0 (n = 3)"  # as its cell says, and not as its column


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_every_format(share: float) -> None:
    found = page(STUDY, rows_of(STUDY, share=share))
    for render in (markdown, latex, html):
        assert "None" not in render(found)
