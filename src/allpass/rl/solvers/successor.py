r"""The successor representation :math:`M = (I - \gamma P_\pi)^{-1}`: discounted visits of each state from each."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.mdp import TabularMDP
from allpass.rl.recording.transitions import Transitions
from allpass.rl.solvers.solution import Array

_LARGEST = 20_000


def successor(mdp: TabularMDP, policy: Any = "uniform", *, states: Any = None) -> Array:
    r"""Rows of :math:`M` (`Dayan, 1993 <https://doi.org/10.1162/neco.1993.5.4.613>`_), exact.

    :math:`M_{ss'}` is the expected discounted number of visits of s' from s, so :math:`V_\pi = M r_\pi`, and each row
    sums to :math:`1 / (1 - \gamma)`.

    Args:
        mdp: The process; its discount must be below 1.
        policy: See :func:`~allpass.rl.policy_matrix`.
        states: Numbers of the states whose rows are wanted; by default all, for up to 20,000 states.

    Returns:
        ``[S, S]``, or ``[len(states), S]``.
    """
    if mdp.discount == 1:
        raise InputError(
            "Got discount=1: a terminal state is visited for ever.", "Use mdp.with_discount(0.99)."
        )
    S = mdp.num_states
    if states is None and S > _LARGEST:
        raise InputError(
            f"The successor representation of {S:,} states has {S * S:,} entries.",
            "Pass states= for some of its rows.",
        )
    rows = np.arange(S) if states is None else np.asarray(states, dtype=np.int64).ravel()
    factor = sla.splu((sp.eye_array(S) - mdp.discount * mdp.state_chain(policy)).tocsc())
    M = np.empty((len(rows), S))
    for first in range(0, len(rows), 256):  # blocks keep the right-hand sides small
        block = rows[first : first + 256]
        units = np.zeros((S, len(block)))
        units[block, np.arange(len(block))] = 1
        M[first : first + 256] = factor.solve(units, trans="T").T
    return M


def td_successor(
    steps: Transitions,
    *,
    discount: float,
    learning_rate: float = 0.1,
    num_states: int | None = None,
    initial: Array | None = None,
) -> Array:
    r"""The successor representation of the policy that recorded, learned step by step by TD(0), ``[S, S]``.

    .. math::
        M_s \leftarrow M_s + \alpha (e_s + \gamma M_{s'} - M_s)

    Where a step terminates, :math:`M_{s'}` counts as 0, so rows leave out the stay in the absorbing state.

    Args:
        steps: Recorded steps, in their order; states are numbers.
        discount: :math:`\gamma`.
        learning_rate: :math:`\alpha`.
        num_states: S; by default one more than the largest number.
        initial: M to begin with; by default the identity.
    """
    if not steps.tabular:
        raise InputError(
            "The states of the recording are vectors.", "Record numbers: pass state_fn=Discretizer(...)."
        )
    if not 0 <= discount < 1 or not 0 < learning_rate <= 1:
        raise InputError(
            f"Got discount={discount} and learning_rate={learning_rate}.",
            "Expected a discount from 0 to below 1 and a learning rate above 0, up to 1.",
        )
    largest = int(max(steps.state.max(), steps.next_state.max()))
    S = largest + 1 if num_states is None else num_states
    if largest >= S or min(steps.state.min(), steps.next_state.min()) < 0:
        raise InputError(f"The recording has the state {largest}.", f"Expected numbers from 0 to {S - 1}.")
    M: NDArray[np.float64] = np.eye(S) if initial is None else np.array(initial, dtype=np.float64)
    going = discount * ~steps.terminated
    for s, after, gamma in zip(steps.state.tolist(), steps.next_state.tolist(), going.tolist(), strict=True):
        row = M[s]
        target = gamma * M[after]
        target[s] += 1
        row += learning_rate * (target - row)
    return M
