"""Learners of stable-baselines3 with a second critic or an auxiliary task; they need the extra ``rl``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from allpass.errors import MissingExtraError

if TYPE_CHECKING:
    from allpass.rl.agents.auxiliary import TASKS
    from allpass.rl.agents.auxiliary_dqn import AuxiliaryDQN
    from allpass.rl.agents.auxiliary_ppo import AuxiliaryPPO
    from allpass.rl.agents.dqn import ShapedDQN
    from allpass.rl.agents.ppo import ShapedPPO

__all__ = ["TASKS", "AuxiliaryDQN", "AuxiliaryPPO", "ShapedDQN", "ShapedPPO"]

_HOMES = {
    "TASKS": "allpass.rl.agents.auxiliary",
    "AuxiliaryDQN": "allpass.rl.agents.auxiliary_dqn",
    "AuxiliaryPPO": "allpass.rl.agents.auxiliary_ppo",
    "ShapedDQN": "allpass.rl.agents.dqn",
    "ShapedPPO": "allpass.rl.agents.ppo",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("allpass"):
            raise
        raise MissingExtraError("stable-baselines3", name, "rl") from error
