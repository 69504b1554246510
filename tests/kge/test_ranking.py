from __future__ import annotations

import numpy as np
import pytest
import torch

from allpass.errors import InputError
from allpass.kge import Ranking, TransE, rank


def _integers(seed: int) -> TransE:
    """Vectors of few whole numbers, so that many scores are equal."""
    model = TransE(9, 2, 2, norm=1)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        model.entities.copy_(torch.randint(0, 3, (9, 2), generator=generator))
        model.relations.copy_(torch.randint(-1, 2, (2, 2), generator=generator))
    return model


def _brute(model: TransE, rows: np.ndarray, true: set[tuple[int, ...]], place: int) -> list[float]:
    """The mean of the best and the worst place that a sorted list of all candidates could give the true one."""
    vectors, moves = model.entities.detach().numpy(), model.relations.detach().numpy()

    def score(triplet: list[int]) -> float:
        h, r, t = triplet
        return -float(np.abs(vectors[h] + moves[r] - vectors[t]).sum())

    ranks = []
    for row in rows.tolist():
        others = []
        for candidate in range(9):
            other = [*row]
            other[place] = candidate
            if candidate != row[place] and tuple(other) not in true:
                others.append(score(other))
        mine = score(row)
        best = 1 + sum(one > mine for one in others)
        worst = 1 + sum(one >= mine for one in others)
        ranks.append((best + worst) / 2)
    return ranks


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("cells", [1, 20, 10**6])
def test_ranks_equal_brute_force_with_ties(seed: int, cells: int) -> None:
    model = _integers(seed)
    rows = np.random.default_rng(seed).integers(0, [9, 2, 9], (30, 3))
    test, known = rows[:10], rows[10:]
    found = rank(model, torch.from_numpy(test), (torch.from_numpy(known),), cells=cells)
    true = {tuple(row) for row in rows.tolist()}
    assert found.tail.tolist() == _brute(model, test, true, 2)
    assert found.head.tolist() == _brute(model, test, true, 0)


def test_a_model_that_says_nothing_is_in_the_middle() -> None:
    model = _integers(0)
    with torch.no_grad():
        model.entities.zero_()
    found = rank(model, torch.tensor([[0, 0, 1]]))
    assert found.ranks().tolist() == [5.0, 5.0]


def test_metrics_of_ranks() -> None:
    found = Ranking(torch.tensor([1.0, 4.0]), torch.tensor([2.0, 20.0]))
    assert found.mrr() == pytest.approx((1 + 1 / 4 + 1 / 2 + 1 / 20) / 4)
    assert found.mrr("tail") == pytest.approx((1 / 2 + 1 / 20) / 2)
    assert found.to_dict()["hits@1"] == 0.25
    assert found.hits(3) == 0.5
    assert found.hits(10, "head") == 1.0
    assert found.mean_rank() == pytest.approx(27 / 4)


def test_scores_that_are_not_finite_are_refused() -> None:
    model = _integers(0)
    with torch.no_grad():
        model.entities[3] = torch.nan
    with pytest.raises(InputError, match="NaN or infinite"):
        rank(model, torch.tensor([[0, 0, 1]]))
