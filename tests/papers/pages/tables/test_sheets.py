from __future__ import annotations

from tests.papers.pages.invented import row_of

from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.sheets import sheets
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

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


def drawn(rows, kind: str, study: TableStudy = STUDY):
    picture = next(one for one in sheets(Results(study, rows)) if one.name.endswith(f"-{kind}"))
    return picture, {text.get_text() for text in picture.draw().axes[0].texts}, picture.draw().axes[0].patches


def test_variants_of_ours_are_left_out() -> None:
    cora = {"GCN": 88.0, "SGC-1": 78.0, "Few labels: GPRGNN": 20.0}
    rows = [row_of(SPEC.cell(row, "Cora"), "same", [mean] * 50) for row, mean in cora.items()]
    picture, texts, patches = drawn(rows, "same")
    assert {"88.0", "78.0"} <= texts
    assert not {"20.0", "(20.0)", "Few labels: GPRGNN"} & texts
    assert [patch.get_alpha() for patch in patches] == [0.45, 0.45]  # the two ends, and nothing between
    assert "brackets" not in picture.caption


def test_another_protocol_neither_sets_the_scale_nor_is_coloured() -> None:
    published, texts, _ = drawn([], "published")
    assert {"(79.5)", "(60.8)"} <= texts  # GPRGNN on Cora, and Geom-GCN on Cornell
    assert "brackets" in published.caption


def test_our_own_numbers_of_a_row_whose_published_ones_are_not_comparable_are_compared() -> None:
    rows = [
        row_of(SPEC.cell(row, "Film"), "honest", [mean]) for row, mean in (("Geom-GCN*", 30.0), ("GCN", 40.0))
    ]
    picture, texts, patches = drawn(rows, "honest")
    assert {"30.0", "40.0"} <= texts
    assert len(patches) == 2
    assert "brackets" not in picture.caption


def test_fewer_runs_than_planned_are_marked() -> None:
    study = TableStudy(read_spec("table1"))
    rows = [
        row_of(study.spec.cell("Snowball", column), "same", [mean] * runs)
        for column, mean, runs in (("Cora 1%", 73.0, 10), ("Cora 3%", 78.0, 3))
    ]
    picture, texts, _ = drawn(rows, "same", study)
    assert {"73.0", "78.0*"} <= texts
    assert picture.caption.endswith(" *: fewer runs than in the other cells (3).")
    assert "fewer runs" not in drawn(rows[:1], "same", study)[0].caption
    ten = row_of(SPEC.cell("ACM-GCN", "Film"), "same", [40.0] * 10)  # as many as the source drew
    assert "40.0" in drawn([ten], "same")[1]


def test_captions_say_whose_settings_they_are() -> None:
    study = TableStudy(read_spec("table1"))
    rows = [row_of(study.spec.cell("LP", "Cora 1%"), "same", [60.0, 61.0])]
    assert drawn(rows, "same", study)[0].caption.startswith(
        "The whole table, ours, published settings or our defaults: "
    )
    rows = [row_of(SPEC.cell("GCN", "Film"), "same", [35.0, 36.0])]
    assert drawn(rows, "same")[0].caption.startswith("The whole table, ours, same settings: ")
