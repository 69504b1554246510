"""Skip-gram scores conditioned on the action against loops, forward and backward."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.rl.dynamics.bilinear import ActionSkipGram


@pytest.mark.parametrize("order", [1, 2])
def test_scores_and_gradients_are_those_of_loops(order: int) -> None:
    model = ActionSkipGram(6, 3, dim=4, order=order, seed=1).double()
    torch.manual_seed(0)
    with torch.no_grad():
        model.relations.normal_()
    pairs = torch.tensor([[0, 1], [5, 2], [3, 0]])
    v, u = model.entities[:, :4], model.entities[:, -4:]
    M = model.relations.view(3, 4, 4)
    expected = torch.stack([torch.stack([v[s] @ M[a] @ u[t] for t in range(6)]) for s, a in pairs.tolist()])
    torch.testing.assert_close(model.score_t(pairs), expected)
    weights = torch.randn(3, 6, dtype=torch.float64)
    ours = torch.autograd.grad((model.score_t(pairs) * weights).sum(), [model.entities, model.relations])
    theirs = torch.autograd.grad((expected * weights).sum(), [model.entities, model.relations])
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)
    back = torch.tensor([[1, 0], [2, 5]])
    heads = torch.stack([torch.stack([v[s] @ M[a] @ u[t] for s in range(6)]) for a, t in back.tolist()])
    torch.testing.assert_close(model.score_h(back), heads)
    triplets = torch.tensor([[0, 1, 4], [5, 2, 5]])
    torch.testing.assert_close(
        model.score_hrt(triplets), torch.stack([v[s] @ M[a] @ u[t] for s, a, t in triplets.tolist()])
    )


def test_an_unknown_order_has_one_sentence() -> None:
    with pytest.raises(InputError, match="order=3"):
        ActionSkipGram(5, 2, dim=4, order=3)
