"""Losses of auxiliary tasks against loops."""

from __future__ import annotations

import math

import pytest
import torch

from allpass.errors import InputError, UnknownNameError
from allpass.kge import MODELS
from allpass.rl.agents.auxiliary import (
    TASKS,
    AuxiliaryTask,
    ForwardTask,
    Steps,
    SuccessorTask,
    TripletTask,
    contrast,
    create_task,
)

B, H, A, D = 7, 6, 3, 4


def batch() -> dict[str, torch.Tensor]:
    draw = torch.Generator().manual_seed(0)
    return {
        "z": torch.randn(B, H, generator=draw),
        "action": torch.randint(A, (B,), generator=draw),
        "after": torch.randn(B, H, generator=draw),
        "seen": torch.randn(B, D, generator=draw),
        "met": torch.randn(B, D, generator=draw),
        "done": torch.tensor([0.0, 1, 0, 0, 0, 1, 0]),
    }


def test_contrast_leaves_out_steps_that_reached_the_same() -> None:
    torch.manual_seed(0)
    scores, met = torch.randn(5, 5), torch.tensor([[0.0], [1], [0], [2], [1]])
    expected = 0.0
    for i in range(5):
        others = [j for j in range(5) if j == i or met[j] != met[i]]
        expected -= float(scores[i, i]) - math.log(sum(math.exp(float(scores[i, j])) for j in others))
    assert float(contrast(scores, met)) == pytest.approx(expected / 5, rel=1e-5)


@pytest.mark.parametrize("name", ["transe", "rotate", "quate", "dihedral", "complex"])
def test_scores_of_triplets_are_those_of_the_models(name: str) -> None:
    torch.manual_seed(0)
    task, given = TripletTask(name, H, A, dim=8).eval(), batch()
    found = task.scores(given["z"], given["action"], given["after"])
    model = MODELS[name].cls(2 * B, A, 8).eval()  # an ordinary graph with the projections as entities
    with torch.no_grad():
        model.entities.copy_(torch.cat([task.project(given["z"]), task.project(given["after"])]))
        model.relations.copy_(task.model.relations)
    pairs = torch.stack([torch.arange(B), given["action"]], dim=1)
    torch.testing.assert_close(found, model.score_t(pairs)[:, B:], rtol=1e-4, atol=1e-5)


def test_the_forward_model_is_its_formula() -> None:
    torch.manual_seed(0)
    task, given = ForwardTask(H, A, dim=5), batch()
    found = task.scores(given["z"], given["action"], given["after"])
    for i in range(B):
        here = task.project(given["z"][i])
        onehot = torch.zeros(A)
        onehot[given["action"][i]] = 1
        moved = here + task.move(torch.cat([here, onehot]))
        for j in range(B):
            torch.testing.assert_close(found[i, j], -(moved - task.project(given["after"][j])).norm())


def test_successor_features_of_a_cycle_are_the_discounted_sums() -> None:
    torch.manual_seed(0)
    states, discount = 4, 0.5
    z = torch.eye(states)
    task = SuccessorTask(states, states, discount=discount)
    optimizer = torch.optim.SGD(task.parameters(), lr=2.0)
    zeros = torch.zeros(states)
    for _ in range(800):
        optimizer.zero_grad()
        task(Steps(z, zeros.long(), z.roll(-1, 0), z, z, zeros)).backward()
        optimizer.step()
    M = torch.linalg.inv(torch.eye(states) - discount * z.roll(-1, 0))
    torch.testing.assert_close(task.head(z), (1 - discount) * M, atol=5e-3, rtol=0)
    ended = task(Steps(z, zeros.long(), z.roll(-1, 0), z, z, zeros + 1))
    torch.testing.assert_close(ended, (task.head(z) - (1 - discount) * z).square().mean())


@pytest.mark.parametrize("name", TASKS)
def test_every_task_gives_gradients_to_the_encoder_and_to_itself(name: str) -> None:
    torch.manual_seed(0)
    task: AuxiliaryTask = create_task(name, H, A, D, dim=8, discount=0.9, seed=1)
    given = batch()
    given["z"].requires_grad_()
    task(Steps(**given)).backward()
    assert given["z"].grad is not None
    assert given["z"].grad.abs().sum() > 0
    learned = [part for part in task.parameters() if part.requires_grad]
    assert all(part.grad is not None and torch.isfinite(part.grad).all() for part in learned)


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(UnknownNameError, match="forward"):
        create_task("forwart", H, A, D, dim=8, discount=0.9, seed=0)
    with pytest.raises(InputError, match="multiple of 4"):
        create_task("quate", H, A, D, dim=6, discount=0.9, seed=0)
