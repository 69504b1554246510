from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from tests.papers.pages.invented import row_of, rows_of

from allpass.papers.pages.page import Picture
from allpass.papers.pages.tables.bars import page
from allpass.papers.tables.bars import STUDY

SPEC = STUDY.spec


def test_charts_have_a_line_for_the_most_frequent_class_and_say_who_is_missing() -> None:
    rows = [{**row_of(SPEC.cell("MLP-2", "Film"), "honest", [40.0, 42.0]), "majority": 33.9}]
    _, honest = (block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    figure = honest.draw()
    (film,) = [axes for axes in figure.axes if axes.get_title(loc="left").startswith("Film")]
    assert [line.get_ydata()[0] for line in film.lines if line.get_linestyle() == "--"] == [33.9]
    assert film.get_xticklabels()[0].get_text() == "MLP-2\n(so far)"
    assert "most frequent class" in keys(figure)
    unknown = [{**row, "majority": None} for row in rows]
    published, honest = (block for block in page(STUDY, unknown).blocks if isinstance(block, Picture))
    assert "most frequent class" not in keys(honest.draw()) + keys(published.draw())


def test_the_legend_of_published_charts_has_the_line_where_it_is_known_for_ours() -> None:
    rows = [{**row_of(SPEC.cell("GCN", "Film"), "fresh", [30.0, 31.0]), "majority": 25.0}]
    (published,) = (block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    assert keys(published.draw())[-2:] == ["ours, same settings", "most frequent class"]


def keys(figure: Figure) -> list[str]:
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_charts_show_every_bar_and_our_dots() -> None:
    rows = rows_of(STUDY)
    published, honest = (block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    for picture, dots in ((published, True), (honest, False)):
        figure = picture.draw()
        assert len(figure.axes) == 6
        for axes, column in zip(figure.axes, SPEC.columns, strict=True):
            assert axes.get_title(loc="left").startswith(column.name)
            assert len(axes.patches) == 10
            gcn = SPEC.cell("GCN", column.name)
            if dots:
                assert axes.patches[1].get_height() == gcn.published[0]
                fresh = {
                    row["row"]: row["mean"]
                    for row in rows
                    if (row["column"], row["kind"]) == (column.name, "fresh")
                }
                marked = {line.get_ydata()[0] for line in axes.lines if line.get_marker() == "o"}
                assert fresh["GCN"] in marked
            low, high = axes.get_ylim()
            assert all(low < patch.get_height() <= high for patch in axes.patches)


def labels(rows, column: str) -> list[str]:
    _, honest = (block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    (axes,) = [axes for axes in honest.draw().axes if axes.get_title(loc="left").startswith(column)]
    return [label.get_text() for label in axes.get_xticklabels()]


def test_groups_without_a_bar_are_left_out() -> None:
    rows = [row_of(SPEC.cell(row, "Film"), "honest", [40.0, 42.0]) for row in ("MLP-2", "GCN", "ACM-GCN")]
    assert labels(rows, "Film") == ["MLP-2\n(so far)", "GCN"]
    assert labels(rows[2:], "Film") == ["GCN"]
    assert labels(rows, "Cornell") == ["not run yet"]


def test_bars_stand_beside_each_other_over_their_name() -> None:
    rows = [
        row_of(SPEC.cell(row, "Film"), "honest", [40.0, 42.0]) for row in ("GCN", "ACMII-GCN", "Snowball-2")
    ]
    _, honest = (block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    (film,) = [axes for axes in honest.draw().axes if axes.get_title(loc="left").startswith("Film")]
    gcn, acmii, snowball = (patch.get_x() + patch.get_width() / 2 for patch in film.patches)
    assert acmii - gcn == pytest.approx(1.0)
    assert list(film.get_xticks()) == pytest.approx([(gcn + acmii) / 2, snowball])
