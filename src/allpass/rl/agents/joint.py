"""One joint loss: what an agent of stable-baselines3 minimises, and a weighted auxiliary task on the same batch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.preprocessing import get_flattened_obs_dim, preprocess_obs
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.rl.agents.auxiliary import AuxiliaryTask, Steps, create_task


class JointOptimizer:
    """An optimizer whose gradients start from those of a second loss, where others start from 0.

    The learner calls ``zero_grad``, ``backward`` and ``step`` once for each batch, so what it clips and follows is the
    gradient of the sum of both losses.

    Args:
        first: The optimizer of the learner.
        second: The optimizer of the parameters that only the second loss has.
        loss: The second loss of the batch that the learner has just drawn.
    """

    def __init__(
        self, first: torch.optim.Optimizer, second: torch.optim.Optimizer, loss: Callable[[], Tensor]
    ) -> None:
        self.first, self.second, self.loss = first, second, loss
        self.param_groups = first.param_groups

    def zero_grad(self) -> None:
        """Gradients of the second loss alone."""
        self.first.zero_grad()
        self.second.zero_grad()
        self.loss().backward()

    def step(self) -> None:
        """Move all parameters."""
        self.first.step()
        self.second.step()


class WithAuxiliaryTask:
    """What auxiliary learners share: the task, its optimizer, checkpoints, and the representation of another agent."""

    auxiliary_task: AuxiliaryTask
    auxiliary_optimizer: torch.optim.Optimizer

    def set_auxiliary(self, task: str, weight: float, task_dim: int) -> None:
        """Keep the arguments, checked."""
        if isinstance(weight, bool) or not 0 <= weight < float("inf"):
            raise InputError(f"Got weight={weight!r}.", "Expected a number, 0 (no auxiliary task) or more.")
        self.task, self.weight, self.task_dim = task, float(weight), task_dim
        self.auxiliary_losses: list[float] = []

    @abstractmethod
    def encoder(self) -> nn.ModuleList:
        """The modules that make the representation."""

    @abstractmethod
    def encode(self, observations: Any) -> Tensor:
        """The representation of observations, ``[B, H]``."""

    def add_auxiliary(self: Any, hidden: int) -> None:
        """Make the task; the learner's random numbers stay as they are."""
        if not isinstance(self.action_space, spaces.Discrete):
            raise InputError(
                f"Got actions {self.action_space}.",
                "An auxiliary task needs discrete actions: spaces.Discrete.",
            )
        if isinstance(self.observation_space, spaces.Dict):
            raise InputError("Got observations in a dictionary.", "Flatten them with FlattenObservation.")
        features = get_flattened_obs_dim(self.observation_space)
        seed = (self.seed or 0) + 1
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.auxiliary_task = create_task(
                self.task,
                hidden,
                int(self.action_space.n),
                features,
                dim=self.task_dim,
                discount=self.gamma,
                seed=seed,
            ).to(self.device)
        rate = self.lr_schedule(1)
        learned = [part for part in self.auxiliary_task.parameters() if part.requires_grad]
        self.auxiliary_optimizer = torch.optim.Adam(learned, lr=rate)

    def auxiliary_loss(
        self: Any, observations: Tensor, actions: Tensor, after: Tensor, done: Tensor
    ) -> Tensor:
        """The weighted loss of a batch."""
        seen, met = (_numbers(part, self.observation_space) for part in (observations, after))
        z, then = self.encode(observations), self.encode(after)
        loss = self.auxiliary_task(Steps(z, actions.long().flatten(), then, seen, met, done.flatten()))
        self.auxiliary_losses.append(float(loss.detach()))
        return self.weight * loss

    def train_jointly(self: Any, train: Callable[[], None], loss: Callable[[], Tensor]) -> None:
        """Let the learner train on the sum of its loss and the auxiliary one."""
        if self.weight == 0:
            train()
            return
        own = self.policy.optimizer
        self._update_learning_rate(self.auxiliary_optimizer)
        self.policy.optimizer = JointOptimizer(own, self.auxiliary_optimizer, loss)
        self.auxiliary_losses = []
        try:
            train()
        finally:
            self.policy.optimizer = own
        if self.auxiliary_losses:
            self.logger.record(
                "train/auxiliary_loss", sum(self.auxiliary_losses) / len(self.auxiliary_losses)
            )

    @torch.no_grad()
    def take_over(self: Any, other: Any) -> Any:
        """Start from the representation and the auxiliary task of an agent that was trained for another goal.

        What was learned of values and actions is left behind.

        Args:
            other: An agent of the same class, with the same observations, actions, network and task.
        """
        if type(other) is not type(self) or other.task != self.task:
            raise InputError(
                f"Got {type(other).__name__} with the task {getattr(other, 'task', None)!r}.",
                f"Expected {type(self).__name__} with the task {self.task!r}.",
            )
        try:
            self.encoder().load_state_dict(other.encoder().state_dict())
            self.auxiliary_task.load_state_dict(other.auxiliary_task.state_dict())
        except RuntimeError:
            raise InputError(
                "The networks of the two agents differ.",
                "Make both with the same policy_kwargs, observations and actions.",
            ) from None
        return self

    def _excluded_save_params(self: Any) -> list[str]:
        return [*super()._excluded_save_params(), "auxiliary_task", "auxiliary_optimizer"]  # type: ignore[misc]

    def _get_torch_save_params(self: Any) -> tuple[list[str], list[str]]:
        names, others = super()._get_torch_save_params()  # type: ignore[misc]
        return [*names, "auxiliary_task", "auxiliary_optimizer"], others


def _numbers(observations: Any, space: spaces.Space[Any]) -> Tensor:
    """Observations as numbers, ``[B, D]``; those of a discrete space are one-hot."""
    found: Any = preprocess_obs(observations, space)
    return torch.flatten(found, 1)
