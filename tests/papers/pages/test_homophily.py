"""The page of homophily."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from allpass.papers.homophily import STUDY, reproduced_by
from allpass.papers.pages.homophily import page
from allpass.papers.pages.page import Picture, Table, Text
from allpass.papers.study import Row
from allpass.report.canvas import to_bytes


def row(title: str, metric: str, published: float | None, printed: float | None, defined: float) -> Row:
    by = "" if published is None else reproduced_by(published, printed, defined, 1e-4)
    return {
        "title": title,
        "dataset": title.lower(),
        "metric": metric,
        "published": published,
        "printed": printed,
        "definition": defined,
        "printed_difference": None if None in (published, printed) else round(printed - published, 6),  # type: ignore[operator]
        "definition_difference": None if published is None else round(defined - published, 6),
        "by": by,
        "table": "Figure 1" if printed is None else "",
        "note": "Odd." if title == "Texas" else "",
        "seconds": 0.1,
        "allpass": "0.1.0",
        "torch": "2.13",
        "device": "cpu",
        "ended": "2026-01-01",
    }


@pytest.fixture
def rows() -> list[Row]:
    return [
        row("Texas", "nodes", 183, 183, 183),
        row("Texas", "edges", 309, 325, 327),
        row("Texas", "edge_homophily", 0.4106, 0.4106, 0.0609),
        row("Texas", "label_informativeness", None, None, 0.1923),
        row("Cora", "edge_homophily", 0.81, 0.81, 0.81),
        row("PubMed", "aggregation_homophily", 0.9716, 0.9693, 0.9733),
        row("Bipartite", "edge_homophily", 0, None, 0.0),
    ]


def tables(rows: list[Row]) -> Iterator[Table]:
    return (block for block in page(STUDY, rows).blocks if isinstance(block, Table))


def test_the_summary_counts_the_rows(rows: list[Row]) -> None:
    made = page(STUDY, rows)
    assert made.findings == (
        "Of metrics, 2 of 3 published values are given by one of two conventions: 1 by both, 1 by the authors' "
        "convention alone, 0 by the definition alone. 1 between the two, at most 0.0017 from the nearer one "
        "(H_agg of PubMed is the furthest).",
        "Of sizes, 1 of 2 published values are given by one of two conventions: 1 by both, 0 by the authors' "
        "convention alone, 0 by the definition alone. 1 by neither: edges of Texas.",
    )
    text = next(b.text for b in made.blocks if isinstance(b, Text) and b.text.startswith("Of "))
    assert (
        "H_edge of Texas is furthest from the definition: printed is 0.4106, and the definition gives 0.0609"
        in text
    )


def test_the_table_of_counts_agrees_with_the_findings(rows: list[Row]) -> None:
    which = next(table for table in tables(rows) if table.header[0] == "metric or size")
    assert which.rows == (
        ("H_edge", "1", "1", "0", "0", "0"),
        ("H_agg", "0", "0", "0", "1", "0"),
        ("all metrics", "1", "1", "0", "1", "0"),
        ("nodes", "1", "0", "0", "0", "0"),
        ("edges", "0", "0", "0", "0", "1"),
        ("all sizes", "1", "0", "0", "0", "1"),
    )
    texas = [one for one in rows if one["title"] == "Texas"]
    assert [finding.partition(" published")[0] for finding in page(STUDY, texas).findings] == [
        "Of metrics, 1 of 1",
        "Of sizes, 1 of 2",
    ]


def test_it_is_said_what_counts_as_given(rows: list[Row]) -> None:
    which = next(table for table in tables(rows) if table.header[0] == "metric or size")
    (tolerance,) = {STUDY.subjects[title].tolerance for title in ("Texas", "Cora", "PubMed")}
    assert f"ours is within {tolerance:.4f} of the published value" in which.caption
    assert which.header[2] == "the authors' convention"


def test_every_number_stands_beside_the_published_one(rows: list[Row]) -> None:
    edge = next(table for table in tables(rows) if table.caption.startswith("H_edge"))
    assert edge.rows[0] == (
        "Texas",
        "0.4106",
        "0.4106",
        "0.0609",
        "0.0000",
        "−0.3497",
        "the authors' convention",
    )
    assert [line[0] for line in edge.rows] == ["Texas", "Cora"]
    nodes = next(table for table in tables(rows) if "nodes." in table.caption)
    assert nodes.rows == (("Texas", "183", "183", "183", "0", "0", "both"),)


def test_what_is_not_known_is_a_dash(rows: list[Row]) -> None:
    every = list(tables(rows))[-1]
    assert every.header == ("dataset", "H_edge", "H_agg", "LI")
    assert every.rows[2] == ("PubMed", "–", "0.9733", "–")


def test_remarks_and_values_of_other_places_are_shown(rows: list[Row]) -> None:
    blocks = page(STUDY, rows).blocks
    assert "- Texas: Odd." in blocks[-3].text  # type: ignore[union-attr]
    elsewhere = next(table for table in tables(rows) if table.header[-1] == "where")
    assert elsewhere.rows == (("Bipartite", "H_edge", "0", "0.0000", "0.0000", "Figure 1"),)


def test_the_picture_has_a_panel_for_each_known_metric_and_a_line_for_each_dataset(rows: list[Row]) -> None:
    (picture,) = (block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    figure = picture.draw()
    assert [axes.get_xlabel() for axes in figure.axes] == ["edge homophily"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["Texas", "Cora"]
    assert to_bytes(figure, ".svg") == to_bytes(picture.draw(), ".svg")


def test_nothing_measured_is_a_page_all_the_same() -> None:
    assert page(STUDY, []).title == STUDY.title
