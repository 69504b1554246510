"""Costs by formula against networks that are counted, and against counts by hand."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from allpass.graph import Operator
from allpass.models import create
from allpass.nn import ACMConv
from allpass.papers.costs import (
    FRAMES,
    LAYERS,
    Cost,
    Size,
    by_formula,
    convolution,
    convolution_as_printed,
    count,
    mixing,
    mixing_as_printed,
)

N, F, HIDDEN, C = 30, 11, 6, 4


def graph(loop: bool = False) -> Operator:
    """A ring with chords, and a self-loop if asked for."""
    ring = torch.arange(N)
    edges = torch.cat([torch.stack([ring, (ring + step) % N]) for step in (1, 7)], dim=1)
    if loop:
        edges = torch.cat([edges, torch.tensor([[3], [3]])], dim=1)
    pairs = torch.cat([edges, edges.flip(0)], dim=1).unique(dim=1)
    return Operator.from_edge_index(pairs, num_nodes=N)


def test_the_size_of_a_graph_counts_a_loop_once() -> None:
    assert Size.of(graph()) == Size(N, 4 * N, 5 * N)
    assert Size.of(graph(loop=True)) == Size(N, 4 * N + 1, 5 * N)


def test_the_printed_formulas() -> None:
    size = Size(nodes=100, edges=400, entries=500)
    assert convolution(size, 7, 3) == Cost(7 * 3, 2 * 100 * 7 * 3 + 2 * 3 * 500)
    assert convolution_as_printed(size, 7, 3) == convolution(size, 7, 3)
    assert convolution_as_printed(size, 3, 7).flops - convolution(size, 3, 7).flops == 2 * (7 - 3) * 500
    printed = mixing_as_printed(size, 7, 3)
    assert printed.parameters == 3 * 7 * (3 + 1) + 9
    assert printed.flops == 100 * 3 * (8 + 6 * 7) + 2 * 3 * (500 + 500) + 18 * 100
    recounted = mixing(size, 7, 3)
    assert recounted.parameters == 3 * 3 * (7 + 1) + 9
    assert recounted.flops - printed.flops == (6 + 5 - 8) * 100 * 3
    assert mixing(size, 5, 5).parameters == mixing_as_printed(size, 5, 5).parameters
    more = mixing(size, 7, 3, channels=4).parameters - recounted.parameters
    assert more == 100 * 3 + 3 + 7  # a weight for each node, one more score, 4 x 4 in place of 3 x 3


def test_the_number_of_the_paper_s_network_on_cora() -> None:
    cora = Size(2708, 10556, 13264)
    assert by_formula(mixing, "two layers", cora, 1433, 64, 7).parameters == 276_711


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize(
    ("model", "layer", "frame", "settings", "scaled"),
    [
        ("sgc-1", "convolution", "one layer", {}, 0),
        ("gcn", "convolution", "two layers", {"bias": False}, 0),
        ("snowball-2", "convolution", "snowball", {"bias": False}, 0),
        ("krylov", "krylov", "hidden and readout", {"bias": False, "blocks": 5}, 0),
        ("acm-sgc-1", "mixing", "one layer", {}, 3),
        ("acm-gcn", "mixing", "two layers", {}, 3),
        ("acmii-gcn", "mixing", "two layers", {}, 3),
        ("acm-snowball-2", "mixing", "snowball", {}, 3),
        ("acm-gcn+", "mixing with structure", "two layers", {"layer_norm": False}, 4),
    ],
)
def test_networks_cost_what_the_formula_says(
    model: str, layer: str, frame: str, settings: dict[str, object], scaled: int, loop: bool
) -> None:
    A = graph(loop)
    if frame != "one layer":
        settings = {**settings, "hidden_channels": HIDDEN}
    network = create(model, in_channels=F, out_channels=C, num_nodes=N, **settings)
    found = count(network, torch.rand(N, F), A)
    formula = by_formula(LAYERS[layer][0], frame, Size.of(A), F, HIDDEN, C)
    extra = 0
    for place, (_, O) in enumerate(FRAMES[frame](F, HIDDEN, C)):
        if scaled:
            # the identity channel times 1; the sum of a small layer as a product and a sum; k alpha; W_mix / T
            extra += 2 * N * O + N * O + scaled * N + scaled * scaled
        if frame == "snowball" and place == 1:  # the products of two parts are added
            extra += N * O * max(scaled, 1)
    assert found == Cost(formula.parameters, formula.flops + extra)


def test_dense_products_are_those_of_torch_s_own_counter() -> None:
    A, x = graph(), torch.rand(N, F)
    network = create("gcn", in_channels=F, out_channels=C, hidden_channels=HIDDEN, bias=False).eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(x, A)
    sparse = 2 * (HIDDEN + C) * 5 * N  # which torch does not count
    assert count(network, x, A).flops == counter.get_total_flops() + sparse


def test_large_layers_take_the_same_operations() -> None:
    A, O = graph(), 2**12  # above the size from which channels are mixed one by one
    wider, narrower = (ACMConv(F, O) for F in (5, O))
    # k alpha; W_mix / T; and where the filters are one matrix the identity channel times 1
    for layer, F, extra in ((wider, 5, 0), (narrower, O, 2 * N * O)):
        found, formula = count(layer, torch.rand(N, F), A), mixing(Size.of(A), F, O)
        assert found == Cost(formula.parameters, formula.flops + extra + 3 * N + 9)
