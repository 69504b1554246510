from __future__ import annotations

import torch

from allpass.kge.row_adam import RowAdam


def test_all_rows_are_adam() -> None:
    ours, theirs = (
        torch.ones(4, 3, dtype=torch.float64),
        torch.ones(4, 3, dtype=torch.float64).requires_grad_(),
    )
    adam = torch.optim.Adam([theirs], lr=0.1)
    rows = RowAdam(ours, 0.1)
    for step in range(5):
        gradient = torch.randn(4, 3, generator=torch.Generator().manual_seed(step), dtype=torch.float64)
        theirs.grad = gradient.clone()
        adam.step()
        rows.step(gradient)
    torch.testing.assert_close(ours, theirs.detach())


def test_some_rows_are_sparse_adam() -> None:
    ours, theirs = (
        torch.ones(6, 3, dtype=torch.float64),
        torch.ones(6, 3, dtype=torch.float64).requires_grad_(),
    )
    adam = torch.optim.SparseAdam([theirs], lr=0.1)
    rows = RowAdam(ours, 0.1)
    for step in range(6):
        generator = torch.Generator().manual_seed(step)
        chosen = torch.randperm(6, generator=generator)[:3]
        gradient = torch.randn(3, 3, generator=generator, dtype=torch.float64)
        theirs.grad = torch.sparse_coo_tensor(chosen[None], gradient, (6, 3), check_invariants=False)
        adam.step()
        rows.step(gradient, chosen)
    torch.testing.assert_close(ours, theirs.detach())
