from __future__ import annotations

import math

import pytest
import torch

from allpass.errors import UnknownNameError
from allpass.kge.losses import SAMPLED, check_loss, softmax_loss


def _by_hand(
    name: str, true: list[float], false: list[list[float]], margin: float, temperature: float
) -> float:
    def log_sigmoid(x: float) -> float:
        return -math.log1p(math.exp(-x))

    rows = list(zip(true, false, strict=True))
    cells = [(t, f) for t, row in rows for f in row]
    if name == "margin":
        return sum(max(0, margin - t + f) for t, f in cells) / len(cells)
    if name == "softplus":
        kept = sum(math.log1p(math.exp(-t)) for t in true) / len(true)
        return (kept + sum(math.log1p(math.exp(f)) for _, f in cells) / len(cells)) / 2
    total = 0.0
    for t, row in rows:
        weights = [math.exp(temperature * f) for f in row]
        refused = sum(w / sum(weights) * log_sigmoid(-margin - f) for w, f in zip(weights, row, strict=True))
        total -= (log_sigmoid(margin + t) + refused) / 2
    return total / len(rows)


@pytest.mark.parametrize("name", SAMPLED)
def test_a_loss_is_its_formula(name: str) -> None:
    generator = torch.Generator().manual_seed(0)
    true = torch.randn(5, generator=generator, dtype=torch.float64)
    false = torch.randn(5, 4, generator=generator, dtype=torch.float64)
    found = SAMPLED[name](true, false, 1.5, 0.7)
    assert float(found) == pytest.approx(_by_hand(name, true.tolist(), false.tolist(), 1.5, 0.7))


@pytest.mark.parametrize("name", SAMPLED)
def test_a_refused_score_has_no_effect(name: str) -> None:
    true = torch.zeros(2, requires_grad=True)
    false = torch.tensor([[0.3, -1e9], [-1e9, -1e9]], requires_grad=True)
    loss = SAMPLED[name](true, false, 1.0, 1.0)
    by_true, by_false = torch.autograd.grad(loss, [true, false])
    assert bool(torch.isfinite(by_true).all())
    assert torch.equal(by_false[0, 1:], torch.zeros(1))
    assert torch.equal(by_false[1], torch.zeros(2))


def test_self_adversarial_weights_pass_no_gradient() -> None:
    false = torch.tensor([[0.5, -1.0]], dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(SAMPLED["nssa"](torch.zeros(1).double(), false, 2.0, 1.0), false)
    expected = torch.softmax(false.detach(), 1) * torch.sigmoid(false.detach() + 2.0) / 2
    torch.testing.assert_close(found, expected)


def test_softmax_is_smallest_at_the_frequencies() -> None:
    """The cross-entropy of counts 3, 1, 0 is their entropy at scores log(3/4), log(1/4), and larger elsewhere."""
    right = torch.tensor([0, 0, 0, 1])
    best = torch.tensor([0.75, 0.25, 1e-12]).log().expand(4, 3)
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert float(softmax_loss(best, right)) == pytest.approx(entropy, abs=1e-6)
    assert float(softmax_loss(best + torch.tensor([0.1, 0, 0]), right)) > entropy


def test_an_unknown_loss() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'softmax'"):
        check_loss("sofmax")
