"""ACM: parameter counts, the paper's ablations, the one sparse product, and the mixing weights."""

from __future__ import annotations

import itertools

import pytest
import torch
from tests.references.acm import acm_layer

from allpass.errors import AllpassError, InputError
from allpass.graph import FilterBank, Operator, matrix
from allpass.nn import ACMConv
from allpass.testing import examples

SUBSETS = [
    channels for size in (1, 2, 3) for channels in itertools.combinations(("low", "high", "identity"), size)
]


def parameters(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.mark.parametrize(("fan_in", "fan_out"), [(1433, 64), (64, 7), (3, 5)])
def test_the_number_of_parameters_is_that_of_the_definition(fan_in: int, fan_out: int) -> None:
    assert parameters(ACMConv(fan_in, fan_out)) == 3 * fan_out * (fan_in + 1) + 9


def test_a_structure_channel_adds_one_row_a_node_a_score_and_a_larger_mixing_matrix() -> None:
    plain = parameters(ACMConv(6, 4))
    structure = ACMConv(6, 4, channels=("low", "high", "identity", "structure"), num_nodes=11)
    assert parameters(structure) == plain + 11 * 4 + 4 + 7


@pytest.mark.parametrize("width", [3, 8], ids=["narrower", "wider"])
@pytest.mark.parametrize("channels", SUBSETS, ids="+".join)
def test_without_mixing_the_channels_are_added(channels: tuple[str, ...], width: int) -> None:
    example = examples()[0]
    conv = ACMConv(5, width, channels=channels, mixing=False).double()
    A_hat = matrix(example.operator, "A_hat_rw").to_dense()
    filters = {
        "low": A_hat,
        "high": torch.eye(13, dtype=torch.float64) - A_hat,
        "identity": torch.eye(13).double(),
    }
    weights = dict(zip(channels, conv.weight.split(width, dim=1), strict=True))
    wanted = sum(torch.relu(filters[name] @ example.x @ weights[name]) for name in channels)
    torch.testing.assert_close(conv(example.x, example.operator), wanted)
    mixed = ACMConv(5, width, channels=channels).double()
    mixed.load_state_dict(conv.state_dict(), strict=False)
    torch.nn.init.zeros_(mixed.mixing.mix)  # equal weights: the authors' factor makes them the plain sum
    torch.testing.assert_close(mixed(example.x, example.operator), wanted)


@pytest.mark.parametrize("order", ["filter-first", "activation-first"])
def test_the_factor_and_the_temperature_are_options(order: str) -> None:
    example = examples()[0]
    conv = ACMConv(5, 3, order=order).double()
    plain = ACMConv(5, 3, order=order, scale=1.0).double()
    plain.load_state_dict(conv.state_dict())
    torch.testing.assert_close(conv(example.x, example.operator), 3 * plain(example.x, example.operator))
    hot = ACMConv(5, 3, temperature=1e9).double()
    hot(example.x, example.operator)
    torch.testing.assert_close(hot.mixing_weights, torch.full((13, 3), 1 / 3, dtype=torch.float64))


@pytest.mark.parametrize("width", [3, 8], ids=["narrower", "wider"])
def test_any_filter_pair_will_do(width: int) -> None:
    example = examples()[0]
    bank = FilterBank.from_low_pass(matrix(example.operator, "A_hat_sym"))
    named = ACMConv(5, width, low="A_hat_sym", high="L_hat_sym").double()
    given = ACMConv(5, width, low=lambda A: bank.low, high=lambda A: bank.high).double()
    shared = ACMConv(5, width, low="A_hat_sym").double()
    for other in (given, shared):
        other.load_state_dict(named.state_dict())
        torch.testing.assert_close(other(example.x, example.operator), named(example.x, example.operator))
    assert not torch.allclose(named(example.x, example.operator), acm_layer(named, example.x, example.dense))


def test_low_and_high_share_one_sparse_product(monkeypatch: pytest.MonkeyPatch) -> None:
    example = examples()[0]
    products = []
    multiply = Operator.__matmul__

    def counted(self: Operator, x: torch.Tensor) -> torch.Tensor:
        products.append(self)
        return multiply(self, x)

    monkeypatch.setattr(Operator, "__matmul__", counted)
    conv = ACMConv(5, 3).double()
    Z = torch.rand(len(example.x), 3, 3, dtype=torch.float64)
    low = matrix(example.operator, "A_hat_rw").to_dense()
    products.clear()
    torch.testing.assert_close(
        conv._filter(Z, example.operator),
        torch.stack([low @ Z[:, 0], Z[:, 1] - low @ Z[:, 1], Z[:, 2]], dim=1),
    )
    assert len(products) == 1


@pytest.mark.parametrize("example", examples(), ids=str)
def test_features_that_are_widened_give_the_formula_and_its_gradients(example) -> None:
    conv = ACMConv(5, 8).double()
    x = example.x.clone().requires_grad_()
    inputs = [x, *conv.parameters()]
    found, wanted = conv(x, example.operator), acm_layer(conv, x, example.dense)
    torch.testing.assert_close(found, wanted)
    direction = torch.randn_like(found)
    torch.testing.assert_close(
        torch.autograd.grad(found, inputs, direction), torch.autograd.grad(wanted, inputs, direction)
    )
    torch.testing.assert_close(conv(example.x.to_sparse_csr(), example.operator), wanted)


def test_features_that_are_widened_go_over_the_edges_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    widths, multiply = [], Operator.__matmul__

    def noted(self: Operator, x: torch.Tensor) -> torch.Tensor:
        widths.append(x.shape[1])
        return multiply(self, x)

    example, conv = examples()[0], ACMConv(5, 8).double()
    matrix(example.operator, "A_hat_rw")
    monkeypatch.setattr(Operator, "__matmul__", noted)
    conv(example.x, example.operator)
    assert widths == [5]


def test_the_mixing_weights_of_the_last_forward_can_be_read() -> None:
    example = examples()[0]
    conv = ACMConv(5, 3).double()
    assert conv.mixing_weights is None
    conv(example.x, example.operator)
    assert conv.mixing_weights.shape == (13, 3)
    assert not conv.mixing_weights.requires_grad
    torch.testing.assert_close(conv.mixing_weights.sum(1), torch.ones(13, dtype=torch.float64))
    assert ACMConv(5, 3, mixing=False).mixing_weights is None


@pytest.mark.parametrize("width", [3, 8], ids=["narrower", "wider"])
def test_learned_edge_weights_reach_both_filters(width: int) -> None:
    example = examples()[1]
    weight = example.edge_weight.clone().requires_grad_()
    conv = ACMConv(5, width).double()
    out = conv(example.x, example.edge_index, weight)
    torch.testing.assert_close(out, conv(example.x, example.operator))
    (found,) = torch.autograd.grad(out.square().sum(), weight)
    dense = torch.zeros(13, 13, dtype=torch.float64)
    source, target = example.edge_index
    dense = dense.index_put((target, source), weight)
    (wanted,) = torch.autograd.grad(acm_layer(conv, example.x, dense).square().sum(), weight)
    torch.testing.assert_close(found, wanted)


def test_a_graph_of_another_size_is_refused_by_the_structure_channel() -> None:
    conv = ACMConv(5, 3, channels=("low", "structure"), num_nodes=12).double()
    with pytest.raises(InputError, match="Got a graph of 13 nodes for a layer with weights for 12"):
        conv(examples()[0].x, examples()[0].operator)


def test_the_structure_channel_stands_alone_too() -> None:
    example = examples()[0]
    conv = ACMConv(5, 3, channels=("structure",), num_nodes=13, mixing=False).double()
    wanted = torch.relu(example.dense @ conv.structure_weight)
    torch.testing.assert_close(conv(example.x, example.operator), wanted)


@pytest.mark.parametrize("width", [3, 8], ids=["narrower", "wider"])
def test_features_may_come_in_parts(width: int) -> None:
    example = examples()[0]
    conv = ACMConv(5, width).double()
    first, second = example.x[:, :2], example.x[:, 2:]
    for parts in ([first.to_sparse_csr(), second], [first, second]):
        torch.testing.assert_close(conv(parts, example.operator), conv(example.x, example.operator))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"order": "both"}, "Expected one of filter-first, activation-first"),
        ({"channels": ("low", "hgih")}, "one or more of low, high, identity, structure"),
        ({"channels": ()}, "one or more of"),
        ({"channels": "low"}, "as a tuple"),
        ({"channels": ("structure",)}, "num_nodes"),
        ({"temperature": 0.0}, "a number above 0"),
        ({"activation": "rleu"}, "Did you mean 'relu'"),
        ({"init": "galorot"}, "Did you mean 'glorot'"),
        ({"init": 3}, "Got init = 3.*a function that fills a tensor"),
        ({"low": "A_hat_rv"}, "Did you mean 'A_hat_rw'"),
        ({"low": None}, "Got low = None.*a function of the adjacency"),
        ({"high": "L_hat_rv"}, "Did you mean 'L_hat_rw'"),
        ({"high": 1}, "Got high = 1"),
    ],
)
def test_wrong_options_are_refused(options: dict, said: str) -> None:
    with pytest.raises(AllpassError, match=said):
        ACMConv(5, 3, **options)


