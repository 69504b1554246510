"""What solving a process gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from allpass.display import table

Array = NDArray[np.float64]
Evaluation = Literal["auto", "factorization", "krylov", "sweeps"]
Method = Literal["auto", "policy-iteration", "value-iteration", "modified-policy-iteration"]

_SHOWN = 10  # states in a notebook


@dataclass(frozen=True, eq=False)
class Solution:
    r"""Optimal values and a policy that reaches them.

    Args:
        values: V, ``[S]``.
        policy: The best action of each state, ``[S]``; on ties the first.
        action_values: Q, ``[S, A]``; -inf where an action is not allowed.
        residual: :math:`\max_s |V(s) - \max_a Q(s, a)|`.
        iterations: Policies evaluated, or sweeps over all states.
        converged: Whether the tolerance was reached.
        method: How it was solved.
        states: Names of the states, where they have names.
        actions: Names of the actions, where they have names.
    """

    values: Array
    policy: NDArray[np.int64]
    action_values: Array
    residual: float
    iterations: int
    converged: bool
    method: str
    states: tuple[Any, ...] | None = None
    actions: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        ending = "" if self.converged else ", converged=False"
        return (
            f"Solution({self.method}, states={len(self.values)}, iterations={self.iterations}, "
            f"residual={self.residual:.1e}{ending})"
        )

    def _repr_html_(self) -> str:
        best = np.argsort(-self.values, kind="stable")[:_SHOWN]
        rows = [
            (
                state if self.states is None else self.states[state],
                f"{self.values[state] + 0.0:.4g}",
                self.policy[state] if self.actions is None else self.actions[self.policy[state]],
            )
            for state in best
        ]
        left = len(self.values) - len(rows)
        return table(
            ("state", "value", "action"), rows, f"{self!r}" + (f": the best {_SHOWN} states" if left else "")
        )

    def to_frame(self) -> Any:
        """A pandas frame with the value and the action of each state, by name where there are names."""
        from allpass.data.tables.tabular import import_pandas

        pandas = import_pandas("A frame of values")
        actions = self.policy if self.actions is None else [self.actions[action] for action in self.policy]
        index = (
            range(len(self.values))
            if self.states is None
            else pandas.Index(list(self.states), tupleize_cols=False)
        )
        return pandas.DataFrame(
            {"value": self.values, "action": actions}, index=pandas.Index(index, name="state")
        )
