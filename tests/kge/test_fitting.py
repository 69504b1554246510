from __future__ import annotations

import numpy as np
import pytest
import torch

from allpass.errors import InputError, UnknownNameError
from allpass.kge import MODELS, KnowledgeGraph, fit


def _world(size: int = 5) -> np.ndarray:
    """A torus with four moves: every model can hold it."""
    cells = [(x, y) for x in range(size) for y in range(size)]
    moves = [(0, 1), (0, -1), (1, 0), (-1, 0)]
    number = {cell: place for place, cell in enumerate(cells)}
    return np.array(
        [
            [number[x, y], act, number[(x + dx) % size, (y + dy) % size]]
            for x, y in cells
            for act, (dx, dy) in enumerate(moves)
        ]
    )


@pytest.mark.parametrize("model", MODELS.names)
def test_a_world_is_learned_and_held_out_moves_are_predicted(model: str) -> None:
    kept = fit(_world(), model, dim=32, test=0.1, epochs=150, batch_size=32, lr=0.02)
    assert kept.scores["test"]["mrr"] > (0.5 if model in ("rotate", "quate") else 0.3)


def test_softmax_over_tails_learns_the_frequencies() -> None:
    """P(s'|s,a) of repeated triplets: 3 of 4 to one state, 1 of 4 to another."""
    rows = [[0, 0, 1]] * 3 + [[0, 0, 2]] + [[1, 0, 0]] + [[2, 0, 2]]
    kept = fit(rows, "quate", dim=16, loss="softmax", sides="tail", l2=0.0, epochs=400, lr=0.05)
    found = kept.probabilities([[0, 0], [1, 0], [2, 0]])
    np.testing.assert_allclose(found, [[0, 0.75, 0.25], [1, 0, 0], [0, 0, 1]], atol=0.03)


def test_one_seed_gives_the_same_bits() -> None:
    one, same, other = (fit(_world(), "dihedral", dim=8, epochs=3, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(one.network.entities, same.network.entities)
    assert one.losses == same.losses != other.losses


def test_validation_keeps_the_best_epoch_and_stops() -> None:
    graph = KnowledgeGraph.from_arrays(_world()).split(0.2, 0.1, seed=0)
    kept = fit(graph, "transe", dim=4, epochs=60, every=2, patience=3, lr=0.3, batch_size=16)
    best = max(mrr for _, mrr in kept.curve)
    assert dict(kept.curve)[kept.epoch] == best
    assert kept.scores["valid"]["mrr"] == pytest.approx(best)
    assert len(kept.losses) == 60 or len(kept.losses) == kept.epoch + 6


def test_progress_is_told() -> None:
    seen: list[int] = []
    fit(_world(3), dim=4, epochs=3, on_progress=lambda epoch, _loss: seen.append(epoch))
    assert seen == [1, 2, 3]


def test_what_is_unknown_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'rotate'"):
        fit(_world(3), "rotat")
    with pytest.raises(InputError, match=r"no option 'epoch' of the model 'transe'. Did you mean 'epochs'"):
        fit(_world(3), epoch=3)
    with pytest.raises(InputError, match="no option 'K' of the model 'rotate'"):
        fit(_world(3), "rotate", K=4)
    with pytest.raises(InputError, match="multiple of 4, such as 64"):
        fit(_world(3), "quate", dim=62)
    with pytest.raises(InputError, match=r"Got K=4\.5"):
        fit(_world(3), "dihedral", K=4.5)
