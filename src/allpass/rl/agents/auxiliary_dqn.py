"""DQN with an auxiliary task on the layers below its values."""

from __future__ import annotations

from typing import Any

from stable_baselines3 import DQN
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.rl.agents.dqn import Listening
from allpass.rl.agents.joint import WithAuxiliaryTask


class AuxiliaryDQN(WithAuxiliaryTask, DQN):
    r"""DQN that also learns transitions (s, a, s') as triplets.

    .. math::
        L = L_{DQN} + w L_{task}

    Both losses are of the same batch of the replay buffer and share all layers of the network below the last one; their
    gradients are clipped together. With ``weight=0`` the weights of the policy are those of DQN, bit by bit.

    Args:
        policy: See DQN; all of its arguments can be given.
        env: The environment, with discrete actions.
        task: One of ``allpass.rl.agents.TASKS``: ``"transe"``, ``"rotate"``, ``"quate"``, ``"dihedral"``,
            ``"complex"``, ``"forward"`` (a multilayer perceptron) or ``"successor"`` (successor features).
        weight: w, 0 or more.
        task_dim: Numbers in the projections that the task compares.
        **settings: See DQN.
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
        if settings.get("n_steps", 1) != 1:
            raise InputError(
                f"Got n_steps={settings['n_steps']}.", "Triplets are single steps: pass n_steps=1."
            )
        self.set_auxiliary(task, weight, task_dim)
        super().__init__(policy, env, *args, **settings)

    def _setup_model(self) -> None:
        super()._setup_model()
        last: Any = self.q_net.q_net[-1]
        self.add_auxiliary(last.in_features)

    def encoder(self) -> nn.ModuleList:
        """The extractor of features and the hidden layers."""
        return nn.ModuleList([self.q_net.features_extractor, self.q_net.q_net[:-1]])

    def encode(self, observations: Any) -> Tensor:
        """The last hidden layer, ``[B, H]``."""
        network = self.q_net
        features = network.extract_features(observations, network.features_extractor)
        found: Tensor = network.q_net[:-1](features)
        return found

    def take_over(self, other: Any) -> Any:
        super().take_over(other)
        self.q_net_target.load_state_dict(self.q_net.state_dict())
        return self

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        buffer: Any = self.replay_buffer
        batches: list[Any] = []

        def loss() -> Tensor:
            batch = batches[-1]
            return self.auxiliary_loss(
                batch.observations, batch.actions, batch.next_observations, batch.dones
            )

        self.replay_buffer = Listening(buffer, batches)  # type: ignore[assignment]
        try:
            self.train_jointly(lambda: DQN.train(self, gradient_steps, batch_size), loss)
        finally:
            self.replay_buffer = buffer
