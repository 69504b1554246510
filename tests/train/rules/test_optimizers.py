"""Every replica moves as torch's own optimiser moves it alone, each with its own rate and decay."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import UnknownNameError
from allpass.train.rules.optimizers import OPTIMIZERS, Rates

THEIRS = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "rmsprop": torch.optim.RMSprop}
LR = torch.tensor([0.1, 0.01, 0.05, 0.1], dtype=torch.float64)
DECAY = torch.tensor([0.0, 0.1, 0.01, 0.0], dtype=torch.float64)
P = 7


def rates(columns: slice, lr: torch.Tensor, decay: torch.Tensor) -> Rates:
    return Rates(columns, lr, decay, torch.device("cpu"), lr.dtype)


def run(
    name: str, groups: list[slice], widths: list[int], steps: int = 30
) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(4, P, generator=generator, dtype=torch.float64)
    alone = [torch.nn.Parameter(row.clone()) for row in rows]
    theirs = [
        THEIRS[name]([parameter], lr=float(lr), weight_decay=float(decay))
        for parameter, lr, decay in zip(alone, LR, DECAY, strict=True)
    ]
    ours = OPTIMIZERS[name]
    state = ours.start(rows)
    parts = [rates(columns, LR, DECAY) for columns in groups]
    for _ in range(steps):
        gradients = torch.randn(4, P, generator=generator, dtype=torch.float64)
        for parameter, gradient, optimizer in zip(alone, gradients, theirs, strict=True):
            parameter.grad = gradient.clone()
            optimizer.step()
        ours.update(rows, gradients.split(widths, dim=1), state, parts)
    return rows, torch.stack([parameter.detach() for parameter in alone])


@pytest.mark.parametrize("groups", [[slice(0, P)], [slice(0, 3), slice(3, P)]], ids=["one group", "two"])
@pytest.mark.parametrize("widths", [[P], [2, P - 2]], ids=["one gradient", "in parts"])
@pytest.mark.parametrize("name", THEIRS)
def test_it_moves_as_torchs_own(name: str, widths: list[int], groups: list[slice]) -> None:
    found, wanted = run(name, groups, widths)
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", OPTIMIZERS.names)
def test_a_rate_of_zero_leaves_a_replica_as_it_is(name: str) -> None:
    rows = torch.randn(2, P)
    before = rows.clone()
    parts = [rates(slice(0, P), torch.tensor([0.0, 0.1]), torch.tensor([0.5, 0.5]))]
    ours = OPTIMIZERS[name]
    state = ours.start(rows)
    for _ in range(3):
        ours.update(rows, [torch.randn(2, P)], state, parts)
    assert torch.equal(rows[0], before[0])
    assert not torch.equal(rows[1], before[1])


def test_decoupled_decay_shrinks_before_it_moves() -> None:
    rows = torch.ones(1, P)
    ours = OPTIMIZERS["rmsprop-decoupled"]
    parts = [rates(slice(0, P), torch.tensor([0.1]), torch.tensor([0.5]))]
    ours.update(rows, [torch.zeros(1, P)], ours.start(rows), parts)
    torch.testing.assert_close(rows, torch.full((1, P), 0.95))


def test_a_typo_is_answered() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'adamw'"):
        OPTIMIZERS["adaw"]
