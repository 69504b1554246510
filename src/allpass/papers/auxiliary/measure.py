"""Learning curves of DQN with an auxiliary task, on a first goal and on a new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback

from allpass.papers.auxiliary.rooms import GOALS, NoisyRooms
from allpass.rl.agents.auxiliary_dqn import AuxiliaryDQN

Array = NDArray[np.float64]

EVERY = 500
DQN_SETTINGS: Mapping[str, Any] = {
    "learning_rate": 1e-3,
    "buffer_size": 12_000,
    "learning_starts": 500,
    "batch_size": 64,
    "gamma": 0.97,
    "train_freq": 2,
    "target_update_interval": 250,
    "exploration_fraction": 0.4,
    "exploration_final_eps": 0.05,
}


class Curve(BaseCallback):
    """The value of the greedy policy every 500 steps, as a share of the best, exactly.

    The policy is read off the vectors without noise.
    """

    def __init__(self, env: NoisyRooms) -> None:
        super().__init__()
        self.mdp = env.mdp
        self.seen = torch.as_tensor(env.vectors, dtype=torch.float32)
        self.best = float(env.mdp.start @ env.mdp.optimal().values)
        self.values: list[float] = []

    @torch.no_grad()
    def _on_step(self) -> bool:
        if self.num_timesteps % EVERY == 0:
            network: Any = self.model.policy.q_net
            actions = network(self.seen).argmax(dim=1).numpy()
            self.values.append(float(self.mdp.start @ self.mdp.values(actions)) / self.best)
        return True


def learned(settings: Mapping[str, Any], seed: int) -> dict[str, Array]:
    """Curves on the first goal and on the new one; the new one starts from the representation of the first."""
    torch.set_num_threads(1)
    first, curve = _agent(settings, GOALS[0], seed)
    found = {}
    if settings["first"]:
        first.learn(settings["steps"], callback=curve)
        found["first"] = np.array(curve.values)
    second, curve = _agent(settings, GOALS[1], seed)
    if settings["first"]:
        second.take_over(first)
    second.learn(settings["steps"] // 2, callback=curve)
    return found | {"new": np.array(curve.values)}


def _agent(settings: Mapping[str, Any], goal: tuple[int, int], seed: int) -> tuple[AuxiliaryDQN, Curve]:
    env = NoisyRooms(goal, seed)
    agent = AuxiliaryDQN(
        "MlpPolicy",
        env,
        task=settings["task"],
        weight=settings["weight"],
        seed=seed,
        device="cpu",
        **DQN_SETTINGS,
    )
    return agent, Curve(env)
