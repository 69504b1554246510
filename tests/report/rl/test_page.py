from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.rl.processes import random_mdp

from allpass.report.canvas import to_bytes
from allpass.report.rl import page
from allpass.report.rl.maps import function_maps, value_map
from allpass.rl import TabularMDP


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
