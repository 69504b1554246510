from __future__ import annotations

from itertools import product

import pytest
import torch
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.kge import DihEdral
from allpass.kge.models.dihedral import ORDERS, dihedral_group


@pytest.mark.parametrize("K", ORDERS)
def test_the_elements_are_a_group_of_order_2k(K: int) -> None:
    group = dihedral_group(K)

    def place(matrix: torch.Tensor) -> int:
        near = (group - matrix).abs().amax((1, 2)) < 1e-12
        assert int(near.sum()) == 1  # closed, and no element twice
        return int(near.nonzero())

    assert len(group) == 2 * K
    table = [[place(a @ b) for b in group] for a in group]
    for row in (*table, *zip(*table, strict=True)):
        assert sorted(row) == list(range(2 * K))  # a Latin square: every element has an inverse
    turn, flip = 1, K
    assert table[flip][flip] == 0
    assert table[table[flip][turn]][flip] == K - 1  # s r s = r^-1
    assert place(torch.linalg.matrix_power(group[turn], K)) == 0
    torch.testing.assert_close(group @ group.mT, torch.eye(2, dtype=torch.float64).expand(2 * K, 2, 2))
    torch.testing.assert_close(torch.linalg.det(group), torch.tensor([1.0] * K + [-1.0] * K).double())


@pytest.mark.parametrize("K", ORDERS)
def test_learned_blocks_equal_the_best_of_all_by_enumeration(K: int) -> None:
    """Two blocks have (2K)² relations; training the logits by noise finds the one with the least loss."""
    generator = torch.Generator().manual_seed(K)
    vectors = torch.randn(40, 4, generator=generator, dtype=torch.float64)
    pairs = torch.stack([torch.arange(40), torch.zeros(40, dtype=torch.int64)], 1)
    group = dihedral_group(K)

    def scores(blocks: tuple[int, int]) -> torch.Tensor:
        first, second = (vectors[:, [n, 2 + n]] @ group[blocks[n]] for n in range(2))
        return first @ vectors[:, [0, 2]].T + second @ vectors[:, [1, 3]].T

    right = scores((K - 1, K + 2)).argmax(1)
    every = product(range(2 * K), repeat=2)
    best = min(every, key=lambda blocks: float(F.cross_entropy(scores(blocks), right)))
    model = DihEdral(40, 1, 4, K=K, seed=K).double().train()
    with torch.no_grad():
        model.entities.copy_(vectors)
    optimizer = torch.optim.Adam([model.relations], lr=0.05)
    for step in range(300):
        model.start_epoch(10 * step)
        optimizer.zero_grad()
        F.cross_entropy(model.score_t(pairs), right).backward()
        optimizer.step()
    model.eval()
    assert tuple(model.elements()[0].tolist()) == best
    torch.testing.assert_close(model.score_t(pairs), scores(best))


def test_training_draws_blocks_and_testing_does_not() -> None:
    model = DihEdral(4, 2, 16, K=4, seed=0)
    pairs = torch.tensor([[0, 1]])
    assert torch.equal(model.eval().score_t(pairs), model.score_t(pairs))
    model.train()
    assert not torch.equal(model.score_t(pairs), model.score_t(pairs))
    blocks = model.blocks(model.relations.detach()).movedim(3, 1).reshape(-1, 2, 2)
    near = (blocks[:, None] - dihedral_group(4).float()).abs().amax((2, 3)) < 1e-6
    assert bool(near.any(1).all())  # elements of the group, also in training


def test_an_element_is_drawn_as_often_as_its_softmax_says() -> None:
    model = DihEdral(2, 1, 2, K=4, seed=0).train()
    with torch.no_grad():
        model.relations.copy_(torch.linspace(-1, 1, 8))
    rows = model.relations.expand(20_000, -1)
    drawn = model.blocks(rows)[..., 0]
    shares = ((drawn[:, None] - dihedral_group(4).float()).abs().amax((2, 3)) < 1e-6).double().mean(0)
    expected = torch.softmax(model.relations.detach()[0].double(), 0)
    assert float((shares - expected).abs().max()) < 0.012


def test_gradients_reach_the_logits_and_the_noise_cools_down() -> None:
    model = DihEdral(4, 1, 8, K=6, seed=1).train()
    model.score_hrt(torch.tensor([[0, 0, 1]])).sum().backward()
    assert model.relations.grad is not None
    assert float(model.relations.grad.abs().sum()) > 0
    temperatures = []
    for epoch in (0, 1000, 5000):
        model.start_epoch(epoch)
        temperatures.append(model.temperature)
    assert temperatures == pytest.approx([3.0, 3 * 2.718281828**-1, 0.5])


@pytest.mark.parametrize("K", [5, 4.0, 4.5, "4", True, 0])
def test_only_three_orders(K: object) -> None:
    with pytest.raises(InputError, match="Got K="):
        DihEdral(3, 1, 4, K=K)  # type: ignore[arg-type]
