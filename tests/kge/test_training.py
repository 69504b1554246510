"""A step of training against plain torch: explicit triplets, dense gradients, torch's Adam."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.kge import TripletConfig, create
from allpass.kge.losses import SAMPLED
from allpass.kge.training import Trainer

E, R = 6, 2
BATCH = torch.tensor([[0, 0, 1], [2, 1, 3], [4, 0, 5], [1, 1, 0], [3, 0, 3]])


def _reference(model, config: TripletConfig, draws: torch.Tensor) -> torch.Tensor:
    """The loss by scores of triplets that are written out one by one."""
    middle = len(BATCH) if config.sides == "tail" else 3
    known = {tuple(row) for row in BATCH.tolist()}
    true, false = [], []
    for place, (h, r, t) in enumerate(BATCH.tolist()):
        tails = place < middle
        if config.loss == "softmax":
            scores = model.score_t(torch.tensor([[h, r]])) if tails else model.score_h(torch.tensor([[r, t]]))
            true.append(-scores[0].log_softmax(0)[t if tails else h])
            continue
        candidates = draws if config.sides == "tail" else draws.chunk(2)[0 if tails else 1]
        row = [(h, r, c) if tails else (c, r, t) for c in candidates.tolist()]
        if tails or not config.inverse:
            scores = model.score_hrt(torch.tensor([(h, r, t), *row]))
        else:
            scores = model.score_t(torch.tensor([[t, r + R]]))[0, torch.tensor([h, *(c for c, _, _ in row)])]
        refused = torch.tensor([config.filtered and one in known for one in row])
        true.append(scores[0])
        false.append(scores[1:].masked_fill(refused, -1e9))
    if config.loss == "softmax":
        return torch.stack(true).mean()
    loss = SAMPLED[config.loss](torch.stack(true), torch.stack(false), config.margin, config.temperature)
    if config.l2:
        rows = BATCH[:, 1].clone()
        if config.inverse:
            rows[middle:] += R
        read = model.entities[BATCH[:, [0, 2]].reshape(-1)].square().sum(1).mean()
        loss = loss + config.l2 * (read + model.relations[rows].square().sum(1).mean())
    return loss


@pytest.mark.parametrize("sides", ["both", "tail"])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("loss", ["margin", "nssa", "softplus", "softmax"])
@pytest.mark.parametrize("name", ["transe", "rotate", "quate"])
def test_a_step_is_adam_on_the_loss_of_written_out_triplets(name, loss, inverse, sides) -> None:
    more = {} if loss == "softmax" else {"l2": 0.1}
    config = TripletConfig(loss=loss, inverse=inverse, sides=sides, negatives=4, lr=0.05, seed=3, **more)
    ours, plain = (create(name, E, R, dim=8, inverse=inverse, seed=1).double() for _ in range(2))
    trainer = Trainer(ours, BATCH, config)
    generator = torch.Generator().manual_seed(config.seed + 1)
    draws = torch.randint(E, (4 if sides == "tail" else 8,), generator=generator)
    wanted = _reference(plain, config, draws)
    optimizer = torch.optim.Adam(plain.parameters(), lr=0.05)
    wanted.backward()
    optimizer.step()
    assert trainer._step(BATCH) == pytest.approx(float(wanted.detach()))
    torch.testing.assert_close(ours.entities, plain.entities, rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(ours.relations, plain.relations, rtol=1e-6, atol=1e-9)


def test_a_step_leaves_rows_alone_that_it_does_not_read() -> None:
    model = create("transe", 5000, 3, dim=4, seed=0)
    before = model.entities.detach().clone(), model.relations.detach().clone()
    Trainer(model, BATCH, TripletConfig(negatives=2))._step(BATCH)
    moved = (model.entities != before[0]).any(1)
    assert 6 <= int(moved.sum()) <= 10
    assert bool(moved[:6].all())
    assert torch.equal(model.relations[2], before[1][2])


def test_few_rows_and_all_rows_are_the_same_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that a step reads move alike, whether they are copied from the table or the table is used whole."""
    config = TripletConfig(loss="softplus", negatives=1, filtered=False)
    small, padded = (create("quate", entities, R, dim=8, seed=0) for entities in (E, 100))
    with torch.no_grad():
        padded.entities[:E] = small.entities
        padded.relations.copy_(small.relations)
    monkeypatch.setattr(torch, "randint", lambda *_args, **_more: torch.tensor([5, 2]))
    losses = [Trainer(model, BATCH, config)._step(BATCH) for model in (small, padded)]
    assert losses[0] == pytest.approx(losses[1])
    torch.testing.assert_close(small.entities, padded.entities[:E])
    torch.testing.assert_close(small.relations, padded.relations)


def test_a_loss_that_is_not_finite_ends_training() -> None:
    model = create("transe", E, R, dim=4)
    with torch.no_grad():
        model.entities.fill_(torch.nan)
    with pytest.raises(InputError, match=r"Training diverged.*Lower the learning rate"):
        Trainer(model, BATCH, TripletConfig()).epoch()
