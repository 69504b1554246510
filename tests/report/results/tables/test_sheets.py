from __future__ import annotations

from tests.report.results.invented import row_of

from allpass.experiments.tables.spec import read_spec
from allpass.experiments.tables.study import TableStudy
from allpass.report.results.tables.cells import Results
from allpass.report.results.tables.sheets import sheets

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)


def test_a_sheet_for_every_kind_that_something_is_known_of() -> None:
    rows = [row_of(SPEC.cell("ACM-GCN", "Texas"), "honest", [80.0, 82.0])]
    published, honest = sheets(Results(STUDY, rows))
    assert (published.name, honest.name) == ("acm-random-published", "acm-random-honest")
    texts = [text.get_text() for text in honest.draw().axes[0].texts]
    assert texts == ["", "ACM-GCN", "Texas\n(texas-4)", "81.0"]
    texts = {text.get_text() for text in published.draw().axes[0].texts}
    assert {"BernNet", "Film", "41.8", "–"} <= texts  # nothing is published of it on Wisconsin
    assert not {"Minesweeper", "Alpha 0.9: APPNP"} & texts  # not in the source; a row of ours


def test_columns_may_share_a_name() -> None:
    study = TableStudy(read_spec("table1"))
    (published,) = sheets(Results(study, []), lambda title: ("Cora" if "Cora" in title else "others", title))
    texts = [text.get_text() for text in published.draw().axes[0].texts]
    assert texts[:2] == ["Cora", "others"]


def test_a_table_of_one_column_has_none() -> None:
    assert sheets(Results(TableStudy(read_spec("acm-deezer")), [])) == ()
