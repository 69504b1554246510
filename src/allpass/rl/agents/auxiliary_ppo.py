"""PPO with an auxiliary task on the layers below its policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from torch import Tensor, nn

from allpass.rl.agents.joint import WithAuxiliaryTask
from allpass.rl.agents.recording import with_recording


class AuxiliaryPPO(WithAuxiliaryTask, PPO):
    r"""PPO that also learns transitions (s, a, s') as triplets.

    .. math::
        L = L_{PPO} + w L_{task}

    Both losses are of the same minibatch, in each of the ``n_epochs``; so stored log-probabilities stay those of the
    policy that acted, as PPO needs. With ``weight=0`` the weights of the policy are those of PPO, bit by bit.

    Args:
        policy: See PPO; all of its arguments can be given.
        env: The environment, with discrete actions.
        task: One of ``allpass.rl.agents.TASKS``.
        weight: w, 0 or more.
        task_dim: Numbers in the projections that the task compares.
        **settings: See PPO.
    """

    def __init__(
        self,
        policy: Any,
        env: Any,
        *args: Any,
        task: str = "transe",
        weight: float = 1.0,
        task_dim: int = 32,
        **settings: Any,
    ) -> None:
        self.set_auxiliary(task, weight, task_dim)
        self._rollout: list[tuple[Any, Any]] = []
        super().__init__(policy, env, *args, **settings)

    def _setup_model(self) -> None:
        super()._setup_model()
        self.add_auxiliary(self.policy.mlp_extractor.latent_dim_pi)

    def encoder(self) -> nn.ModuleList:
        """The extractors of features and the hidden layers."""
        return nn.ModuleList([self.policy.features_extractor, self.policy.mlp_extractor])

    def encode(self, observations: Any) -> Tensor:
        """The last hidden layer of the policy, ``[B, H]``."""
        features: Any = self.policy.extract_features(observations)
        if not self.policy.share_features_extractor:
            features = features[0]
        return self.policy.mlp_extractor.forward_actor(features)

    def _init_callback(self, callback: Any, progress_bar: bool = False) -> Any:
        return super()._init_callback(with_recording(callback, self._observe), progress_bar)

    def _observe(self, _before: Any, _reward: Any, after: Any, terminated: Any, _done: Any) -> None:
        self._rollout.append((after, terminated))

    def collect_rollouts(self, env: Any, callback: Any, rollout_buffer: Any, n_rollout_steps: int) -> bool:
        self._rollout = []
        return super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps)

    def train(self) -> None:
        buffer: Any = self.rollout_buffer
        after, terminated = (
            buffer.swap_and_flatten(np.stack(part)) for part in zip(*self._rollout, strict=True)
        )
        drawn: list[tuple[Any, Any]] = []
        sample = buffer._get_samples

        def listening(rows: Any, env: Any = None) -> Any:
            batch = sample(rows, env)
            drawn[:] = [(rows, batch)]
            return batch

        def loss() -> Tensor:
            rows, batch = drawn[0]
            met = buffer.to_torch(after[rows])
            ended = torch.as_tensor(terminated[rows], dtype=torch.float32, device=self.device)
            return self.auxiliary_loss(batch.observations, batch.actions, met, ended)

        buffer._get_samples = listening
        try:
            self.train_jointly(lambda: PPO.train(self), loss)
        finally:
            del buffer._get_samples

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_rollout"]
