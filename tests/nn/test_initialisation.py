"""Each scheme by measurement at the first layer, where its derivation is exact: independent features, one averaging."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from torch_geometric.data import Data

from allpass.errors import InputError, UnknownNameError
from allpass.graph import Operator, matrix
from allpass.models import create
from allpass.nn import SCHEMES, GCNConv, initialise_, initialise_model_, weight_variance
from allpass.nn.initialisation import Degrees

NODES, IN, OUT = 60, 32, 24


def uneven(nodes: int = NODES) -> Operator:
    """A random graph with hubs and with isolated nodes."""
    generator = torch.Generator().manual_seed(0)
    chance = torch.rand(nodes, generator=generator) ** 3
    edges = (torch.rand(nodes, nodes, generator=generator) < chance[:, None] * chance[None, :]).triu(1)
    return Operator.from_edge_index(
        (edges | edges.T).nonzero().T.contiguous(), num_nodes=nodes, dtype=torch.float64
    )


A = uneven()
D = A.row_sums
MEAN, INVERSE = float(D.mean()), float((1 / (D + 1)).mean())
ALPHA = 0.3
VARIANCES = {
    "glorot": 2 / (IN + OUT),
    "he": 2 / IN,
    "fan-in-uniform": 1 / (3 * IN),
    "fan-out-uniform": 1 / (3 * OUT),
    "forward": (1 + MEAN) / IN,
    "degree-weighted": float(((D + 1) ** 2).sum() / (D + 1).sum()) / IN,
    "backward": (1 + MEAN) / OUT,
    "combined": 2 * (1 + MEAN) / (IN + OUT),
    "forward-relu": 2 * (1 + MEAN) / IN,
    "effective-degree": 2 * float(((D + 1) / (ALPHA * D + 1)).mean()) / IN,
    "energy": 1 / INVERSE / IN,  # orthogonal columns: W^T W = a I makes entries of variance a / F_in
    "energy-relu": 2 / INVERSE / IN,
    "energy-exact": 1 / INVERSE / OUT,
    "energy-exact-relu": 2 / INVERSE / OUT,
}


def agrees(samples: list[float], expected: float) -> None:
    """The mean of many draws is within four of its own errors of what is expected, and the error is below 1.5%."""
    drawn = torch.tensor(samples, dtype=torch.float64)
    error = float(drawn.std()) / len(samples) ** 0.5
    assert error < 0.015 * expected
    assert abs(float(drawn.mean()) - expected) < 4 * error


def layer(init: str, widths: tuple[int, int] = (IN, OUT), alpha: float = ALPHA) -> GCNConv:
    def fill(weight: torch.Tensor) -> torch.Tensor:
        return initialise_(weight, init, A, alpha=alpha)

    return GCNConv(*widths, filter="A_hat_rw", bias=False, init=fill).double()


def test_no_scheme_is_forgotten_here():
    assert set(VARIANCES) == set(SCHEMES.names)


@pytest.mark.parametrize("name", SCHEMES.names)
def test_variance_at_the_first_layer(name):
    """Var(H_1) / Var(X) = F_0 Var(W) mean(1 / (d + 1))."""
    torch.manual_seed(0)
    conv, ratios = layer(name), []
    for _ in range(250):
        conv.reset_parameters()
        x = torch.randn(NODES, IN, dtype=torch.float64)
        ratios.append(float(conv(x, A).detach().square().mean()))
    agrees(ratios, IN * VARIANCES[name] * INVERSE)


@pytest.mark.parametrize("name", ["backward", "combined", "glorot"])
def test_variance_of_the_gradient_at_the_last_layer(name):
    """Var(dL/dY_n) / Var(dL/dH_(n+1)) = F_(n+1) Var(W) mean(1 / (d + 1)): the mean is that of columns of Â too."""
    torch.manual_seed(0)
    conv, ratios = layer(name), []
    x = torch.zeros(NODES, IN, dtype=torch.float64, requires_grad=True)
    for _ in range(250):
        conv.reset_parameters()
        out = conv(x, A)
        (gradient,) = torch.autograd.grad(out, x, torch.randn_like(out))
        ratios.append(float(gradient.square().mean()))
    agrees(ratios, OUT * VARIANCES[name] * INVERSE)


@pytest.mark.parametrize("name", ["forward", "backward", "combined"])
def test_equal_widths_give_the_ratio_of_the_two_means(name):
    """Both ways (1 + mean d) mean(1 / (d + 1)): 1 on a regular graph, and above it on any other."""
    torch.manual_seed(1)
    expected = (1 + MEAN) * INVERSE
    assert expected > 1.1
    conv, ahead, back = layer(name, (IN, IN)), [], []
    for _ in range(250):
        conv.reset_parameters()
        x = torch.randn(NODES, IN, dtype=torch.float64, requires_grad=True)
        out = conv(x, A)
        (gradient,) = torch.autograd.grad(out, x, torch.randn_like(out))
        ahead.append(float(out.detach().square().mean()))
        back.append(float(gradient.square().mean()))
    agrees(ahead, expected)
    agrees(back, expected)


@pytest.mark.parametrize(("fan_in", "fan_out"), [(20, 20), (30, 12), (12, 30)])
@pytest.mark.parametrize(("name", "factor"), [("energy", 1), ("energy-relu", 2)])
def test_energy_weights_are_orthogonal(name, factor, fan_in, fan_out):
    a = factor * NODES / float(matrix(A, "A_hat_rw").to_dense().norm() ** 2)
    assert weight_variance(name, fan_in, fan_out, A) == pytest.approx(a)
    W = initialise_(torch.empty(fan_in, fan_out, dtype=torch.float64), name, A)
    product = W.T @ W if fan_out <= fan_in else W @ W.T  # of a wide W the rows are orthogonal
    torch.testing.assert_close(product, a * torch.eye(min(fan_in, fan_out), dtype=torch.float64))


def test_energy_is_kept_at_the_first_layer():
    """The mean of ||H||^2 is ||X||^2; for a given H the report's spectral steps take Â for symmetric."""
    torch.manual_seed(0)
    conv, ratios = layer("energy", (IN, IN)), []
    for _ in range(250):
        conv.reset_parameters()
        x = torch.randn(NODES, IN, dtype=torch.float64)
        ratios.append(float(conv(x, A).detach().norm() ** 2 / x.norm() ** 2))
    agrees(ratios, 1.0)


