from __future__ import annotations

from tests.papers.pages.invented import row_of, rows_of

from allpass.papers.catalogue import STUDIES
from allpass.papers.pages.page import Table, Text, Value
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.columns import details, notes
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)
SCORES = [93.0, 95.0] * 5


def table_of(rows, column: str) -> Table:
    tables = [block for block in details(Results(STUDY, rows)) if isinstance(block, Table)]
    return next(table for table in tables if table.caption.startswith(f"{column} ("))


def line_of(rows, row: str, column: str) -> list[str]:
    values = next(values for values in table_of(rows, column).values() if values[0].text == row)
    return [value.text for value in values]


def test_a_table_for_every_column_with_all_its_rows() -> None:
    for name in ("acm-random", "table1", "acm-fixed"):
        results = Results(STUDIES[name], [])
        tables = [block for block in details(results) if isinstance(block, Table)]
        assert len(tables) == len(results.spec.columns)
        for table, column in zip(tables, results.spec.columns, strict=True):
            expected = [cell.row for cell in results.spec.cells if cell.column.name == column.name]
            assert [values[0].text for values in table.values()] == expected


def test_a_line_holds_all_that_is_known() -> None:
    cell = SPEC.cell("ACM-GCN", "Texas")
    rows = [row_of(cell, "same", SCORES), row_of(cell, "fresh", SCORES), row_of(cell, "honest", SCORES)]
    line = line_of(rows, "ACM-GCN", "Texas")
    assert line[1:4] == ["94.92 ± 2.88", "93.61 ± 2.00", "94.00 ± 1.00 (n = 10)"]
    assert line[4].startswith("−0.92 [")
    assert "], agrees; to the rerun +0.39 [" in line[4]
    assert line[5] == "94.00 ± 1.00 (n = 10)"
    assert line[6].startswith("−0.92 [")
    assert "rerun" not in line[6]
    assert line[7:] == ["94.00 ± 1.00 (n = 10, 60 tried)", "not comparable: Other data: texas-4.", "Table 2"]


def test_missing_numbers_say_why() -> None:
    none, splits = "no settings published", "splits not known"
    assert line_of([], "MLP-2", "Texas")[3:] == [none, "", none, "", "not run yet", "", "Table 2"]
    assert line_of([], "GCNII", "Texas")[3:] == ["not run yet", "", splits, "", "not run yet", "", "Table 2"]
    unpublished = line_of([], "GCN", "Minesweeper")
    assert (unpublished[1], unpublished[-1]) == ("not published", "")


def test_honest_numbers_of_the_same_data_are_compared() -> None:
    cell = SPEC.cell("ACM-GCN", "Film")
    assert line_of([row_of(cell, "honest", SCORES)], "ACM-GCN", "Film")[8].endswith(", better")


def test_the_best_of_each_kind_is_bold() -> None:
    rows = rows_of(STUDY)
    for place, number in ((1, "published"), (3, "mean"), (5, "mean"), (7, "mean")):
        values = [values[place] for values in table_of(rows, "Film").values()]
        assert sum(value.best for value in values) >= 1, number
        best = max(float(value.text.split()[0]) for value in values if value.text[0].isdigit())
        bold = [value for value in values if isinstance(value, Value) and value.best]
        assert all(float(value.text.split()[0]) == best for value in bold)


def test_captions_tell_of_data_and_scores() -> None:
    assert "One class has a single node. Honest numbers are of texas-4." in table_of([], "Texas").caption
    assert "The score is roc_auc." in table_of([], "Minesweeper").caption


def test_notes_are_said_once_for_their_columns() -> None:
    lines = [
        line for block in notes(Results(STUDY, [])) if isinstance(block, Text) for line in block.parts()[0]
    ]
    assert all(note in lines for note in SPEC.notes)
    assert "Geom-GCN*: Made with the fixed 48/32/20 splits." in lines
    assert any(line.startswith("GAT (Cora, CiteSeer, PubMed): Printed in the GPRGNN paper") for line in lines)
    assert "BernNet (Wisconsin): Printed as not available." in lines
    assert len(lines) == len(set(lines))


def test_headers_say_whose_settings_they_are() -> None:
    found = {name: details(Results(STUDIES[name], []))[2] for name in ("acm-random", "table1")}
    headers = {name: table.header for name, table in found.items() if isinstance(table, Table)}
    assert headers["acm-random"][3:-1:2] == (
        "ours, same settings",
        "ours, same settings, new splits",
        "ours, honest",
    )
    assert headers["table1"][3:-1:2] == (
        "ours, published settings or our defaults",
        "ours, published settings or our defaults, more splits",
        "ours, honest",
    )


def test_published_numbers_of_another_protocol_have_no_colour() -> None:
    values = {values[0].text: values[1] for values in table_of([], "Cora").values()}
    assert values["GPRGNN"].shade is None
    assert values["Few labels: GPRGNN"].shade is None
    assert values["MixHop"].shade == 0.0  # and not the lower ones of another protocol
