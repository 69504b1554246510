"""The process that recorded steps show."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from allpass.errors import InputError
from allpass.rl.recording.transitions import Transitions


def estimate(steps: Transitions) -> dict[str, Any]:
    """What :class:`~allpass.rl.TabularMDP` takes, by the share of each next state and the mean of rewards.

    States are those that were left or reached, in the order of their numbers. Where these are not 0, 1, 2, ..., they
    become names. Actions that were never taken in a state are not allowed there. Steps that terminated lead to one
    absorbing state named ``"end"``, which comes last.

    A state that was reached but never left, because the recording ends or was truncated there, keeps to itself without
    reward: what follows is unknown and counts as 0.
    """
    if not steps.tabular or steps.action.ndim != 1:
        what = "states" if not steps.tabular else "actions"
        raise InputError(
            f"The {what} of the recording are vectors.",
            "Record cells: `allpass rl record --bins 12`, or state_fn=Discretizer(...) in Python.",
        )
    if steps.action.min() < 0:
        raise InputError(f"Got action {steps.action.min()}.", "Expected numbers from 0.")
    seen = np.unique(np.concatenate([steps.state, steps.next_state[~steps.terminated]]))
    S, A = len(seen), int(steps.action.max()) + 1
    row = np.searchsorted(seen, steps.state) * A + steps.action
    ends = bool(steps.terminated.any())
    after = np.where(steps.terminated, S, np.searchsorted(seen, steps.next_state))
    shape = (S + ends) * A, S + ends
    counts = sp.csr_array((np.ones(len(row)), (row, after)), shape=shape)
    earned = sp.csr_array((steps.reward, (row, after)), shape=shape)
    for table in (counts, earned):
        table.sum_duplicates()
    tried = np.bincount(row, minlength=shape[0])
    mask = (tried > 0).reshape(-1, A)
    unknown = np.flatnonzero(~mask.any(axis=1))
    mask[unknown] = True
    stay = (unknown[:, None] * A + np.arange(A)).ravel()
    loops = sp.csr_array((np.ones(len(stay)), (stay, np.repeat(unknown, A))), shape=shape)
    shares = sp.diags_array(1 / np.maximum(tried, 1)) @ counts
    rewards = sp.csr_array((earned.data / counts.data, counts.indices, counts.indptr), shape=shape)
    first = np.unique(steps.episode, return_index=True)[1]
    start = np.bincount(np.searchsorted(seen, steps.state[first]), minlength=S + ends)
    return {
        "transitions": shares + loops,
        "rewards": rewards,
        "mask": mask,
        "start": start / start.sum(),
        "states": _names(steps, seen, ends),
        "actions": steps.action_names[:A] if steps.action_names is not None else None,
    }


def _names(steps: Transitions, seen: Any, ends: bool) -> list[Any] | None:
    if steps.state_names is not None:
        names: list[Any] = [steps.state_names[number] for number in seen]
    elif len(seen) and seen[0] == 0 and seen[-1] == len(seen) - 1:
        return None
    else:
        names = seen.tolist()
    return names + ["end"] * ends
