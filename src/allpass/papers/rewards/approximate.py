"""Shaping where a table cannot be kept: PPO and DQN with a second critic on the shaped reward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

from allpass.rl.agents import ShapedDQN, ShapedPPO
from allpass.rl.potentials import LearnedPotential, Potential, PotentialNetwork, ShuffledPotential


def _graph_potential(model: str, seed: int) -> Potential:
    return LearnedPotential(PotentialNetwork(model, epochs=20, seed=seed))


ARMS: Mapping[str, Callable[[int], Potential] | None] = {
    "none": None,
    "gcn": lambda seed: _graph_potential("gcn", seed),
    "acm-gcn": lambda seed: _graph_potential("acm-gcn", seed),
    "shuffled": lambda seed: ShuffledPotential(_graph_potential("gcn", seed), seed=seed),
}
"""Where the potential comes from, given a seed; ``shuffled`` gives rewards to random steps and is the control."""


@dataclass(frozen=True)
class Trial:
    """An environment, a learner, and how both are set; the learner's settings are those of RL Baselines3 Zoo.

    Args:
        environment: Its ID.
        algorithm: ``"PPO"`` or ``"DQN"``.
        steps: Steps of the environment in one run.
        num_envs: Environments side by side.
        failure: The return of an episode that ended at its limit of time.
        learner: Arguments of the learner.
        shaping: Arguments of the shaped learner; the scale is the size of the largest value.
    """

    environment: str
    algorithm: str
    steps: int
    num_envs: int
    failure: float
    learner: Mapping[str, Any]
    shaping: Mapping[str, Any] = field(default_factory=dict)


TRIALS: Mapping[str, Trial] = {
    "doorkey": Trial(
        environment="MiniGrid-DoorKey-5x5-v0",
        algorithm="PPO",
        steps=200_000,
        num_envs=8,
        failure=0.0,
        learner={"n_steps": 128, "batch_size": 64, "n_epochs": 10, "learning_rate": 2.5e-4, "gamma": 0.99},
        shaping={"scale": 1.0, "refresh_every": 100, "memory": 8_000},
    ),
    "mountaincar": Trial(
        environment="MountainCar-v0",
        algorithm="DQN",
        steps=120_000,
        num_envs=1,
        failure=-200.0,
        learner={
            "learning_rate": 4e-3,
            "batch_size": 128,
            "buffer_size": 10_000,
            "learning_starts": 1_000,
            "gamma": 0.98,
            "target_update_interval": 600,
            "train_freq": 16,
            "gradient_steps": 8,
            "exploration_fraction": 0.2,
            "exploration_final_eps": 0.07,
            "policy_kwargs": {"net_arch": [256, 256], "optimizer_kwargs": {"fused": True}},  # a tenth faster
        },
        shaping={"scale": 50.0, "refresh_every": 10, "memory": 10_000},
    ),
}
"""The trials by name."""

ALPHA = 0.6
"""Weight of the raw critic, as published for continuous control."""


@dataclass(frozen=True)
class Checkpoint:
    """What a learner earned at some time, on the raw reward.

    Args:
        step: Steps of the environment so far.
        earned: Mean return of the evaluation's episodes.
        solved: Share of these that reached the goal.
    """

    step: int
    earned: float
    solved: float


def curve(
    trial: Trial, arm: str, seed: int, *, checkpoints: int = 20, episodes: int = 10
) -> list[Checkpoint]:
    """One run: the evaluations of a learner while it learns.

    Args:
        trial: What is learned.
        arm: A name of ``ARMS``.
        seed: Decides everything random in the run.
        checkpoints: Number of evaluations, at equal distances.
        episodes: Episodes of each evaluation; PPO samples its actions, DQN acts greedily.
    """
    judge = _Judge(trial, seed, checkpoints, episodes)
    _learner(trial, arm, seed).learn(trial.steps, callback=judge)
    return judge.found


class _Judge(BaseCallback):
    """Evaluates at equal distances, on the raw reward."""

    def __init__(self, trial: Trial, seed: int, checkpoints: int, episodes: int) -> None:
        super().__init__()
        self._goals = [trial.steps * number // checkpoints for number in range(1, checkpoints + 1)]
        self._episodes, self._greedy = episodes, trial.algorithm == "DQN"
        self._failure = trial.failure
        self._environments = _environments(trial, episodes, seed + 100_000)
        self.found: list[Checkpoint] = []

    def _on_step(self) -> bool:
        if len(self.found) < len(self._goals) and self.num_timesteps >= self._goals[len(self.found)]:
            returns, _ = evaluate_policy(
                self.model,
                self._environments,
                n_eval_episodes=self._episodes,
                deterministic=self._greedy,
                return_episode_rewards=True,
            )
            self.found.append(
                Checkpoint(
                    step=self._goals[len(self.found)],
                    earned=float(np.mean(returns)),
                    solved=float(np.mean(np.asarray(returns) > self._failure)),
                )
            )
        return True


def _learner(trial: Trial, arm: str, seed: int) -> Any:
    potential = ARMS[arm]
    plain, shaped = {"PPO": (PPO, ShapedPPO), "DQN": (DQN, ShapedDQN)}[trial.algorithm]
    settings: dict[str, Any] = {
        "policy": "MlpPolicy",
        "env": _environments(trial, trial.num_envs, seed),
        "seed": seed,
        "device": "cpu",
        **trial.learner,
    }
    if potential is None:
        return plain(**settings)
    return shaped(**settings, potential=potential(seed), alpha=ALPHA, **trial.shaping)


def _environments(trial: Trial, count: int, seed: int) -> Any:
    return make_vec_env(partial(_make, trial.environment), n_envs=count, seed=seed)


def _make(environment: str) -> gym.Env[Any, Any]:
    """MiniGrid shows its partial view as numbers from 0 to about 1; other environments are as they are."""
    if not environment.startswith("MiniGrid"):
        return gym.make(environment)
    import minigrid  # noqa: F401 - registers its environments
    from minigrid.wrappers import ImgObsWrapper

    seen = ImgObsWrapper(gym.make(environment))  # type: ignore[no-untyped-call]
    flat = gym.wrappers.FlattenObservation(seen)
    space = gym.spaces.Box(0.0, 25.5, flat.observation_space.shape, np.float32)
    return gym.wrappers.TransformObservation(flat, lambda seen: seen.astype(np.float32) / 10, space)
