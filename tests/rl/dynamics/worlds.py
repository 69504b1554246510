"""Recordings whose truth is known: every pair of a process once, and random steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from allpass.rl import TabularMDP, Transitions


def every_pair(mdp: TabularMDP, without: Any = ()) -> Transitions:
    """One step for each transition of a process, but for some pairs (state, action)."""
    P = mdp.P.tocoo()
    state, action = np.divmod(P.row, mdp.num_actions)
    left = {tuple(pair) for pair in without}
    kept = ~mdp.terminal[state] & [
        pair not in left for pair in zip(state.tolist(), action.tolist(), strict=True)
    ]
    after = P.col[kept]
    rewards = mdp.edge_rewards()[kept]
    return Transitions.from_arrays(state[kept], action[kept], rewards, after, terminated=mdp.terminal[after])


def random_steps(seed: int, states: int = 6, actions: int = 3, steps: int = 80) -> Transitions:
    """Steps between random states."""
    draw = np.random.default_rng(seed)
    state, after = draw.integers(states, size=(2, steps))
    ended = draw.random(steps) < 0.1
    return Transitions.from_arrays(
        state, draw.integers(actions, size=steps), draw.normal(size=steps), after, terminated=ended
    )
