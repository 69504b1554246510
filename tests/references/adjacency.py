"""The adjacency learner and the networks around it on dense matrices, from the formulas."""

from __future__ import annotations

import torch
from tests.references.acm import acm_model, averaging, gcn_model
from torch import Tensor, nn


def half_normalized(A: Tensor) -> Tensor:
    """D^-1/2 A D^-1/2, with zeros where there is no degree."""
    degree = A.sum(1)
    half = torch.where(degree > 0, torch.where(degree > 0, degree, 1.0).rsqrt(), 0.0)
    return half[:, None] * A * half[None, :]


def scores(learner: nn.Module, X: Tensor) -> Tensor:
    """The mean weighted cosine of all pairs."""
    base = learner.base
    H = torch.relu(X @ base.first.weight + base.first.bias) @ base.last.weight + base.last.bias
    found = torch.zeros(len(X), len(X), dtype=X.dtype)
    for weight in learner.heads.weight:
        Z = H * weight
        Z = Z / Z.norm(dim=1, keepdim=True).clamp(min=1e-12)
        found = found + Z @ Z.T / len(learner.heads.weight)
    return found


def candidates(learner: nn.Module, S: Tensor, A: Tensor) -> Tensor:
    """The given neighbours and the k1 best of the others, in both directions, bool ``[N, N]``."""
    N = len(A)
    allowed = torch.zeros(N, N, dtype=torch.bool)
    for i in range(N):
        others = [j for j in range(N) if j != i and A[i, j] == 0]
        others.sort(key=lambda j: -float(S[i, j]))
        allowed[i, others[: learner.k1]] = True
        allowed[i] |= A[i] != 0
    allowed = allowed | allowed.T
    allowed.fill_diagonal_(False)
    return allowed


def learned(learner: nn.Module, X: Tensor, A: Tensor, mix: float) -> Tensor:
    """The learned graph, mixed with the given one."""
    A = A - torch.diag(A.diagonal())
    S = scores(learner, X)
    allowed = candidates(learner, S.detach(), A)
    chosen = S[allowed]
    logits = (S - chosen.mean()) / (chosen.var(correction=0) + 1e-6).sqrt()
    weights = torch.where(allowed, torch.sigmoid(logits), 0.0)
    kept = torch.zeros_like(allowed)
    for i in range(len(A)):
        best = sorted(allowed[i].nonzero().flatten().tolist(), key=lambda j: -float(logits[i, j].detach()))
        kept[i, best[: learner.k2]] = True
    V = weights + (kept * weights - weights).detach()
    L = learner.k2 * half_normalized((V + V.T) / 2)
    return (1 - mix) * L + mix * learner.k2 * half_normalized(A)


def on_learned(model: nn.Module, X: Tensor, A: Tensor, network: object) -> Tensor:
    return network(model.network.network, X, learned(model.learner, X, A, model.learner.mix))  # type: ignore[operator]


def four_channels(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    L = averaging(learned(model.learner, X, A, 0.0))
    A = A - torch.diag(A.diagonal())
    for layer in model.network.layers:
        low = averaging(A)
        F = layer.given.out_channels
        first, second, third = (layer.given.weight[:, c * F : (c + 1) * F] for c in range(3))
        H = [
            torch.relu(low @ X @ first),
            torch.relu(X @ second - low @ X @ second),
            torch.relu(X @ third),
            torch.relu(L @ X @ layer.weight),
        ]
        s = torch.stack([torch.sigmoid(part @ layer.mixing.score[c]) for c, part in enumerate(H)], 1)
        alpha = torch.softmax(s @ layer.mixing.mix / 4, 1)
        X = 4 * sum(torch.diag(alpha[:, c]) @ part for c, part in enumerate(H))
    return X


LAYERS: dict[str, object] = {}

MODELS = {
    "adjacency-gcn": lambda m, X, A: on_learned(m, X, A, gcn_model),
    "adjacency-acm-gcn": lambda m, X, A: on_learned(m, X, A, lambda n, X, A: acm_model(n, X, A, "acm")),
    "acm-gcn-adjacency": four_channels,
}
