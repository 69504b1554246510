from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pytest

from allpass.errors import InputError
from allpass.report.canvas import (
    SHEET,
    canvas,
    check_figure,
    in_style,
    legend,
    name_outer,
    panels,
    save,
    to_bytes,
)

STARTS = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}


@in_style
def draw(text: str = "text"):
    figure, axes = canvas(height=2)
    axes.plot([0, 1], [0, 1])
    axes.set_title(text)
    return figure


@pytest.mark.parametrize("suffix", STARTS)
def test_save_for_papers(tmp_path: Path, suffix: str):
    path = save(draw(), tmp_path / f"figure{suffix}")
    assert path.read_bytes().startswith(STARTS[suffix])


@pytest.mark.parametrize("suffix", STARTS)
def test_the_same_figure_gives_the_same_bytes(suffix: str):
    assert to_bytes(draw(), suffix) == to_bytes(draw(), suffix)


@pytest.mark.parametrize("name", ["figure", "figure.gif"])
def test_unknown_ending(tmp_path: Path, name: str):
    with pytest.raises(InputError, match=r"Expected one of \.svg, \.pdf, \.png"):
        save(draw(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_checked_before_the_work(tmp_path: Path):
    assert check_figure(tmp_path / "figure.SVG") == tmp_path / "figure.SVG"
    with pytest.raises(InputError, match="does not exist"):
        check_figure(tmp_path / "no" / "figure.svg")
    with pytest.raises(InputError, match="Expected one of"):
        check_figure(tmp_path / "figure.jpg")


def test_the_readers_own_settings_do_not_matter():
    plain = to_bytes(draw(), ".svg")
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "path"}):
        assert to_bytes(draw(), ".svg") == plain
        assert mpl.rcParams["font.size"] == 30


def test_text_is_text_not_mathematics_not_shapes():
    svg = to_bytes(draw("$x^2$ & 数学"), ".svg").decode()
    assert ">$x^2$ &amp; 数学</text>" in svg


def test_panels_are_a_sheet_wide_and_named_at_the_edge():
    figure, grid = panels(2, 3, 4.0, sharex=True)
    assert figure.get_size_inches().tolist() == [SHEET, 4.0]
    name_outer(grid, "layer", ["rank", "energy"])
    assert [[panel.get_ylabel() for panel in row] for row in grid] == [["rank", "", ""], ["energy", "", ""]]
    assert [[panel.get_xlabel() for panel in row] for row in grid] == [[""] * 3, ["layer"] * 3]


def test_one_legend_names_what_any_panel_shows_once():
    figure, ((first, second),) = panels(1, 2, 2.0)
    legend(figure, [[first, second]])
    assert figure.legends == []
    first.plot([0, 1], label="gcn")
    for name in ("gcn", "mlp"):
        second.plot([0, 1], label=name)
    legend(figure, [[first, second]])
    (found,) = figure.legends
    assert [text.get_text() for text in found.get_texts()] == ["gcn", "mlp"]
