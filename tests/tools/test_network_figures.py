from __future__ import annotations

from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from allpass.metrics import edge_homophily
from tools import figures, network_figures


@pytest.mark.parametrize(
    "make",
    [network_figures.acm_signal, network_figures.deep_signal, network_figures.polynomial_signal],
    ids=lambda make: make.__name__,
)
def test_a_figure_is_drawn_the_same_twice(make, tmp_path):
    mpl.use("agg")
    (path,) = figures.draw(tmp_path, [make])
    first = path.read_bytes()
    figures.draw(tmp_path, [make])
    assert path.read_bytes() == first
    assert ElementTree.fromstring(first).tag.endswith("svg")


def test_every_figure_has_its_file():
    names = {path.stem for path in figures.IMAGES.glob("*.svg")}
    assert {make.__name__ for make in network_figures.FIGURES} <= names


@pytest.mark.slow
def test_every_figure_can_be_drawn(tmp_path):
    mpl.use("agg")
    assert len(figures.draw(tmp_path, network_figures.FIGURES)) == len(network_figures.FIGURES)


def test_the_graph_of_both_kinds_is_what_its_figure_says():
    data = network_figures.half_and_half()
    (source, target), agree = data.edge_index, data.x[:, -1] == 0
    assert (agree[source] == agree[target]).all()
    assert edge_homophily(data.edge_index[:, agree[source]], data.y) > 0.8
    assert edge_homophily(data.edge_index[:, ~agree[source]], data.y) == 0


def test_the_noisy_classes_have_the_homophily_asked_for():
    data = network_figures.noisy_classes(0.1)
    assert edge_homophily(data.edge_index, data.y) == pytest.approx(0.1, abs=0.03)
