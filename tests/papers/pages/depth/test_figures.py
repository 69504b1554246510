"""Every picture of depth draws."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from tests.papers.pages.depth.invented import DEPTHS, ROWS, findings, row

from allpass.nn.initialisation import SCHEMES
from allpass.papers.depth import STUDY
from allpass.papers.pages.depth.figures import accuracy, all_sizes, sizes
from allpass.papers.pages.depth.page import page
from allpass.papers.pages.page import Picture
from allpass.papers.study import Row
from allpass.report.canvas import to_bytes


def test_the_axis_of_a_picture_ends_above_all_accuracies() -> None:
    def top(rows: Sequence[Row]) -> float:
        return float(accuracy(findings(rows), "cora").axes[0].get_ylim()[1])

    assert top([row(2, 42.0), row(4, 31.0)]) == 50.0
    assert top(ROWS) == 90.0
    assert top([row(2, 99.5)]) == 100.0


def test_every_picture_draws_also_what_is_out_of_range() -> None:
    broken = row(8, 0.0, "energy", start_energy="1.00 inf nan nan nan nan nan nan", end_energy="", low=None)
    made = page(STUDY, [*ROWS, broken])
    pictures = [block for block in made.blocks if isinstance(block, Picture)]
    assert [picture.name for picture in pictures] == ["depth-cora", "depth-cora-8", "depth-cora-8-all"]
    for picture in pictures:
        assert b"energy" in to_bytes(picture.draw(), ".svg")


def test_the_names_of_axes_do_not_run_into_each_other() -> None:
    made = page(
        STUDY, [{**one, "activation": activation} for one in ROWS for activation in STUDY.spec.activations]
    )
    (picture,) = (
        block for block in made.blocks if isinstance(block, Picture) and block.name == "depth-cora-8"
    )
    figure = picture.draw()
    figure.draw_without_rendering()
    sides = [axes.yaxis.label.get_window_extent() for axes in figure.axes if axes.get_ylabel()]
    assert len(sides) == 6
    assert all(above.y0 > below.y1 for above, below in pairwise(sides))


def test_one_picture_has_the_layers_of_all_initialisations() -> None:
    rows = [row(8, 80.0, name, end_energy="") for name in STUDY.spec.initialisations]
    some, every = (
        {line.get_label(): line for line in draw(findings(rows), "cora", 8).axes[0].get_lines()}
        for draw in (sizes, all_sizes)
    )
    assert set(STUDY.spec.profiles["initialisations"]) == {name for name in some if name in SCHEMES}
    assert set(STUDY.spec.initialisations) == every.keys()
    assert list(every["energy"].get_ydata()) == [-0.5 * layer for layer in range(1, 9)]
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in every.values()}
    assert len(looks) == len(rows)
    assert not len(
        all_sizes(findings(rows), "cora", 8).axes[-1].get_lines()[0].get_xdata()
    )  # no end, no line


def test_what_diverged_is_a_cross_below_and_ends_its_line() -> None:
    gone = row(8, 0.0, "energy", diverged=10)
    figure = accuracy(findings([*ROWS, row(4, 80.0, "energy"), gone]), "cora")
    lines = figure.axes[0].get_lines()
    (energy,) = (line for line in lines if line.get_label() == "energy")
    assert np.array_equal(np.asarray(energy.get_ydata()), [80.0, np.nan], equal_nan=True)
    (cross,) = (line for line in lines if line.get_marker() == "x" and len(line.get_xdata()))
    assert cross.get_color() == energy.get_color()
    assert "all runs diverged" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_accuracy_has_a_panel_for_each_activation_and_a_line_for_each_initialisation() -> None:
    tanh = [{**one, "activation": "tanh"} for one in ROWS]
    pictures = [block for block in page(STUDY, [*ROWS, *tanh]).blocks if isinstance(block, Picture)]
    figure = pictures[0].draw()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["ReLU", "Tanh"]
    drawn = {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].get_lines()}
    assert drawn["he"] == [86.0, 85.0, 84.0]
    assert drawn["glorot"] == [86.0, 84.5, 60.0]


def test_no_two_initialisations_look_alike() -> None:
    rows = [row(depth, 80.0, name) for name in STUDY.spec.initialisations for depth in DEPTHS]
    picture = next(block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    lines = [line for line in picture.draw().axes[0].get_lines() if line.get_label() in SCHEMES]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(
        STUDY.spec.initialisations
    )
