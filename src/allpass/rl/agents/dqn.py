"""DQN that acts on a mixture of two critics: one of the raw reward, one of the shaped reward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.utils import polyak_update
from torch.nn import functional as F

from allpass.rl.agents.options import checked_alpha, second_policy
from allpass.rl.agents.recording import with_recording
from allpass.rl.agents.shaper import Shaper
from allpass.rl.potentials import Potential


class ShapedDQN(DQN):
    r"""DQN with a second critic on the shaped reward.

    .. math::
        Q_{comb} = \alpha Q + (1 - \alpha) Q_\phi, \qquad
        Q_\phi \text{ learns } r + \gamma \phi(s') - \phi(s)

    It acts greedily on :math:`Q_{comb}` (`Klissarov and Precup, 2020 <https://arxiv.org/abs/2010.02474>`_), in training
    and in ``predict``. Both critics learn from the same batches. With ``alpha=1`` the weights of the policy are those
    of DQN, bit by bit. Shaping is computed when a batch is drawn, so it always follows the latest potential.

    Args:
        policy: See DQN; all of its arguments can be given.
        env: The environment, with its raw reward.
        potential: A potential or the name of one; ``allpass.rl.potentials`` has them.
        alpha: Weight of the raw critic, from 0 to 1.
        state_fn: From observations ``[B, ...]`` to the states of the potential, ``[B]`` or ``[B, F]``; by default
            observations are flattened.
        refresh_every: Refit the potential after so many episodes.
        memory: Number of latest steps that the potential is fitted on.
        scale: Factor of the potential, for rewards that are not of size 1.
        **settings: See DQN.
    """

    def __init__(
        self,
        policy: Any,
        env: Any,
        *args: Any,
        potential: Potential | str = "gcn",
        alpha: float = 0.6,
        state_fn: Callable[[Any], Any] | None = None,
        refresh_every: int = 10,
        memory: int = 20_000,
        scale: float = 1.0,
        **settings: Any,
    ) -> None:
        self.alpha = checked_alpha(alpha)
        self.shaper = Shaper(
            potential, state_fn=state_fn, refresh_every=refresh_every, memory=memory, scale=scale
        )
        super().__init__(policy, env, *args, **settings)

    def _setup_model(self) -> None:
        super()._setup_model()
        self.shaped_policy: Any = second_policy(self)
        self.shaper.watch(self.observation_space)

    def _init_callback(self, callback: Any, progress_bar: bool = False) -> Any:
        return super()._init_callback(with_recording(callback, self.shaper.observe), progress_bar)

    def _on_step(self) -> None:
        super()._on_step()
        if self._n_calls % max(self.target_update_interval // self.n_envs, 1) == 0:
            shaped = self.shaped_policy
            polyak_update(shaped.q_net.parameters(), shaped.q_net_target.parameters(), self.tau)

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        buffer: Any = self.replay_buffer
        batches: list[Any] = []
        self.replay_buffer = Listening(buffer, batches)  # type: ignore[assignment]
        try:
            super().train(gradient_steps, batch_size)
        finally:
            self.replay_buffer = buffer
        self._train_shaped(batches)

    def _train_shaped(self, batches: list[Any]) -> None:
        shaped = self.shaped_policy
        shaped.set_training_mode(True)
        self._update_learning_rate(shaped.optimizer)
        losses = []
        for batch, bonus in zip(batches, self._bonuses(batches), strict=True):
            discounts = self.gamma if batch.discounts is None else batch.discounts
            with torch.no_grad():
                best = shaped.q_net_target(batch.next_observations).max(dim=1, keepdim=True).values
                target = batch.rewards + bonus + (1 - batch.dones) * discounts * best
            value = shaped.q_net(batch.observations).gather(1, batch.actions.long())
            loss = F.smooth_l1_loss(value, target)
            shaped.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(shaped.parameters(), self.max_grad_norm)
            shaped.optimizer.step()
            losses.append(loss.item())
        self.logger.record("train/shaped_loss", np.mean(losses))

    def _bonuses(self, batches: list[Any]) -> list[torch.Tensor]:
        """The shaping of each batch, ``[B, 1]``; the potential is asked once for all."""
        sizes = [len(batch.dones) for batch in batches]
        joined = [
            torch.cat([getattr(batch, name) for batch in batches]).cpu().numpy()
            for name in ("observations", "next_observations", "dones")
        ]
        discount: Any = self.gamma
        if batches[0].discounts is not None:
            discount = torch.cat([batch.discounts for batch in batches]).cpu().numpy().ravel()
        bonus = self.shaper.shaping(joined[0], joined[1], joined[2].ravel() > 0, discount)
        column = torch.as_tensor(bonus, dtype=torch.float32, device=self.device).unsqueeze(1)
        return list(column.split(sizes))

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[np.ndarray, Any]:
        if self.alpha == 1:
            return super().predict(observation, state, episode_start, deterministic)
        vectorised = self.policy.is_vectorized_observation(observation)
        if not deterministic and np.random.rand() < self.exploration_rate:  # noqa: NPY002 - DQN's own generator
            count = len(observation) if vectorised else 1
            action = np.array([self.action_space.sample() for _ in range(count)])
        else:
            tensor, _ = self.policy.obs_to_tensor(observation)
            action = self.combined_values(tensor).argmax(dim=1).cpu().numpy()
        return (action if vectorised else action[0]), state

    @torch.no_grad()
    def combined_values(self, observations: Any) -> torch.Tensor:
        r""":math:`Q_{comb}` of observations, ``[B, A]``."""
        for policy in (self.policy, self.shaped_policy):
            if policy.training:
                policy.set_training_mode(False)
        raw, shaped = self.q_net(observations), self.shaped_policy.q_net(observations)
        return self.alpha * raw + (1 - self.alpha) * shaped

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "shaped_policy"]

    def _get_torch_save_params(self) -> tuple[list[str], list[str]]:
        names, others = super()._get_torch_save_params()
        return [*names, "shaped_policy", "shaped_policy.optimizer"], others


class Listening:
    """A replay buffer that keeps what is drawn from it."""

    def __init__(self, buffer: Any, batches: list[Any]) -> None:
        self._buffer, self._batches = buffer, batches

    def sample(self, *args: Any, **settings: Any) -> Any:
        batch = self._buffer.sample(*args, **settings)
        self._batches.append(batch)
        return batch
