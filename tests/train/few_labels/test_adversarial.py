"""The adversary against its theory, sparse against dense features, all replicas at once against one by one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models import create
from allpass.nn import seed_dropout
from allpass.testing import learnable_graph
from allpass.train.engine.flat import Layout, stack_buffers
from allpass.train.engine.gradients import OneByOne, Problem, Together
from allpass.train.few_labels.adversarial import Adversarial
from allpass.train.rules.tasks import task

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")


class Linear(nn.Module):
    """Logits x W of every node, and a list of all features it was asked about."""

    def __init__(self, W: Tensor) -> None:
        super().__init__()
        self.W, self.seen = nn.Parameter(W), list[Tensor]()

    def forward(self, x: Tensor | Operator, graph: Operator) -> Tensor:
        self.seen.append((x.to_dense() if isinstance(x, Operator) else x).detach())
        return x @ self.W


def linear(everywhere: bool, **options: Any) -> tuple[Adversarial, Tensor, Operator]:
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(6, 5, generator=generator, dtype=torch.float64)
    x = torch.where(torch.rand(6, 5, generator=generator) < 0.6, x, 0)
    W = torch.randn(5, 3, generator=generator, dtype=torch.float64)
    graph = Operator.from_edge_index(torch.empty(2, 0, dtype=torch.long), num_nodes=6, dtype=torch.float64)
    return Adversarial(Linear(W), everywhere=everywhere, **options), x, graph


def smoothness(network: Adversarial, x: Tensor | Operator, graph: Operator) -> Tensor:
    """The divergence alone: the labels of nobody count."""
    mask = torch.tensor([True] + [False] * 5)
    y = torch.zeros(6, dtype=torch.long)
    output = network(x, graph)
    plain = task("classification").loss(output, y, mask.double())
    return network.loss(output, x, graph, y, mask) - plain


@pytest.mark.parametrize("everywhere", [True, False])
def test_power_iteration_finds_the_steepest_direction(everywhere: bool) -> None:
    """To second order the divergence is half a quadratic form, whose largest eigenvalue the adversary reaches."""
    epsilon = 1e-3
    network, x, graph = linear(everywhere, epsilon=epsilon, xi=1e-4, steps=200)
    W = network.network.W.detach()
    expected = []
    for node in x:
        p = (node @ W).softmax(0)
        rows = W if everywhere else W[node != 0]
        curvature = rows @ (torch.diag(p) - torch.outer(p, p)) @ rows.T
        expected.append(0.5 * epsilon**2 * float(torch.linalg.eigvalsh(curvature)[-1]) if len(rows) else 0.0)
    assert float(smoothness(network, x, graph).detach()) == pytest.approx(
        sum(expected) / len(expected), rel=1e-2
    )


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_every_node_moves_by_epsilon_where_it_may(everywhere: bool, sparse: bool) -> None:
    network, x, graph = linear(everywhere, epsilon=0.3)
    given = Operator.from_sparse(x.to_sparse_csr()) if sparse else x
    smoothness(network, given, graph)
    moved = network.network.seen[-1] - x
    torch.testing.assert_close(moved.norm(dim=1), torch.full((6,), 0.3, dtype=torch.float64))
    assert bool((moved[x == 0] != 0).all()) == everywhere


@pytest.mark.parametrize("everywhere", [True, False])
def test_sparse_and_dense_features_give_the_same_loss(everywhere: bool) -> None:
    losses = []
    for sparse in (True, False):
        network, x, graph = linear(everywhere, seed=5)
        losses.append(smoothness(network, Operator.from_sparse(x.to_sparse_csr()) if sparse else x, graph))
    torch.testing.assert_close(*losses)


def test_the_gradient_sees_the_perturbation_as_a_constant() -> None:
    network, x, graph = linear(True)
    smoothness(network, x, graph).backward()
    W = network.network.W
    clean, moved = network.network.seen[0], network.network.seen[-1]
    copied = W.detach().clone().requires_grad_()
    p, q = (clean @ W.detach()).log_softmax(1), (moved @ copied).log_softmax(1)
    (p.exp() * (p - q)).sum(1).mean().backward()
    torch.testing.assert_close(W.grad, copied.grad)


@pytest.mark.parametrize("everywhere", [True, False])
def test_all_at_once_is_one_by_one(everywhere: bool) -> None:
    x, A, y, _ = learnable_graph()
    models = []
    for seed in range(3):
        torch.manual_seed(seed)
        network = create("gcn", in_channels=8, out_channels=3, hidden_channels=4, dropout=0.5).double()
        seed_dropout(network, seed)
        models.append(Adversarial(network, everywhere=everywhere, seed=seed))
    x = torch.where(x > 0, x, 0).double()
    problem = Problem(
        Operator.from_sparse(x.to_sparse_csr()), A.to(torch.float64), y, task("classification").loss
    )
    layout = Layout.of(models[0])
    rows = torch.stack([layout.row(dict(model.named_parameters())) for model in models])
    masks = torch.rand(3, len(y), generator=torch.Generator().manual_seed(0)) < 0.3
    found = [
        engine(models[0], layout, problem).gradient(rows, stack_buffers(models), masks)
        for engine in (Together, OneByOne)
    ]
    (one, first), (other, second) = ((torch.cat(parts, dim=1), outputs) for parts, outputs in found)
    torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(first, second, rtol=1e-9, atol=1e-9)


def test_groups_and_loss_of_the_network_stay_its_own() -> None:
    network = create("gcnii", in_channels=4, out_channels=2, num_layers=2)
    declared = network.parameter_groups()
    assert Adversarial(network).parameter_groups() == {
        group: [f"network.{name}" for name in names] for group, names in declared.items()
    }

    class Own(Linear):
        def loss(self, output: Tensor, *_: Any) -> Tensor:
            return 7 + 0 * output.sum()

    wrapped = Adversarial(Own(torch.ones(5, 3, dtype=torch.float64)), weight=0)
    _, x, graph = linear(False)
    y, mask = torch.zeros(6, dtype=torch.long), torch.ones(6, dtype=torch.bool)
    assert float(wrapped.loss(wrapped(x, graph), x, graph, y, mask).detach()) == 7


def test_the_network_is_left_in_training_mode() -> None:
    network, x, graph = linear(False)
    smoothness(network, x, graph)
    assert network.network.training


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"xi": -1}, {"weight": -0.1}, {"steps": -1}])
def test_impossible_options(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="Expected lengths above 0"):
        Adversarial(nn.Identity(), **wrong)
