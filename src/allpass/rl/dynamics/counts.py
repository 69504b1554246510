"""Counts of recorded steps, C ``[S*A, S]``: all that models of transitions learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.mdp import TabularMDP
from allpass.rl.recording.transitions import Transitions

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TransitionCounts:
    """How often each state followed each pair of state and action. Row ``s*A + a`` belongs to state s and action a.

    Args:
        C: Counts, sparse ``[S*A, S]``.
        earned: The sum of the rewards of each pair, ``[S*A]``.
        arrival_rewards: The mean reward of the steps into each state, ``[S]``; 0 where none was recorded.
        mask: Which actions are allowed, ``[S, A]``.
        terminal: Which states end an episode, ``[S]``.
        start: Probabilities of the first state, ``[S]``.
        states: Names of the states.
        actions: Names of the actions.
    """

    C: Any
    earned: Array
    arrival_rewards: Array
    mask: Bools
    terminal: Bools
    start: Array
    states: Sequence[Any] | None = None
    actions: Sequence[Any] | None = None

    @classmethod
    def of(cls, steps: Transitions | Sequence[Transitions], like: TabularMDP | None = None) -> Self:
        """Count recorded steps.

        Args:
            steps: One recording, or several with the same numbers of states.
            like: The process whose states, actions and mask these are. By default states are those that were recorded,
                all actions are allowed, and steps that terminate lead to a last state ``"end"``.
        """
        return cls.growing(steps, like)[0]

    @classmethod
    def growing(
        cls,
        steps: Transitions | Sequence[Transitions],
        like: TabularMDP | None = None,
        sizes: Sequence[int] | None = None,
    ) -> list[Self]:
        """Counts of the first steps of a recording, for several numbers of them; states are those of the whole one.

        Args:
            steps: See :meth:`of`.
            like: See :meth:`of`.
            sizes: How many of the steps; by default all.
        """
        joined = _joined(steps)
        state, action, after, *about = _recorded(joined) if like is None else _placed(joined, like)
        S, A = about[1].shape
        row = state * A + action
        return [
            cls._counted(row[:n], after[:n], joined.reward[:n], (S * A, S), about)
            for n in sizes or [len(row)]
        ]

    @classmethod
    def _counted(
        cls, row: Any, after: Any, reward: Array, shape: tuple[int, int], about: Sequence[Any]
    ) -> Self:
        terminal, mask, *names = about
        C = sp.csr_array((np.ones(len(row)), (row, after)), shape=shape)
        C.sum_duplicates()
        arrived = np.bincount(after, minlength=shape[1])
        gained = np.bincount(after, reward, minlength=shape[1])
        return cls(
            C,
            np.bincount(row, reward, minlength=shape[0]).astype(np.float64),
            gained / np.maximum(arrived, 1),
            mask,
            terminal,
            *names,
        )

    @property
    def num_states(self) -> int:
        """S, ends included."""
        return int(self.mask.shape[0])

    @property
    def num_actions(self) -> int:
        """A."""
        return int(self.mask.shape[1])

    @property
    def tried(self) -> Array:
        """How often each pair was tried, ``[S*A]``."""
        return np.asarray(self.C.sum(axis=1)).ravel()

    @property
    def asked(self) -> Bools:
        """``[S*A]``: pairs whose next state is to be known: allowed, of states that do not end an episode."""
        return np.asarray((self.mask & ~self.terminal[:, None]).ravel())

    @property
    def shares(self) -> Any:
        """The share of each next state in the steps of a pair, sparse ``[S*A, S]``; empty rows of untried pairs."""
        return sp.diags_array(1 / np.maximum(self.tried, 1)) @ self.C

    def without(self, pairs: Any) -> Self:
        """The same without the steps of some pairs ``[S*A]`` (a mask)."""
        kept = ~np.asarray(pairs, dtype=bool)
        C = sp.csr_array(sp.diags_array(kept.astype(np.float64)) @ self.C)
        C.eliminate_zeros()
        return replace(self, C=C, earned=self.earned * kept)

    def triplets(self, most: int = 3_000) -> NDArray[np.int64]:
        """Rows (s, a, s') in proportion to their counts, each at least once; about ``most`` of them.

        Pairs that were always followed by one state count once: more of the same says nothing new.
        """
        found = self.C.tocoo()
        single = np.diff(self.C.indptr)[found.row] == 1
        often = np.where(single, 1, found.data)
        often = np.maximum(np.round(often * min(1.0, most / often.sum())), 1).astype(np.int64)
        state, action = np.divmod(found.row, self.num_actions)
        return np.repeat(np.column_stack([state, action, found.col]).astype(np.int64), often, axis=0)


def _joined(steps: Any) -> Transitions:
    parts = [steps] if isinstance(steps, Transitions) else list(steps)
    if not parts or not all(isinstance(part, Transitions) for part in parts):
        raise InputError(
            "Got no recorded step to learn from." if not parts else f"Got {type(parts[0]).__name__}.",
            "Expected Transitions, or a list of them.",
        )
    joined = parts[0] if len(parts) == 1 else Transitions.concatenate(parts)
    if not joined.tabular or joined.action.ndim != 1:
        raise InputError(
            f"The {'actions' if joined.tabular else 'states'} of the recording are vectors.",
            "Record numbers or names: pass state_fn=Discretizer(...) to the recorder.",
        )
    if min(joined.action.min(), joined.state.min(), joined.next_state.min()) < 0:
        raise InputError("Got negative numbers of states or actions.", "Expected numbers from 0.")
    return joined


def _recorded(steps: Transitions) -> tuple[Any, ...]:
    """Columns by the states that were recorded."""
    seen = np.unique(np.concatenate([steps.state, steps.next_state[~steps.terminated]]))
    ends = bool(steps.terminated.any())
    S, A = len(seen) + ends, int(steps.action.max()) + 1
    state = np.searchsorted(seen, steps.state)
    after = np.where(steps.terminated, S - 1, np.searchsorted(seen, steps.next_state))
    terminal = np.zeros(S, dtype=bool)
    terminal[len(seen) :] = True
    first = np.unique(steps.episode, return_index=True)[1]
    start = np.bincount(state[first], minlength=S) / len(first)
    named = steps.state_names is not None or not np.array_equal(seen, np.arange(len(seen)))
    names = [n if steps.state_names is None else steps.state_names[n] for n in seen.tolist()]
    states = [*names, *["end"] * ends] if named else None
    return state, steps.action, after, terminal, np.ones((S, A), bool), start, states, steps.action_names


def _placed(steps: Transitions, like: TabularMDP) -> tuple[Any, ...]:
    """Columns by the states of a process."""
    S, A = like.num_states, like.num_actions
    most = max(int(steps.state.max()), int(steps.next_state.max()))
    if most >= S or steps.action.max() >= A:
        raise InputError(
            f"Got state {most} and action {steps.action.max()} for a process of {S} states and {A} actions.",
            "Pass the process that was recorded as like=.",
        )
    ends = np.flatnonzero(like.terminal)
    if steps.terminated.any() and not len(ends):
        raise InputError(
            "Got steps that terminated for a process without a terminal state.", "Correct like=."
        )
    after = steps.next_state.copy()
    wrong = steps.terminated & ~like.terminal[after]
    if wrong.any():
        after[wrong] = ends[-1]
    return steps.state, steps.action, after, like.terminal, like.mask, like.start, like.states, like.actions
