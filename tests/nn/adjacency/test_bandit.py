"""Counts, rewards and choices of the bandits equal those of a loop over nodes and arms."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from allpass.graph import Operator
from allpass.nn.adjacency.bandit import Bandit, scaled
from allpass.nn.adjacency.selection import Selection


class Reference:
    """One bandit a node, in dictionaries."""

    def __init__(self, nodes: int, explore: float, prior: float) -> None:
        self.explore, self.prior = explore, prior
        self.counts = [dict.fromkeys(range(nodes), 0) for _ in range(nodes)]
        self.rewards = [dict.fromkeys(range(nodes), 0.0) for _ in range(nodes)]

    def select(self, S: Tensor, A: Tensor, k: int, number: int) -> list[list[int]]:
        found = []
        for i, row in enumerate(S.tolist()):
            arms = [j for j in range(len(row)) if j != i and A[i, j] == 0]
            bounds = {}
            for j in arms:
                n = self.counts[i][j]
                value = (self.prior * row[j] + self.rewards[i][j]) / (self.prior + n)
                bounds[j] = value + self.explore * math.sqrt(math.log(number + 2) / (n + 1))
            best = sorted(arms, key=lambda j: -bounds[j])[:k]
            for j in best:
                self.counts[i][j] += 1
            found.append(best)
        return found

    def learn(self, chosen: list[list[int]], rewards: Tensor) -> None:
        sizes = [abs(float(r)) for r in rewards.flatten() if float(r) != 0]
        for i, arms in enumerate(chosen):
            for place, j in enumerate(arms):
                share = float(rewards[i, place]) / (sum(sizes) / len(sizes))
                self.rewards[i][j] += max(-1.0, min(1.0, share))


@pytest.mark.parametrize("explore", [0.0, 0.1, 1.0])
def test_counts_and_choices_equal_the_reference(explore: float) -> None:
    N, k, generator = 14, 3, torch.Generator().manual_seed(0)
    A = torch.rand(N, N, generator=generator) < 0.2
    given = Operator.from_edge_index(A.T.nonzero().T.flip(0), num_nodes=N, dtype=torch.float64)
    dense = given.to_dense()
    bandit, reference = Bandit(explore=explore, prior=1.5), Reference(N, explore, 1.5)
    before, rewards, wanted = None, torch.empty(0), []
    for number in range(12):
        z = torch.randn(N, 3, generator=generator, dtype=torch.float64)
        if before is not None:
            reference.learn(wanted, rewards)
        chosen = None if before is None else rewards
        found = bandit.select(Selection(z, given, k, number, before=before, rewards=chosen))
        wanted = reference.select(z @ z.T, dense, k, number)
        assert found.tolist() == wanted
        before, rewards = found, torch.randn(N, k, generator=generator, dtype=torch.float64)
        rewards[0] = 0  # no reward where there is no gradient
    assert bandit.counts is not None
    assert bandit.rewards is not None
    assert bandit.counts.tolist() == [list(row.values()) for row in reference.counts]
    torch.testing.assert_close(
        bandit.rewards, torch.tensor([list(row.values()) for row in reference.rewards], dtype=torch.float64)
    )


def test_it_tries_more_nodes_than_the_most_similar_ones_and_returns_to_what_pays() -> None:
    N, z = 30, torch.nn.functional.normalize(torch.randn(30, 4, generator=torch.Generator().manual_seed(1)))
    given = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64), num_nodes=N)
    bandit, before, tried = Bandit(explore=0.5), None, set()
    rewards = None
    for number in range(30):
        before = bandit.select(Selection(z, given, 4, number, before=before, rewards=rewards))
        tried |= {(i, int(j)) for i, row in enumerate(before) for j in row}
        rewards = torch.where(before % 5 == 0, 1.0, -1.0)  # only every fifth node is a good neighbour
    assert len(tried) > 2 * 4 * N
    good = [j for j in range(1, N) if j % 5 == 0]
    assert (before[:1] % 5 == 0).sum() >= min(4, len(good)) - 1


def test_arms_beyond_the_slots_share_counts_and_large_graphs_choose_from_a_pool(monkeypatch) -> None:
    pytest.importorskip("faiss")
    generator = torch.Generator().manual_seed(0)
    z = torch.nn.functional.normalize(torch.randn(600, 8, generator=generator))
    given = Operator.from_edge_index(torch.randint(600, (2, 1000), generator=generator), num_nodes=600)
    bandit = Bandit(slots=32)
    first = bandit.select(Selection(z, given, 5, search="approximate"))
    assert bandit.counts is not None
    assert bandit.counts.shape == (600, 32)
    assert (bandit.counts.sum(1) == 5).all()
    own = torch.arange(600).unsqueeze(1)
    assert (first != own).all()
    assert not (given.to_dense().gather(1, first) != 0).any()
    assert all(len(set(row)) == 5 for row in first.tolist())
    slots = bandit.slot(torch.arange(600))
    assert int(slots.min()) >= 0
    assert int(slots.max()) < 32
    assert len(slots.unique()) == 32


def test_rewards_are_scaled_and_cut() -> None:
    found = scaled(torch.tensor([[0.0, 2.0], [-1.0, 9.0]]))
    torch.testing.assert_close(found, torch.tensor([[0.0, 0.5], [-0.25, 1.0]]))
    assert (scaled(torch.zeros(2, 2)) == 0).all()
