"""Published values on the real graphs, each under the convention that made it.

ACM: Luan et al., Revisiting Heterophily For Graph Neural Networks (NeurIPS 2022, updated version), Tables 2 and 17.
Platonov: Characterizing Graph Datasets for Node Classification (NeurIPS 2023).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import load, splits
from allpass.metrics import (
    LabelledGraph,
    adjusted_homophily,
    aggregation_homophily,
    edge_homophily,
    label_informativeness,
    label_similarity,
)
from allpass.metrics.aggregation import (
    measure_aggregation_homophily,
    measure_aggregation_similarity,
    modified,
)
from allpass.metrics.diversification import measure_diversification
from allpass.metrics.homophily import measure_class, measure_edge, measure_node
from allpass.metrics.labelled import Loops

# Table 2. Six sets are counted on directed edges, H_edge with one self-loop for every node, against the text. CiteSeer
# is printed as 0.7362, 0.7175, 0.6270; its files give what stands here under every convention that was tried.
# The authors' Cornell has the features and labels of Texas; their CiteSeer puts its unlabelled nodes into class 0.
EDGES = {  # H_edge, H_node, H_class; directed
    "cornell-legacy": (0.5669, 0.3855, 0.0468, True),
    "wisconsin": (0.4480, 0.1498, 0.0941, True),
    "texas": (0.4106, 0.0968, 0.0013, True),
    "film": (0.3750, 0.2210, 0.0110, True),
    "chameleon": (0.2795, 0.2470, 0.0620, True),
    "squirrel": (0.2416, 0.2156, 0.0254, True),
    "deezer-europe": (0.5251, 0.5299, 0.0304, False),
    "cora-planetoid": (0.8100, 0.8252, 0.7657, False),
    "citeseer": (0.7355, 0.7166, 0.6267, False),
    "pubmed": (0.8024, 0.7924, 0.6641, False),
}
# The same under the definitions of the text: undirected, without self-loops (recomputed from the authors' files).
UNDIRECTED = {  # H_edge, H_node, H_class
    "cornell-legacy": (0.2960, 0.3009, 0.0153),
    "wisconsin": (0.1778, 0.1552, 0.0461),
    "texas": (0.0609, 0.0567, 0.0000),
    "film": (0.2167, 0.2199, 0.0064),
    "chameleon": (0.2299, 0.2471, 0.0411),
    "squirrel": (0.2221, 0.2172, 0.0307),
    "cora-planetoid": (0.8100, 0.8252, 0.7657),
    "citeseer": (0.7355, 0.7166, 0.6267),
    "pubmed": (0.8024, 0.7924, 0.6641),
}
# Tables 2 and 17: undirected, raw self-loops kept, row-normalised features, 0/0 fails.
AGGREGATION = {  # H_agg, H_agg^M, S_agg(Â, X), S_agg(I, X), DD(Â, X)
    "cornell-legacy": (0.9016, 0.8032, 0.8251, 0.9672, 0.3497),
    "wisconsin": (0.8884, 0.7768, 0.7769, 0.8287, 0.6096),
    "texas": (0.8470, 0.6940, 0.6557, 0.9672, 0.4590),
    "film": (0.8411, 0.6822, 0.5118, 0.5405, 0.3279),
    "chameleon": (0.8050, 0.6100, 0.8292, 0.7931, 0.3109),
    "squirrel": (0.6783, 0.3566, 0.7216, 0.7010, 0.2711),
    "cora-planetoid": (0.9952, 0.9904, 0.9439, 0.9103, 0.2681),
    "citeseer": (0.9913, 0.9826, 0.9393, 0.9315, 0.4124),
    "pubmed": (0.9716, 0.9432, 0.8623, 0.8823, 0.1889),
}
TIES = {"film": 26, "pubmed": 79, "deezer-europe": 5046}  # nodes whose two means are exactly equal
FOUR_DIGITS = 1.001e-4  # some were cut off after the fourth digit, not rounded


@cache
def graph_of(name: str, folder: Path) -> Data:
    return load(name, data_dir=folder, unlabelled="zero" if name == "citeseer" else None)


@pytest.mark.parametrize("name", EDGES)
def test_table_2_of_acm(name: str, data_dir: Path) -> None:
    data = graph_of(name, data_dir)
    edge, node, class_, directed = EDGES[name]
    graph = LabelledGraph.build(data.edge_index, data.y, directed=directed)
    loops: Loops = "add" if directed else "drop"
    assert measure_edge(graph, loops).value == pytest.approx(edge, abs=FOUR_DIGITS)
    assert measure_node(graph).value == pytest.approx(node, abs=FOUR_DIGITS)
    assert measure_class(graph, empty_class="zero").value == pytest.approx(class_, abs=FOUR_DIGITS)


@pytest.mark.parametrize("name", UNDIRECTED)
def test_definitions_of_the_text(name: str, data_dir: Path) -> None:
    data = graph_of(name, data_dir)
    graph = LabelledGraph.build(data.edge_index, data.y)
    values = [measure(graph).value for measure in (measure_edge, measure_node, measure_class)]
    assert values == pytest.approx(UNDIRECTED[name], abs=FOUR_DIGITS)


@pytest.mark.parametrize("name", AGGREGATION)
def test_table_17_of_acm(name: str, data_dir: Path) -> None:
    data = graph_of(name, data_dir)
    graph = LabelledGraph.build(data.edge_index, data.y, data.x)
    h, h_modified, s, s_features, dd = AGGREGATION[name]
    if name not in TIES:
        measured = measure_aggregation_homophily(graph)
        assert measured.value == pytest.approx(h, abs=FOUR_DIGITS)
        assert modified(measured).value == pytest.approx(h_modified, abs=FOUR_DIGITS)
    measured = measure_aggregation_similarity(graph, row_normalize=True, zero_over_zero="fail")
    assert measured.value == pytest.approx(s, abs=FOUR_DIGITS)
    measured = measure_aggregation_similarity(graph, "I", row_normalize=True, zero_over_zero="fail")
    assert measured.value == pytest.approx(s_features, abs=FOUR_DIGITS)
    assert measure_diversification(graph, row_normalize=True).value == pytest.approx(dd, abs=FOUR_DIGITS)


@pytest.mark.parametrize("name", TIES)
def test_where_ties_decide(name: str, data_dir: Path) -> None:
    """Exactly equal means pass by the definition; the published float32 rounding let some or all of them fail.

    The numbers of ties were counted in rational arithmetic. On Film every tie failed (0.8411 against 0.8445).
    """
    data = graph_of(name, data_dir)
    similarity = label_similarity(LabelledGraph.build(data.edge_index, data.y))
    passing, failing = similarity.aggregates(), similarity.aggregates(rtol=-1e-12)
    assert int(passing.sum() - failing.sum()) == TIES[name]
    published = {**{n: row[0] for n, row in AGGREGATION.items()}, "deezer-europe": (1 + 0.5790) / 2}[name]
    low, high = (float(passed.double().mean()) for passed in (failing, passing))
    assert low - FOUR_DIGITS <= published <= high + FOUR_DIGITS
    assert {"film": low, "pubmed": high, "deezer-europe": high}[name] == pytest.approx(published, abs=0.002)


def test_argmax_variant_of_the_authors_code(data_dir: Path) -> None:
    """Their function for synthetic graphs asks for the largest of all class means: 0.672 on Cornell, not 0.9016."""
    data = graph_of("cornell-legacy", data_dir)
    assert aggregation_homophily(data.edge_index, data.y, comparison="argmax") == pytest.approx(
        0.672, abs=1e-3
    )


# Table 17, lower half: mean and standard deviation over ten random draws of 60% of the labels.
TRAINING = {  # H_agg, S_agg(Â, X), S_agg(I, X), DD(Â, X)
    "wisconsin": ((0.9147, 0.0260), (0.8280, 0.0351), (0.8680, 0.0270), (0.6073, 0.0436)),
    "texas": ((0.8596, 0.0299), (0.6835, 0.0498), (0.9661, 0.0336), (0.4817, 0.0762)),
    "cora-planetoid": ((0.9959, 0.0011), (0.9487, 0.0023), (0.9204, 0.0044), (0.3198, 0.0225)),
}


@pytest.mark.parametrize("name", TRAINING)
def test_table_17_from_training_labels(name: str, data_dir: Path) -> None:
    """Plain shares of every class fit all of it, the capped splits do not; and H_agg averaged *all* labels.

    With the labels outside the training set unknown, H_agg is higher (Squirrel 0.72 against 0.679).
    """
    data = graph_of(name, data_dir)
    adjacency = LabelledGraph.build(data.edge_index, None, num_nodes=data.num_nodes).adjacency
    Z = torch.nn.functional.one_hot(data.y).double()
    rows = []
    for split in splits(data, "stratified", count=6):
        y = torch.where(split.train, data.y, -1)
        graph = LabelledGraph(adjacency, y, data.x)
        rows.append(
            [
                measure_aggregation_similarity(LabelledGraph(adjacency, y, Z)).value,
                measure_aggregation_similarity(graph, row_normalize=True, zero_over_zero="fail").value,
                measure_aggregation_similarity(graph, "I", row_normalize=True, zero_over_zero="fail").value,
                measure_diversification(graph, row_normalize=True).value,
            ]
        )
    means = torch.tensor(rows, dtype=torch.float64).mean(0).tolist()
    for value, (published, deviation) in zip(means, TRAINING[name], strict=True):
        assert value == pytest.approx(published, abs=3 * deviation)


@pytest.mark.parametrize(
    ("name", "published"), [("minesweeper", (0.68, 0.01, 0.00)), ("tolokers", (0.59, 0.09, 0.01))]
)
def test_platonov(name: str, published: tuple[float, float, float], data_dir: Path) -> None:
    data = graph_of(name, data_dir)
    measures = edge_homophily, adjusted_homophily, label_informativeness
    assert [measure(data.edge_index, data.y) for measure in measures] == pytest.approx(published, abs=0.005)


def test_embedded_cora_has_the_published_values() -> None:
    """The same graph in another order of rows, without any data folder."""
    data = load("cora")
    graph = LabelledGraph.build(data.edge_index, data.y, data.x)
    values = [measure(graph).value for measure in (measure_edge, measure_node, measure_class)]
    assert values == pytest.approx(UNDIRECTED["cora-planetoid"], abs=FOUR_DIGITS)
    values = [
        measure_aggregation_homophily(graph).value,
        modified(measure_aggregation_homophily(graph)).value,
        measure_aggregation_similarity(graph, row_normalize=True).value,
        measure_aggregation_similarity(graph, "I", row_normalize=True).value,
        measure_diversification(graph, row_normalize=True).value,
    ]
    assert values == pytest.approx(AGGREGATION["cora-planetoid"], abs=FOUR_DIGITS)


def test_cora_by_the_definition() -> None:
    """On features as given, which the definition says; the published values are of divided rows."""
    data = load("cora")
    graph = LabelledGraph.build(data.edge_index, data.y, data.x)
    assert measure_diversification(graph).value == pytest.approx(0.3264, abs=FOUR_DIGITS)
    assert measure_aggregation_similarity(graph).value == pytest.approx(0.9405, abs=FOUR_DIGITS)
