from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.rl.processes import random_mdp

from allpass.report.canvas import to_bytes
from allpass.report.rl import page
from allpass.report.rl.layout import layout
from allpass.report.rl.maps import function_maps, value_map
from allpass.rl import TabularMDP
from allpass.rl.spreading import spread


@pytest.mark.parametrize(
    "mdp",
    [
        TabularMDP.from_grid("four-rooms"),
        TabularMDP.from_grid("\n".join(["." * 130] * 70)),
        random_mdp(0),
        TabularMDP.from_grid("S.G", 1.0),
    ],
    ids=["rooms", "large", "graph", "corridor"],
)
def test_every_process_is_drawn_without_embedded_pictures(mdp: Any) -> None:
    values = np.arange(mdp.num_states, dtype=float)
    for figure in (
        value_map(mdp, values, np.zeros(mdp.num_states, dtype=int)),
        function_maps(mdp, np.column_stack([values, -values, values * 0]), ["a", "b", "c"]),
    ):
        svg = to_bytes(figure, ".svg")
        assert b"data:image" not in svg
        assert len(svg) < 3_000_000


def test_a_map_shows_each_cell_in_its_place() -> None:
    mdp = TabularMDP.from_grid("#####\n#12.#\n#...#\n#####".replace("1", "S").replace("2", "."))
    figure = value_map(mdp, np.arange(6.0))
    (mesh,) = figure.axes[0].collections
    np.testing.assert_array_equal(np.asarray(mesh.get_array()).reshape(2, 3), [[0, 1, 2], [3, 4, 5]])


def test_every_part_of_the_graph_is_drawn() -> None:
    """Four passengers' goals make four parts of Taxi; no move leads from one to another."""
    ring = np.roll(np.eye(5), 1, axis=1)
    P = np.zeros((15, 15))
    for part in range(3):
        P[5 * part : 5 * part + 5, 5 * part : 5 * part + 5] = ring
    mdp = TabularMDP(P, np.arange(15.0), 0.9, layout="SA,S")
    drawn = layout(mdp)
    assert sorted(drawn.states) == list(range(15))
    assert drawn.parts == (3, 3)
    assert len(drawn.edges) == 15
    lengths = np.linalg.norm(np.diff(drawn.places[drawn.edges], axis=1), axis=2)
    assert lengths.max() < 2
    boxes = [drawn.places[np.isin(drawn.states, range(5 * p, 5 * p + 5))] for p in range(3)]
    for one in range(3):
        for other in range(one):
            apart = (boxes[one].min(0) > boxes[other].max(0)) | (boxes[other].min(0) > boxes[one].max(0))
            assert apart.any()
    (chart,) = page.solution_charts(mdp, mdp.optimal())
    assert "No move connects the 3 parts" in chart.reading


def test_potentials_have_one_scale_and_curves_their_bands() -> None:
    mdp = TabularMDP.from_grid("S...G", 0.9)
    found = spread(mdp, seeds=range(3), episodes=12)
    maps, curves = page.spread_charts(found)
    assert maps.headers == ("state", "1", "6", "11")
    assert maps.rows[0][0] == "end"
    assert [float(cell) for cell in maps.rows[0][1:]] == [1, 1, 1]
    assert len(curves.rows) == 12
    mean, low, high = (float(cell) for cell in curves.rows[0][4:])
    assert low <= mean <= high
    assert mean == pytest.approx(found.plain[:, 0].mean(), rel=1e-2)
    figure = function_maps(mdp, np.array([[1.0, 2.0]] * 5), ["a", "b"], one_scale=True)
    shown = [float(axes.collections[0].get_array().max()) for axes in figure.axes]  # type: ignore[union-attr]
    assert shown == [0.5, 1]
    text = page.render(page.spread_page(found, "corridor"))
    assert "Q-learning needs" in text
    assert text.count("<svg") == 3


def test_processes_and_solutions_show_themselves_in_notebooks() -> None:
    mdp = TabularMDP.from_grid("four-rooms")
    assert "Optimal values on the grid" in mdp._repr_html_()
    text = mdp.optimal()._repr_html_()
    assert '<td style="text-align: left">(11, 10)</td>' in text
    assert "the best 10 states" in text


def test_a_page_is_whole_and_the_same_again(tmp_path: Path) -> None:
    mdp = TabularMDP.from_grid("four-rooms")
    solution = mdp.optimal()
    shown = page.Page("<rooms>", "Worth 1 & more.", page.facts_of(mdp), page.solution_charts(mdp, solution))
    text = page.write(shown, tmp_path / "page.html").read_text()
    assert text == page.render(shown)
    assert "&lt;rooms&gt;" in text
    assert "1 &amp; more" in text
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert "<td>down</td>" in text
