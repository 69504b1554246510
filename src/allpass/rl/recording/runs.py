"""Recordings by policies that need no learning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from allpass.errors import InputError
from allpass.rl.mdp import TabularMDP
from allpass.rl.recording.states import Discretizer, StateFunction, as_hash, as_vector
from allpass.rl.recording.transitions import Transitions


def record_steps(
    env: Any,
    steps: int,
    *,
    state_fn: StateFunction | None = None,
    policy: str = "random",
    seed: int = 0,
    on_progress: Callable[[int, float], None] | None = None,
) -> Transitions:
    """Record steps of an environment.

    Args:
        env: A Gymnasium environment with discrete actions.
        steps: How many.
        state_fn: See :class:`~allpass.rl.TransitionRecorder`.
        policy: ``"random"`` takes each allowed action (``info["action_mask"]``) as often; ``"optimal"`` solves the
            environment first, which must know its transitions.
        seed: Decides episodes and actions.
        on_progress: Gets the number of steps done and the share of all.
    """
    from allpass.rl.recording.recorder import TransitionRecorder

    if policy not in ("random", "optimal"):
        raise InputError(f"Got policy={policy!r}.", "Expected 'random' or 'optimal'.")
    if steps < 1:
        raise InputError(f"Got steps={steps}.", "Expected a whole number of 1 or more.")
    actions = TabularMDP.from_gymnasium(env).optimal().policy if policy == "optimal" else None
    recorder, rng = TransitionRecorder(env, state_fn), np.random.default_rng(seed)
    env.action_space.seed(seed)
    observation, info = recorder.reset(seed=seed)
    for step in range(steps):
        if actions is not None:
            action: Any = int(actions[observation])
        elif "action_mask" in info:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        else:
            action = env.action_space.sample()
        observation, _, terminated, truncated, info = recorder.step(action)
        if terminated or truncated:
            observation, info = recorder.reset()
        if on_progress is not None and step % 100 == 99:
            on_progress(step + 1, (step + 1) / steps)
    return recorder.transitions()


def state_function(env: Any, bins: int | None = None) -> StateFunction | None:
    """A state function for an environment: numbers as they are, cells or vectors of arrays, hashes of all else.

    Args:
        env: The environment.
        bins: Cells along each part of a continuous observation; without it they stay vectors.
    """
    from gymnasium import spaces

    space = env.observation_space
    if isinstance(space, spaces.Discrete):
        return None
    if not isinstance(space, spaces.Box):
        return as_hash
    if bins is None:
        return as_vector
    low, high = space.low.ravel(), space.high.ravel()
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (high < 1e30).all()):
        raise InputError(
            "Some parts of the observations have no bounds.",
            "Choose them in Python: Discretizer(low, high, bins).",
        )
    return Discretizer(low, high, bins)