@pytest.mark.parametrize("filter_", ["A_hat_rw", "A_hat_sym"])
@pytest.mark.parametrize(("name", "kept"), [("energy", 1), ("energy-exact", IN / 8)])
@pytest.mark.parametrize("widths", [(IN, 2 * IN), (IN, IN), (IN, 8)])
def test_the_sum_of_squares_is_kept_for_any_filter_and_width(filter_, name, kept, widths):
    """By ``energy`` where the layer does not narrow its input; else it keeps the share F_out / F_in."""
    torch.manual_seed(0)
    share = kept * 8 / IN if widths[1] == 8 else 1.0
    conv = GCNConv(
        *widths, filter=filter_, bias=False, init=lambda W: initialise_(W, name, A, filter=filter_)
    )
    conv, ratios = conv.double(), []
    for _ in range(300):
        conv.reset_parameters()
        x = torch.randn(NODES, IN, dtype=torch.float64)
        ratios.append(float(conv(x, A).detach().norm() ** 2 / x.norm() ** 2))
    agrees(ratios, share)


def test_the_two_sums_that_the_report_equates_differ_and_each_belongs_to_a_filter():
    symmetric = matrix(A, "A_hat_sym").to_dense()
    squares = float(torch.linalg.eigvalsh(symmetric).square().sum())
    assert squares == pytest.approx(NODES * Degrees.of(A).spectral)
    assert float(matrix(A, "A_hat_rw").to_dense().norm() ** 2) == pytest.approx(NODES * INVERSE)
    assert squares < 0.95 * NODES * INVERSE
    assert weight_variance("energy", 5, 5, A, filter="A_hat_sym") == pytest.approx(NODES / squares)
    assert create_energy("A_hat_sym") == pytest.approx(NODES / squares, rel=1e-5)
    assert create_energy("A_hat_rw") == pytest.approx(1 / INVERSE, rel=1e-5)


def create_energy(filter_: str) -> float:
    """The a of W W^T = a I in a model."""
    model = create("gcn", in_channels=4, out_channels=9, num_layers=1, init="energy", filter=filter_, graph=A)
    W = model.layers[0].weight.detach()
    return float((W @ W.T).diagonal().mean())


def test_degrees_alone_do_not_give_the_eigenvalues():
    with pytest.raises(InputError, match="Got the degrees alone for an energy initialisation with A_hat_sym"):
        weight_variance("energy", 5, 5, D, filter="A_hat_sym")


def test_energy_knows_weights_and_loops():
    edge_index = torch.tensor([[0, 1, 2, 2, 0], [1, 0, 2, 1, 0]])
    graph = Operator.from_edge_index(edge_index, torch.tensor([2.0, 0.5, 1.5, 3.0, 1.0]), 4)
    norm = float(matrix(graph, "A_hat_rw").to_dense().norm() ** 2)
    assert weight_variance("energy", 5, 5, graph) == pytest.approx(4 / norm, rel=1e-6)
    norm = float(matrix(graph, "A_hat_sym").to_dense().norm() ** 2)
    assert weight_variance("energy", 5, 5, graph, filter="A_hat_sym") == pytest.approx(4 / norm, rel=1e-6)


