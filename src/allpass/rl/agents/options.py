"""What both shaped learners check and share."""

from __future__ import annotations

from typing import Any

import torch
from stable_baselines3.common.policies import BasePolicy

from allpass.errors import InputError


def checked_alpha(alpha: float) -> float:
    """The weight of the raw critic, from 0 to 1."""
    if not 0 <= alpha <= 1:
        raise InputError(
            f"Got alpha = {alpha}.", "Expected a number from 0 (shaped critic alone) to 1 (raw alone)."
        )
    return float(alpha)


def second_policy(learner: Any, **settings: Any) -> BasePolicy:
    """A policy network like the learner's own; the learner's random numbers stay as they are."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed((learner.seed or 0) + 1)
        made: BasePolicy = learner.policy_class(
            learner.observation_space,
            learner.action_space,
            learner.lr_schedule,
            **settings,
            **learner.policy_kwargs,
        )
    return made.to(learner.device)
