from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from allpass.graph.embeddings.skipgram import _gradient, skipgram


def test_the_gradient_is_that_of_the_formula() -> None:
    generator = np.random.default_rng(0)
    both, u, c = (
        generator.normal(size=(2, 2, 7)),
        generator.integers(7, size=20),
        generator.integers(7, size=(20, 4)),
    )
    tensor = torch.tensor(both, requires_grad=True)
    score = (tensor[0][:, u, None] * tensor[1][:, c]).sum(0)
    loss = -(logsigmoid(score[:, 0]) + logsigmoid(-score[:, 1:]).sum(1)).mean()
    (wanted,) = torch.autograd.grad(loss, tensor)
    np.testing.assert_allclose(_gradient(both, u, c), wanted.numpy())


def test_nodes_of_one_walk_come_close() -> None:
    generator = np.random.default_rng(0)
    walks = np.concatenate([generator.integers(0, 5, (30, 20)), generator.integers(5, 10, (30, 20))])
    Z = skipgram(walks, 10, dim=2, generator=generator)
    d = np.linalg.norm(Z[:, None] - Z[None], axis=-1)
    same = np.arange(10)[:, None] // 5 == np.arange(10)[None] // 5
    assert d[same].max() < d[~same].min()
