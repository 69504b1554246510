"""PPO whose advantages mix those of two critics: one of the raw reward, one of the shaped reward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO
from torch.nn import functional as F

from allpass.rl.agents.options import checked_alpha, second_policy
from allpass.rl.agents.recording import with_recording
from allpass.rl.agents.shaper import Shaper
from allpass.rl.potentials import Potential


class ShapedPPO(PPO):
    r"""PPO with a second critic on the shaped reward.

    .. math::
        A_{comb} = \alpha A + (1 - \alpha) A_\phi, \qquad
        A_\phi \text{ estimates the advantage of } r + \gamma \phi(s') - \phi(s)

    The policy follows :math:`A_{comb}` (`Klissarov and Precup, 2020 <https://arxiv.org/abs/2010.02474>`_). With
    ``alpha=1`` its weights are those of PPO, bit by bit.

    Args:
        policy: See PPO; all of its arguments can be given.
        env: The environment, with its raw reward.
        potential: A potential or the name of one; ``allpass.rl.potentials`` has them.
        alpha: Weight of the raw advantages, from 0 to 1.
        state_fn: From observations ``[B, ...]`` to the states of the potential, ``[B]`` or ``[B, F]``; by default
            observations are flattened.
        refresh_every: Refit the potential after so many episodes.
        memory: Number of latest steps that the potential is fitted on.
        scale: Factor of the potential, for rewards that are not of size 1.
        **settings: See PPO.
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
        self._rollout: list[tuple[Any, ...]] = []
        super().__init__(policy, env, *args, **settings)

    def _setup_model(self) -> None:
        super()._setup_model()
        self.shaped_policy: Any = second_policy(self, use_sde=self.use_sde)
        self._order = np.random.default_rng(self.seed)
        self.shaper.watch(self.observation_space)

    def _init_callback(self, callback: Any, progress_bar: bool = False) -> Any:
        return super()._init_callback(with_recording(callback, self._observe), progress_bar)

    def _observe(self, *step: Any) -> None:
        self._rollout.append(step)
        self.shaper.observe(*step)

    def collect_rollouts(self, env: Any, callback: Any, rollout_buffer: Any, n_rollout_steps: int) -> bool:
        self._rollout = []
        going_on = super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps)
        if going_on:
            advantages = self._shaped_advantages()
            rollout_buffer.advantages = (
                self.alpha * rollout_buffer.advantages + (1 - self.alpha) * advantages
            ).astype(rollout_buffer.advantages.dtype)
        return going_on

    def _shaped_advantages(self) -> NDArray[np.float32]:
        """Advantages of the shaped reward, ``[T, n]``; what the second critic shall learn is kept."""
        before, reward, after, terminated, done = (
            np.stack(column) for column in zip(*self._rollout, strict=True)
        )
        T, n = done.shape
        flat = [array.reshape(T * n, *array.shape[2:]) for array in (before, after)]
        bonus = self.shaper.shaping(flat[0], flat[1], terminated.ravel(), self.gamma).reshape(T, n)
        now, then = (self._values(observations).reshape(T, n) for observations in flat)
        advantages = generalised_advantages(
            reward + bonus, now, then, terminated, done, discount=self.gamma, decay=self.gae_lambda
        )
        self._lesson = flat[0], (advantages + now).ravel()
        self._rollout = []
        return advantages

    @torch.no_grad()
    def _values(self, observations: Any) -> NDArray[np.float32]:
        self.shaped_policy.set_training_mode(False)
        tensor, _ = self.shaped_policy.obs_to_tensor(observations)
        return self.shaped_policy.predict_values(tensor).squeeze(-1).cpu().numpy()

    def train(self) -> None:
        super().train()
        shaped = self.shaped_policy
        shaped.set_training_mode(True)
        self._update_learning_rate(shaped.optimizer)
        observations, _ = shaped.obs_to_tensor(self._lesson[0])
        returns = torch.as_tensor(self._lesson[1], dtype=torch.float32, device=self.device)
        losses = []
        for _ in range(self.n_epochs):
            order = torch.from_numpy(self._order.permutation(len(returns))).to(self.device)
            for rows in order.split(self.batch_size):
                loss = F.mse_loss(shaped.predict_values(observations[rows]).squeeze(-1), returns[rows])
                shaped.optimizer.zero_grad()
                (self.vf_coef * loss).backward()
                torch.nn.utils.clip_grad_norm_(shaped.parameters(), self.max_grad_norm)
                shaped.optimizer.step()
                losses.append(loss.item())
        self.logger.record("train/shaped_value_loss", np.mean(losses))

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "shaped_policy", "_lesson", "_rollout"]

    def _get_torch_save_params(self) -> tuple[list[str], list[str]]:
        names, others = super()._get_torch_save_params()
        return [*names, "shaped_policy", "shaped_policy.optimizer"], others


def generalised_advantages(
    reward: Any, now: Any, then: Any, terminated: Any, done: Any, *, discount: float, decay: float
) -> NDArray[np.float32]:
    r"""Generalised advantage estimates (Schulman et al., ICLR 2016), ``[T, n]``.

    .. math::
        \delta_t = r_t + \gamma V(s'_t) - V(s_t), \qquad A_t = \delta_t + \gamma \lambda A_{t+1}

    The value of s' counts as 0 where the process terminated; sums stop where an episode ended.
    """
    delta = reward + discount * then * ~terminated - now
    advantages = np.zeros_like(delta, dtype=np.float32)
    last = np.zeros(delta.shape[1])
    for t in reversed(range(len(delta))):
        last = delta[t] + discount * decay * ~done[t] * last
        advantages[t] = last
    return advantages