@pytest.mark.parametrize("name", ["forward-relu", "effective-degree"])
def test_rectified_signals_are_correlated_even_when_independent(name):
    """Rectified independent signals have means, so E[Y_k Y_j] = alpha E[Y^2] with alpha = 1 / pi, and not 0.

    With that alpha the effective degree is exact; the plain doubling, alpha = 0, gives more than it promises.
    """
    torch.manual_seed(0)
    alpha, ratios = 1 / math.pi, []
    conv = layer(name, alpha=alpha)
    for _ in range(250):
        conv.reset_parameters()
        y = torch.randn(NODES, IN, dtype=torch.float64).relu()
        ratios.append(float(conv(y, A).detach().square().mean()))
    left = float(((alpha * D + 1) / (D + 1)).mean())
    promised = {
        "forward-relu": 1 + MEAN,
        "effective-degree": float(((D + 1) / (alpha * D + 1)).mean()),
    }
    agrees(ratios, promised[name] * left)  # 2 F Var(W) E[Y^2] and E[Y^2] = 1/2


def test_relu_halves_the_second_moment_and_the_doubling_makes_up_for_it():
    """On a graph without edges nothing is averaged, and the doubled variance keeps Var(H) through ReLU exactly."""
    torch.manual_seed(0)
    lonely = torch.zeros(NODES)
    ratios = []
    for _ in range(300):
        W = initialise_(torch.empty(IN, OUT, dtype=torch.float64), "forward-relu", lonely)
        ratios.append(float((torch.randn(NODES, IN, dtype=torch.float64).relu() @ W).square().mean()))
    agrees(ratios, 1.0)


def test_deeper_down_independence_fails():
    """The combined scheme promises a constant variance. From the second layer on it grows, by up to 1 + mean degree.

    Nodes that averaged the same neighbours are alike, so averaging them again takes away less than 1 / (d + 1).
    """
    torch.manual_seed(0)
    conv, total = layer("combined", (IN, IN)), torch.zeros(8, dtype=torch.float64)
    for _ in range(100):
        H = torch.randn(NODES, IN, dtype=torch.float64)
        for l in range(8):
            conv.reset_parameters()
            H = conv(H, A).detach()
            total[l] += H.square().mean()
    growth = (total[1:] / total[:-1]).tolist()
    assert all(1.5 < factor < 1.1 * (1 + MEAN) for factor in growth)
    assert growth[-1] > 0.85 * (1 + MEAN)
    assert growth[-1] > growth[0]


def test_effective_degree_runs_from_the_doubling_to_he():
    for fan_in in (3, 40):
        assert weight_variance("effective-degree", fan_in, 7, A, alpha=0) == pytest.approx(
            weight_variance("forward-relu", fan_in, 7, A)
        )
        assert weight_variance("effective-degree", fan_in, 7, A, alpha=1) == pytest.approx(
            weight_variance("he", fan_in, 7)
        )
    between = [weight_variance("effective-degree", 4, 4, A, alpha=a) for a in (0.0, 0.2, 0.5, 1.0)]
    assert between == sorted(between, reverse=True)


def test_by_hand():
    degrees = torch.tensor([0.0, 1.0, 1.0, 3.0])  # d + 1 = 1, 2, 2, 4: mean 9/4, sum of squares 25
    assert weight_variance("forward", 3, 5, degrees) == pytest.approx(9 / 4 / 3)
    assert weight_variance("backward", 3, 5, degrees) == pytest.approx(9 / 4 / 5)
    assert weight_variance("combined", 3, 5, degrees) == pytest.approx(9 / 16)
    assert weight_variance("degree-weighted", 3, 5, degrees) == pytest.approx(25 / 9 / 3)
    assert weight_variance("energy", 3, 5, degrees) == pytest.approx(4 / (1 + 0.5 + 0.5 + 0.25))


def test_torch_and_pyg_are_second_opinions():
    from torch_geometric.nn import inits

    theirs = torch.empty(200, 300)
    for ours, fill in (("glorot", inits.glorot), ("he", nn.init.kaiming_normal_)):
        torch.manual_seed(0)
        fill(theirs.T if ours == "he" else theirs)  # torch counts the fan of [out, in]
        W = initialise_(torch.empty(200, 300), ours)
        assert float(W.std()) == pytest.approx(float(theirs.std()), rel=0.02)
    assert float(initialise_(torch.empty(200, 300), "glorot").abs().max()) <= math.sqrt(6 / 500)
    linear = nn.Linear(200, 300)
    W = initialise_(torch.empty(200, 300), "fan-in-uniform")
    assert float(W.std()) == pytest.approx(float(linear.weight.detach().std()), rel=0.02)