def test_features_of_another_width_are_refused() -> None:
    with pytest.raises(InputError, match=r"Got features of shape \[13, 4\].*Expected \[N, 5\]"):
        ACMConv(5, 3).double()(examples()[0].x[:, :4], examples()[0].operator)


@pytest.mark.parametrize("shared", [True, False], ids=["one x", "an x each"])
def test_replicas_that_widen_features_are_what_each_is_alone(shared: bool) -> None:
    """Under ``vmap`` features that all share are filtered once, others for each."""
    example = examples()[1]
    convs = [ACMConv(5, 8).double() for _ in range(3)]
    weights, _ = torch.func.stack_module_state(convs)
    x = example.x if shared else torch.stack([example.x * scale for scale in (1.0, 2.0, -1.0)])

    def total(parameters: dict, x: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(convs[0], parameters, (x, example.operator)).square().sum()

    in_dims = (0, None if shared else 0)
    values = torch.func.vmap(total, in_dims)(weights, x)
    gradients = torch.func.vmap(torch.func.grad(total), in_dims)(weights, x)
    for number, conv in enumerate(convs):
        alone = conv(x if shared else x[number], example.operator).square().sum()
        torch.testing.assert_close(values[number], alone)
        found = [gradients[name][number] for name, _ in conv.named_parameters()]
        torch.testing.assert_close(found, list(torch.autograd.grad(alone, list(conv.parameters()))))
