from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.papers.pages.invented import row_of, rows_of

from allpass.papers.catalogue import STUDIES
from allpass.papers.pages.html import html
from allpass.papers.pages.latex import latex
from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Heading, Page, Table, Text
from allpass.papers.pages.tables.accuracy import _TITLES, page
from allpass.papers.study import Plan
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy
from allpass.papers.tables.verdicts import INCOMPARABLE
from allpass.train.runs.store import Store

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)


def matrices(found: Page) -> list[Table]:
    return [block for block in found.blocks if isinstance(block, Table) and block.caption in _TITLES.values()]


def text_at(table: Table, row: str, column: str) -> str:
    place = table.header.index(column)
    return next(values[place].text for values in table.values() if values[0].text == row)


def test_the_marks_of_the_overview() -> None:
    film, texas = SPEC.cell("ACM-GCN", "Film"), SPEC.cell("MLP-2", "Texas")
    marks = {41.6: "=", 44.0: "▲", 39.0: "▼", 40.4: "≈"}
    for mean, mark in marks.items():
        rows = [row_of(film, "same", [mean - 1, mean + 1] * 5), row_of(texas, "honest", [80.0, 82.0])]
        same, honest = matrices(page(STUDY, rows))
        assert text_at(same, "ACM-GCN", "Film") == f"{mean:.1f}\N{NO-BREAK SPACE}{mark}"
        assert text_at(honest, "MLP-2", "Texas (texas-4)") == "81.0\N{NO-BREAK SPACE}○"


def test_what_the_overview_leaves_out_is_named() -> None:
    """A row of a spec has numbers, waits for them, or has nothing to run."""
    cells = [SPEC.cell("ACM-GCN", "Film"), SPEC.cell("GCN", "Texas")]
    found = page(STUDY, [row_of(cell, "same", [40.0, 41.0] * 5) for cell in cells])
    (same,) = matrices(found)
    assert same.header == ("row", "Texas", "Film")
    assert [values[0].text for values in same.values()][:-1] == ["GCN", "ACM-GCN"]
    assert text_at(same, "GCN", "Film") == "not yet"
    texts = [block.text for block in found.blocks if isinstance(block, Text) and "Not run yet:" in block.text]
    waiting, nothing = (
        part.rstrip(".").split("; ")
        for part in re.split(r" ?(?:Not run yet|No settings were published): ", texts[0])[1:]
    )
    assert "ACM-GCN+" in waiting
    assert "MLP-2" in nothing
    assert {*waiting, *nothing} == {*SPEC.rows} - {"ACM-GCN", "GCN"}
    assert texts[1].startswith("Ours with the same settings, on new splits")  # none of this kind
    assert texts[2].startswith("Ours, honest")


def test_networks_that_are_not_here_are_named_apart() -> None:
    fixed = TableStudy(read_spec("acm-fixed"))
    rows = [row_of(fixed.spec.cell("ACM-GCN", "Film"), kind, [40.0, 41.0] * 5) for kind in ("same", "honest")]
    said = [block.text for block in page(fixed, rows).blocks if isinstance(block, Text)]
    absent = sorted({cell.row for cell in fixed.spec.cells if not cell.model})
    assert absent
    for title in ("No settings were published", "Not searched, as they change one thing of another row"):
        (text,) = (text for text in said if title in text)
        named = dict(part.split(": ", 1) for part in text.rstrip(".").split(". "))
        assert sorted(named["Networks that allpass does not have"].split("; ")) == absent
        assert not {*absent} & {*named[title].split("; ")}


def test_what_one_answer_reaches_stands_below_and_who_does_no_better_is_named() -> None:
    cells = [SPEC.cell("GCN", "Texas"), SPEC.cell("ACM-GCN", "Texas"), SPEC.cell("ACM-GCN", "Film")]
    assert cells[0].published == (83.11, 3.2)
    rows = [
        {**row_of(cell, "same", [mean - 1, mean + 1] * 5), "majority": share}
        for cell, mean, share in zip(cells, (80.0, 95.0, 41.0), (83.114, 81.0, None), strict=True)
    ]
    found = page(STUDY, rows)
    (same,) = matrices(found)
    *_, frequent = same.values()
    assert [value.text for value in frequent] == [
        "the most frequent class of the validation nodes",
        "82.1",
        "",
    ]
    assert not any(value.best or value.shade for value in frequent)
    texts = [block.text for block in found.blocks if isinstance(block, Text)]
    place = texts.index("Means that are no better than the most frequent class:")
    assert texts[place + 1].splitlines() == [
        "- published, on the splits of the source: GCN on Texas",
        "- ours, same: GCN on Texas",
    ]


def test_the_authors_code_alone_is_agreed_with_where_nothing_was_published() -> None:
    spec = read_spec("ablation")
    row = row_of(spec.cell("ACM-GCN: as released", "Texas"), "same", [93.0, 94.0] * 5)
    (same,) = matrices(page(TableStudy(spec), [row]))
    assert text_at(same, "ACM-GCN: as released", "Texas") == "93.5\N{NO-BREAK SPACE}≈"


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
    assert rows[0]["published_verdict"] == INCOMPARABLE
    first = page(STUDY, rows).blocks[0]
    assert isinstance(first, Heading)
    assert "QUICK" in first.text