def test_degrees_of_an_operator_leave_loops_out():
    edge_index = torch.tensor([[0, 1, 0, 2], [1, 0, 0, 1]])
    degrees = Degrees.of(Operator.from_edge_index(edge_index, num_nodes=3))
    assert degrees.values.tolist() == [1, 2, 0]
    assert degrees.mean == 1


def test_a_graph_may_come_in_any_form():
    edges = A.edge_index
    data = Data(edge_index=edges, num_nodes=NODES)
    weighted = Data(edge_index=edges, edge_weight=2 * torch.ones(edges.shape[1]), num_nodes=NODES)
    for name in ("combined", "energy"):
        wanted = weight_variance(name, 3, 3, A)
        for form in (D, data, A.to_sparse(), Degrees.of(A)):
            assert weight_variance(name, 3, 3, form) == pytest.approx(wanted)
        assert weight_variance(name, 3, 3, weighted) != pytest.approx(wanted)
    last = int(edges.max()) + 1  # nodes after the last edge are not known of
    assert torch.equal(Degrees.of(edges).values, D[:last])
    model = create("gcn", in_channels=3, out_channels=3, init="combined", graph=data)
    assert isinstance(model, nn.Module)


def test_blocks_have_their_own_fan_out():
    torch.manual_seed(0)
    W = initialise_(torch.empty(50, 3 * 40), "fan-out-uniform", blocks=3)
    assert float(W.abs().max()) == pytest.approx(40**-0.5, rel=0.01)
    W = initialise_(torch.empty(50, 3 * 40, dtype=torch.float64), "energy", A, blocks=3)
    for block in W.chunk(3, dim=1):
        torch.testing.assert_close(block.T @ block, torch.eye(40, dtype=torch.float64) / INVERSE)


def test_a_function_fills_too():
    W = initialise_(torch.empty(4, 6), nn.init.ones_, blocks=2)
    assert torch.equal(W, torch.ones(4, 6))


def test_a_parameter_is_filled_in_place_and_stays_a_leaf():
    weight = nn.Parameter(torch.empty(4, 6))
    assert initialise_(weight, "combined", A) is weight
    assert weight.is_leaf
    assert weight.requires_grad


def test_the_same_seed_gives_the_same_weights():
    drawn = []
    for _ in range(2):
        torch.manual_seed(3)
        drawn.append(initialise_(torch.empty(5, 5), "energy", A))
    assert torch.equal(*drawn)


def test_a_model_is_filled_matrix_by_matrix():
    torch.manual_seed(0)
    model = create("gcn", in_channels=100, out_channels=4, hidden_channels=100, num_layers=3)
    initialise_model_(model, "forward", A)
    for conv in model.layers[:2]:
        assert float(conv.weight.detach().var()) == pytest.approx((1 + MEAN) / 100, rel=0.06)
        assert not conv.bias.any()


def test_empty_weights_are_no_error():
    for name in SCHEMES.names:
        assert initialise_(torch.empty(0, 4), name, A).shape == (0, 4)


@pytest.mark.parametrize(
    ("name", "graph", "alpha", "message"),
    [
        ("combined", None, 0.5, "no graph for the initialisation 'combined'.*Pass graph="),
        ("effective-degree", A, 1.5, "alpha = 1.5"),
        ("forward", torch.ones(2, 2), 0.5, r"graph of shape \[2, 2\] and torch\.float32.*the degrees"),
        ("forward", Data(x=torch.ones(3, 2)), 0.5, r"graph of type Data.*edge_index \[2, E\], PyG's Data"),
        ("forward", "cora", 0.5, "graph of type str"),
        ("forward", torch.tensor([1.0, -1.0]), 0.5, "each 0 or more"),
        ("forward", torch.empty(0), 0.5, r"shape \[0\]"),
    ],
)
def test_bad_input(name, graph, alpha, message):
    with pytest.raises(InputError, match=message):
        weight_variance(name, 3, 3, graph, alpha=alpha)


def test_an_unknown_name():
    with pytest.raises(UnknownNameError, match=r"'combind'\. Did you mean 'combined'"):
        initialise_(torch.empty(2, 2), "combind")


@pytest.mark.parametrize("init", [3, None, ["glorot"]])
def test_neither_a_name_nor_a_function(init):
    with pytest.raises(
        InputError, match=r"Got init = .*Expected one of glorot, he.*or a function that fills"
    ):
        initialise_(torch.empty(2, 2), init)
