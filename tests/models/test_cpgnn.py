"""CPGNN's two hooks, alone and for many replicas at once, and its prior of Chebyshev filters."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.func import functional_call, grad, stack_module_state, vmap
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.models.cpgnn import CPGNN
from allpass.testing import Subject, check, examples, learnable_graph


def model_of(seed: int = 0, **settings: object) -> CPGNN:
    torch.manual_seed(seed)
    return CPGNN(5, 3, hidden_channels=8, **settings).double()


def test_the_chebyshev_prior_keeps_the_contracts() -> None:
    check(Subject("cpgnn-cheby", lambda: CPGNN(5, 3, prior="cheby", hidden_channels=4)))


def test_the_loss_has_three_terms() -> None:
    example = examples()[0]
    model = model_of(cotraining=0.5, regularisation=2.0).eval()
    with torch.no_grad():
        model.propagation.compatibility.add_(torch.arange(3.0))
    output = model(example.x, example.operator)
    prior = model.prior(example.x, example.operator)
    final, own = (F.cross_entropy(z[example.mask], example.y[example.mask]) for z in (output, prior))
    rows = model.propagation.compatibility.sum(1).abs().sum()
    found = model.loss(output, example.x, example.operator, example.y, example.mask)
    torch.testing.assert_close(found, final + 0.5 * own + 2.0 * rows)


def test_a_warm_start_finds_the_homophily_of_a_graph() -> None:
    x, A, labels, mask = learnable_graph()
    model = CPGNN(8, 3, hidden_channels=8)
    model.warm_start(x, A, labels, mask)
    H = model.propagation.compatibility.detach()
    assert model.prior.training
    assert (H.diagonal() > 0).all()
    assert (H.sum(1).abs() < 1e-3).all()
    torch.testing.assert_close(H, H.T)


def test_the_papers_way_learns() -> None:
    x, A, labels, mask = learnable_graph()
    torch.manual_seed(0)
    model = CPGNN(8, 3, hidden_channels=16)
    for objective in (
        lambda: F.cross_entropy(model.prior(x, A)[mask], labels[mask]),
        lambda: model.loss(model(x, A), x, A, labels, mask),
    ):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
        for _ in range(60):
            optimizer.zero_grad()
            objective().backward()
            optimizer.step()
        model.warm_start(x, A, labels, mask)
    guess = model.eval()(x, A).argmax(1)
    assert (guess == labels)[~mask].float().mean() > 0.9


class Objective(nn.Module):
    """The hooks behind a forward, as a training loop under ``torch.func`` needs them."""

    def __init__(self, model: CPGNN) -> None:
        super().__init__()
        self.model = model

    def forward(self, example, mask: torch.Tensor, warm: bool) -> torch.Tensor:
        if warm:
            self.model.warm_start(example.x, example.operator, example.y, mask)
            return self.model.propagation.compatibility
        output = self.model(example.x, example.operator)
        return self.model.loss(output, example.x, example.operator, example.y, mask)


@pytest.mark.parametrize("warm", [False, True])
def test_both_hooks_run_for_many_replicas_with_masks_of_their_own(warm: bool) -> None:
    example = examples()[0]
    masks = torch.stack([example.mask, ~example.mask])
    replicas = [Objective(model_of(seed, dropout=0.0)) for seed in range(2)]
    parameters, buffers = stack_module_state(replicas)

    def call(p: dict, b: dict, mask: torch.Tensor) -> torch.Tensor:
        return functional_call(replicas[0], (p, b), (example, mask, warm))

    found = vmap(call)(parameters, buffers, masks)
    for number, (replica, mask) in enumerate(zip(replicas, masks, strict=True)):
        torch.testing.assert_close(found[number], replica(example, mask, warm))
    if not warm:
        gradients = vmap(grad(call))(parameters, buffers, masks)
        assert all(g.isfinite().all() for g in gradients.values())


def test_the_compatibility_is_a_group_of_its_own() -> None:
    model = model_of()
    named = dict(model.named_parameters())
    assert model.parameter_groups() == {"compatibility": ["propagation.compatibility"]}
    assert named["propagation.compatibility"] is model.propagation.compatibility


def test_an_unknown_prior_is_named() -> None:
    with pytest.raises(InputError, match="one of mlp, cheby"):
        CPGNN(5, 3, prior="gat")
