"""Both auxiliary learners: at weight 0 they are their parents, above it the joint loss is followed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from tests.rl.agents.corridor import Corridor

from allpass.errors import InputError
from allpass.rl.agents import AuxiliaryDQN, AuxiliaryPPO
from allpass.rl.agents.joint import JointOptimizer

DQN_SETTINGS = {"learning_starts": 50, "batch_size": 16, "target_update_interval": 60, "gradient_steps": 2}
PPO_SETTINGS = {"n_steps": 32, "batch_size": 16, "n_epochs": 2}
CASES = [(AuxiliaryDQN, DQN, DQN_SETTINGS), (AuxiliaryPPO, PPO, PPO_SETTINGS)]
both = pytest.mark.parametrize(("kind", "parent", "settings"), CASES)


def learned(kind: Any, steps: int = 300, **settings: Any) -> Any:
    env = make_vec_env(Corridor, n_envs=2, seed=3)
    return kind("MlpPolicy", env, seed=3, device="cpu", **settings).learn(steps)


def equal(a: Any, b: Any) -> bool:
    one, other = a.state_dict(), b.state_dict()
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


@both
def test_weight_0_is_the_parent_bit_by_bit_and_weight_1_is_not(kind: Any, parent: Any, settings: Any) -> None:
    plain = learned(parent, **settings)
    assert equal(plain.policy, learned(kind, task="rotate", weight=0.0, **settings).policy)
    for task in ("rotate", "successor"):
        joint = learned(kind, task=task, weight=1.0, **settings)
        assert not equal(plain.policy, joint.policy)
        assert equal(joint.policy, learned(kind, task=task, weight=1.0, **settings).policy)
        assert joint.auxiliary_losses
        assert np.isfinite(joint.auxiliary_losses).all()


def test_the_gradient_is_that_of_the_sum() -> None:
    shared = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    own = torch.nn.Parameter(torch.tensor([3.0]))
    first, second = torch.optim.SGD([shared], lr=0.1), torch.optim.SGD([own], lr=0.1)
    joint = JointOptimizer(first, second, lambda: (0.5 * own * shared.square().sum()).sum())
    for _ in range(2):  # gradients do not pile up
        joint.zero_grad()
        (shared.sum() ** 3).backward()
    copies = [part.detach().clone().requires_grad_() for part in (shared, own)]
    (copies[0].sum() ** 3 + (0.5 * copies[1] * copies[0].square().sum()).sum()).backward()
    torch.testing.assert_close(shared.grad, copies[0].grad)
    torch.testing.assert_close(own.grad, copies[1].grad)
    joint.step()
    torch.testing.assert_close(shared.detach(), copies[0].detach() - 0.1 * copies[0].grad)  # type: ignore[operator]
    torch.testing.assert_close(own.detach(), copies[1].detach() - 0.1 * copies[1].grad)  # type: ignore[operator]


def test_ppo_learns_from_the_steps_that_were_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = AuxiliaryPPO("MlpPolicy", make_vec_env(Corridor, n_envs=2, seed=3), seed=3, **PPO_SETTINGS)
    batches: list[Any] = []
    real = AuxiliaryPPO.auxiliary_loss

    def watched(self: Any, *parts: Any) -> Any:
        batches.append(parts)
        return real(self, *parts)

    monkeypatch.setattr(AuxiliaryPPO, "auxiliary_loss", watched)
    agent.learn(128)
    assert len(batches) == 2 * 2 * 4
    for seen, action, after, done in batches:
        cell, then = (np.rint(part[:, 0].numpy() * 8) for part in (seen, after))
        step = np.where(action.numpy().ravel() > 0, 1, -1)
        np.testing.assert_array_equal(then, np.clip(cell + step, 0, 7))
        np.testing.assert_array_equal(done.numpy().ravel() > 0, then == 7)


@both
def test_a_saved_learner_goes_on(kind: Any, parent: Any, settings: Any, tmp_path: Path) -> None:
    agent = learned(kind, task="quate", task_dim=8, weight=0.5, **settings)
    agent.save(tmp_path / "agent.zip")
    loaded = kind.load(tmp_path / "agent.zip", env=make_vec_env(Corridor, n_envs=2, seed=3), device="cpu")
    assert equal(loaded.policy, agent.policy)
    assert equal(loaded.auxiliary_task, agent.auxiliary_task)
    assert (loaded.task, loaded.weight) == ("quate", 0.5)
    loaded.learn(100)


@both
def test_a_new_goal_starts_from_the_old_representation(kind: Any, parent: Any, settings: Any) -> None:
    old = learned(kind, **settings)
    env = make_vec_env(Corridor, n_envs=2, seed=5)
    new = kind("MlpPolicy", env, seed=9, device="cpu", **settings)
    last = new.policy.state_dict()
    assert new.take_over(old) is new
    assert equal(new.encoder(), old.encoder())
    assert equal(new.auxiliary_task, old.auxiliary_task)
    key = "q_net.q_net.4.weight" if kind is AuxiliaryDQN else "action_net.weight"
    assert torch.equal(new.policy.state_dict()[key], last[key])
    assert not torch.equal(new.policy.state_dict()[key], old.policy.state_dict()[key])
    if kind is AuxiliaryDQN:
        assert equal(new.q_net, new.q_net_target)
    new.learn(100)
    narrow = kind("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, device="cpu", **settings)
    with pytest.raises(InputError, match="networks of the two agents differ"):
        narrow.take_over(old)
    with pytest.raises(InputError, match="Expected"):
        kind("MlpPolicy", env, task="forward", device="cpu", **settings).take_over(old)


@both
def test_bad_input_has_one_sentence(kind: Any, parent: Any, settings: Any) -> None:
    with pytest.raises(InputError, match="weight=-1"):
        kind("MlpPolicy", Corridor(), weight=-1)
    with pytest.raises(InputError, match="multiple of 2"):
        kind("MlpPolicy", Corridor(), task="rotate", task_dim=3)
    with pytest.raises(LookupError, match="transe"):
        kind("MlpPolicy", Corridor(), task="trans")
    if kind is AuxiliaryDQN:
        with pytest.raises(InputError, match="n_steps=3"):
            kind("MlpPolicy", Corridor(), n_steps=3)
    else:
        with pytest.raises(InputError, match="discrete actions"):
            kind("MlpPolicy", gym.make("Pendulum-v1"))
