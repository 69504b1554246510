from __future__ import annotations

import pytest

from allpass.papers.pages.shades import shaded
from allpass.papers.pages.sheet import sheet
from allpass.report.theme import light


def test_every_number_stands_in_its_cell_and_the_best_is_bold() -> None:
    first, second = (
        shaded([1.0, 3.0, None], ["1.0", "3.0", "–"]),
        shaded([5.0, 4.0, 4.5], ["5.0", "4.0", "4.5"]),
    )
    figure = sheet(["one", "two", "three"], {"Cora": {"1%": first}, "PubMed": {"2% (of all)": second}})
    (axes,) = figure.axes
    texts = {text.get_text(): text for text in axes.texts}
    assert {"Cora", "PubMed", "1%", "2%\n(of all)", "one", "two", "three", "1.0", "3.0", "–"} <= set(texts)
    assert [name for name, text in texts.items() if text.get_weight() == "bold"] == ["3.0", "5.0"]
    assert texts["1.0"].get_position()[1] == texts["one"].get_position()[1]
    assert texts["1.0"].get_position()[0] == texts["1%"].get_position()[0]


def test_colours_go_from_red_to_green() -> None:
    from matplotlib.colors import to_hex

    (axes,) = sheet(["a", "b", "c"], {"": {"x": shaded([0.0, 10.0, 5.0], ["0", "10", "5"])}}).axes
    colours = [(to_hex(patch.get_facecolor()), patch.get_alpha()) for patch in axes.patches]
    assert colours == [(light("worst"), pytest.approx(0.45)), (light("best"), pytest.approx(0.45))]


def test_long_names_of_rows_are_not_cut_off() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    names = ["GCN", "Read as ACM-GCN++: ACMII-GCN+"]
    figure = sheet(names, {"": {str(place): shaded([0.0, 10.0], ["0", "10"]) for place in range(9)}})
    renderer = FigureCanvasAgg(figure).get_renderer()
    ends = [text.get_window_extent(renderer).x0 for text in figure.axes[0].texts if text.get_text() in names]
    assert len(ends) == 2
    assert min(ends) > 20  # other fonts are wider
