from __future__ import annotations

from pathlib import Path

import pytest
from tests.report.results.invented import row_of, rows_of

from allpass.experiments.catalogue import STUDIES
from allpass.experiments.study import Plan
from allpass.experiments.tables.spec import read_spec
from allpass.experiments.tables.study import TableStudy
from allpass.report.results.html import html
from allpass.report.results.latex import latex
from allpass.report.results.markdown import markdown
from allpass.report.results.page import Heading, Page, Table
from allpass.report.results.tables.accuracy import page
from allpass.train.store import Store

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)


def matrices(found: Page) -> list[Table]:
    return [block for block in found.blocks if isinstance(block, Table) and "nothing to run" in block.caption]


def text_at(table: Table, row: str, place: int) -> str:
    return next(values[place].text for values in table.values() if values[0].text == row)


def test_the_marks_of_the_overview() -> None:
    film, place = SPEC.cell("ACM-GCN", "Film"), 4
    marks = {41.6: "=", 44.0: "▲", 39.0: "▼", 40.4: "≈"}
    for mean, mark in marks.items():
        same, fresh, honest = matrices(page(STUDY, [row_of(film, "same", [mean - 1, mean + 1] * 5)]))
        assert same.header[place] == "Film"
        assert text_at(same, "ACM-GCN", place) == f"{mean:.1f} {mark}"
        assert text_at(honest, "ACM-GCN", place) == text_at(fresh, "ACM-GCN", place) == "not yet"
    assert text_at(same, "MLP-2", place) == text_at(fresh, "GCNII", place) == "–"
    texas = row_of(SPEC.cell("MLP-2", "Texas"), "honest", [80.0, 82.0])
    honest = matrices(page(STUDY, [texas]))[2]
    assert honest.header[3] == "Texas (texas-4)"
    assert text_at(honest, "MLP-2", 3) == "81.0 ○"


def test_the_authors_code_alone_is_agreed_with_where_nothing_was_published() -> None:
    spec = read_spec("ablation")
    row = row_of(spec.cell("ACM-GCN: as released", "Texas"), "same", [93.0, 94.0] * 5)
    same, _ = matrices(page(TableStudy(spec), [row]))
    assert text_at(same, "ACM-GCN: as released", 3) == "93.5 ≈"


@pytest.mark.parametrize("name", ["acm-random", "acm-fixed", "acm-deezer", "ablation"])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_page_for_every_table_in_every_format(name: str, share: float) -> None:
    study = STUDIES[name]
    assert isinstance(study, TableStudy)
    found = page(study, rows_of(study, share=share))
    for render in (markdown, latex, html):
        text = render(found)
        assert all(row.rstrip("*") in text for row in study.spec.rows if "_" not in row and "+" not in row)
        assert "None" not in text
        assert "nan" not in text.split()


def test_true_rows_of_a_quick_run(tmp_path: Path) -> None:
    plan = Plan(cells=("GCN/Cora", "same"), quick=True)
    with Store(tmp_path / "runs.sqlite") as store:
        (task,) = STUDY.tasks(plan, store)
        for runs in STUDY.perform(task, "cpu"):
            store.add_many(runs)
        rows = STUDY.rows(plan, store)
    assert [list(row) for row in rows] == [list(row_of(SPEC.cell("GCN", "Cora"), "same", [1.0, 2.0]))]
    first = page(STUDY, rows).blocks[0]
    assert isinstance(first, Heading)
    assert "QUICK" in first.text
