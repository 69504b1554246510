"""Gymnasium's environments by id, those of allpass among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.rl.gymnasium_extra import require_gymnasium

_HOME = "allpass.rl.environments.tabular"
ENVIRONMENTS = {
    "allpass/FourRooms-v0": (f"{_HOME}:four_rooms", 500),
    "allpass/Grid-v0": (f"{_HOME}:grid", 1000),
    "allpass/OneWayDoors-v0": (f"{_HOME}:one_way_doors", 500),
}
"""Ids, what makes the environment, and after how many steps an episode is truncated."""


def register() -> None:
    """Make the environments known to ``gymnasium.make``; importing ``allpass.rl`` does it."""
    import gymnasium as gym

    for name, (entry_point, limit) in ENVIRONMENTS.items():
        if name not in gym.registry:
            gym.register(name, entry_point, max_episode_steps=limit)


def make(name: str, /, also: Iterable[str] = (), **arguments: Any) -> Any:
    """``gymnasium.make``, with suggestions for an unknown id and one sentence for wrong arguments.

    Args:
        name: The id of an environment.
        also: Other names that the caller knows, to suggest.
        **arguments: Of the environment.
    """
    require_gymnasium(f"The environment {name!r}")
    import gymnasium as gym

    register()
    if name.startswith(("MiniGrid", "BabyAI")):
        _register_minigrid(name)
    if name not in gym.registry and ":" not in name:
        latest = sorted(known for known in gym.registry if known.rpartition("-v")[0] == name)
        if not latest:
            raise UnknownNameError(
                f"There is no environment {name!r}.", did_you_mean(name, [*_by_name(), *also])
            )
    try:
        return gym.make(name, **arguments)
    except gym.error.Error as error:
        first = str(error).splitlines()[0]
        raise InputError(f"The environment {name!r} cannot be made: {first}", "Check its id.") from error
    except (TypeError, AssertionError, KeyError, ImportError) as error:
        if not arguments and not isinstance(error, ImportError):
            raise
        reason = str(error).split(" was raised from the environment creator")[0]
        given = ", ".join(f"{key}={value!r}" for key, value in arguments.items()) or "no arguments"
        raise InputError(
            f"The environment {name!r} cannot be made with {given}: {reason}.", "Check its documentation."
        ) from error


def _by_name() -> list[str]:
    import gymnasium as gym

    return [name for name in gym.registry if not name.startswith(("phys2d", "tabular", "GymV"))]


def _register_minigrid(name: str) -> None:
    try:
        import minigrid  # noqa: F401
    except ImportError:
        from allpass.errors import MissingExtraError

        raise MissingExtraError("minigrid", f"The environment {name!r}", "rl") from None
