r"""A finite Markov decision process as sparse matrices, with the report's names and shapes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from allpass.display import framed, page
from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.rl.layouts import Layout, expected_rewards, stack_rows
from allpass.rl.policies import TOLERANCE, policy_matrix
from allpass.rl.rows import take_rows

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from allpass.rl.environments.grids import Grid
    from allpass.rl.recording.transitions import Transitions
    from allpass.rl.solvers.solution import Array, Evaluation, Method, Solution


class TabularMDP:
    r"""A Markov decision process with finitely many states and actions.

    .. math::
        P \in \mathbb{R}^{|S||A| \times |S|}, \quad r \in \mathbb{R}^{|S||A|}, \quad
        \Pi \in \mathbb{R}^{|S| \times |S||A|}, \quad V_\pi = \Pi r + \gamma \Pi P V_\pi

    Row ``s*A + a`` of P and r belongs to state s and action a. An action that ``mask`` does not allow has an empty row.
    A state that keeps to itself without reward, whatever is done, ends an episode: see :attr:`terminal`.

    Args:
        transitions: P as an array or a sparse matrix, with axes in the order that ``layout`` names.
        rewards: ``[S*A]``, ``[S, A]``, or a number a transition in the shape of the transitions.
        discount: :math:`\gamma`, from 0 to 1. 1 needs a terminal state.
        mask: ``[S, A]``, which actions are allowed in which state; by default all are.
        states: Names of the states; by default they are numbers.
        actions: Names of the actions; by default they are numbers.
        start: ``[S]``, the probabilities of the first state; by default every state that is not terminal is as likely.
        positions: ``[S, 2]``, row and column of each state where it is drawn; NaN for states that have no place.
        layout: ``"SA,S"`` for ``[S*A, S]``, ``"A,S,S"`` or ``"S,A,S"``; the latter also as a list of matrices.

    Example:
        >>> import numpy as np
        >>> stay_or_go = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
        >>> mdp = TabularMDP(stay_or_go, [[0.0, 1.0], [0.0, 0.0]], 0.9, layout="A,S,S", states=["here", "there"])
        >>> mdp
        TabularMDP(states=2, actions=2, discount=0.9, terminal=1)
        >>> mdp.state_chain([1, 0]).toarray()
        array([[0., 1.],
               [0., 1.]])
    """

    def __init__(
        self,
        transitions: Any,
        rewards: Any,
        discount: float,
        *,
        mask: Any = None,
        states: Sequence[Any] | None = None,
        actions: Sequence[Any] | None = None,
        start: Any = None,
        positions: Any = None,
        layout: Layout = "SA,S",
    ) -> None:
        P = stack_rows(transitions, layout, "transitions")
        P.sum_duplicates()
        if P.nnz < 2**31:  # half the memory to read in each product
            P.indices, P.indptr = P.indices.astype(np.int32), P.indptr.astype(np.int32)
        pairs, num_states = P.shape
        if not num_states or not pairs or pairs % num_states:
            raise InputError(
                f"Got transitions of shape [{pairs}, {num_states}].",
                "Expected [S*A, S]: a row for each action in each state.",
            )
        self.num_states = num_states
        self.num_actions = pairs // num_states
        self.states = _names(states, num_states, "states")
        self.actions = _names(actions, self.num_actions, "actions")
        self.mask = _mask(mask, num_states, self.num_actions)
        r, self.transition_rewards = expected_rewards(rewards, P, self.num_actions, layout)
        self.P = self._checked_transitions(P)
        self.r = self._checked_rewards(r)
        self.discount = _discount(discount)
        if self.discount == 1 and not self.terminal.any():
            raise InputError(
                "Got discount=1 for a process without a terminal state, whose values are infinite sums.",
                "Pass a discount below 1, or add a state that keeps to itself without reward.",
            )
        self.start = self._checked_start(start)
        self.positions = _positions(positions, num_states)
        self.grid: Grid | None = None

    def __repr__(self) -> str:
        return (
            f"TabularMDP(states={self.num_states}, actions={self.num_actions}, discount={self.discount:g}, "
            f"terminal={int(self.terminal.sum())})"
        )

    def _repr_html_(self) -> str:
        return framed(page(self))

    @classmethod
    def from_grid(cls, grid: Grid | str, discount: float = 0.99, **options: Any) -> Self:
        r"""The process of an agent that walks on a grid drawn as text.

        Args:
            grid: A :class:`~allpass.rl.Grid`, the drawing, or the name of a grid such as ``"four-rooms"``.
            discount: :math:`\gamma`.
            **options: Of :class:`~allpass.rl.Grid`: ``slip``, ``goal_reward``, ``hole_reward``, ``step_reward``.

        Example:
            >>> mdp = TabularMDP.from_grid("S..G", discount=0.5)
            >>> mdp.states
            [(0, 0), (0, 1), (0, 2), 'end']
        """
        from allpass.rl.environments.grids import Grid

        drawn = Grid(grid, **options) if isinstance(grid, str) else grid
        mdp = cls(discount=discount, **drawn.arrays())
        mdp.grid = drawn
        return mdp

    @classmethod
    def from_gymnasium(cls, env: Any, discount: float = 0.99, *, use_mask: bool = True) -> Self:
        r"""The process of a Gymnasium environment that knows its own transitions: ``env.unwrapped.P``.

        States and actions keep their numbers. Where episodes end, one absorbing state follows the others. Time limits
        are no part of the process.

        Args:
            env: An environment of Gymnasium's toy-text family or of allpass, or its id.
            discount: :math:`\gamma`.
            use_mask: Allow only the actions that ``env.unwrapped.action_mask`` allows, where there is one (Taxi).
        """
        from allpass.rl.environments.toy_text import read_environment, unwrapped

        inner = unwrapped(env)
        if isinstance(getattr(inner, "mdp", None), cls):
            return inner.mdp.with_discount(discount)
        return cls(discount=discount, **read_environment(inner, use_mask))

    @classmethod
    def from_transitions(cls, steps: Transitions, discount: float = 0.99) -> Self:
        """The process that recorded steps show: probabilities are shares of counts, rewards are means.

        See :func:`~allpass.rl.recording.estimate.estimate`.
        """
        from allpass.rl.recording.estimate import estimate

        return cls(discount=discount, **estimate(steps))

    @classmethod
    def from_data(cls, data: Any, discount: float | None = None) -> TabularMDP:
        """The process of a PyG graph; see :func:`allpass.rl.graphs.from_data`."""
        from allpass.rl.graphs import from_data

        return from_data(data, discount)

    @classmethod
    def from_networkx(cls, graph: Any, discount: float | None = None) -> TabularMDP:
        """The process of a NetworkX graph; see :func:`allpass.rl.graphs.from_networkx`."""
        from allpass.rl.graphs import from_networkx

        return from_networkx(graph, discount)

    def to_data(self) -> Data:
        """A PyG graph with an edge for each transition; see :func:`allpass.rl.graphs.to_data`."""
        from allpass.rl.graphs import to_data

        return to_data(self)

    def to_networkx(self) -> Any:
        """A NetworkX graph with an edge for each transition; see :func:`allpass.rl.graphs.to_networkx`."""
        from allpass.rl.graphs import to_networkx

        return to_networkx(self)

    def edge_rewards(self) -> Array:
        """r(s, a, s') of each stored transition, in the order of ``P.data``; r(s, a) where only that is known."""
        row = np.repeat(np.arange(self.P.shape[0]), np.diff(self.P.indptr))
        if self.transition_rewards is None:
            return self.r[row]
        return np.asarray(self.transition_rewards[row, self.P.indices]).ravel()

    def to_env(self, *, render_mode: str | None = None) -> Any:
        """A Gymnasium environment of this process; states and actions are their numbers."""
        from allpass.rl.environments.tabular import TabularEnv

        return TabularEnv(self, render_mode=render_mode)

    def values(
        self, policy: Any = "uniform", *, method: Evaluation = "auto", tolerance: float = 1e-10
    ) -> Array:
        r""":math:`V_\pi`, ``[S]``; see :func:`allpass.rl.solvers.evaluation.values`."""
        from allpass.rl.solvers.evaluation import values

        return values(self, policy, method=method, tolerance=tolerance)

    def action_values(
        self, policy: Any = "uniform", *, method: Evaluation = "auto", tolerance: float = 1e-10
    ) -> Array:
        r""":math:`Q_\pi`, ``[S, A]``, -inf where an action is not allowed."""
        from allpass.rl.solvers.evaluation import action_values

        return action_values(self, policy, method=method, tolerance=tolerance)

    def optimal(self, *, method: Method = "auto", tolerance: float = 1e-10, **options: Any) -> Solution:
        """Optimal values and a policy that reaches them; see :func:`allpass.rl.solvers.optimal.optimal`."""
        from allpass.rl.solvers.optimal import optimal

        return optimal(self, method=method, tolerance=tolerance, **options)

    def successor(self, policy: Any = "uniform", *, states: Any = None) -> Array:
        """The successor representation; see :func:`allpass.rl.solvers.successor.successor`."""
        from allpass.rl.solvers.successor import successor

        return successor(self, policy, states=states)

    def with_discount(self, discount: float) -> Self:
        """The same process with another discount; matrices are shared."""
        other = copy.copy(self)
        other.discount = _discount(discount)
        if other.discount == 1 and not self.terminal.any():
            raise InputError(
                "Got discount=1 for a process without a terminal state.", "Pass a discount below 1."
            )
        return other

    @cached_property
    def terminal(self) -> NDArray[np.bool_]:
        """``[S]``: states that keep to themselves without reward under every action. Their value is 0."""
        diagonal = self.P[
            np.arange(self.num_states * self.num_actions),
            np.repeat(np.arange(self.num_states), self.num_actions),
        ]
        stays = np.asarray(diagonal).reshape(self.mask.shape) >= 1 - TOLERANCE
        free = (self.r == 0).reshape(self.mask.shape)
        return ((stays & free) | ~self.mask).all(axis=1)

    def policy(self, policy: Any) -> Any:
        r""":math:`\Pi`, sparse ``[S, S*A]``.

        Args:
            policy: ``"uniform"``, an action a state ``[S]``, probabilities ``[S, A]``, or :math:`\Pi` itself.
        """
        return policy_matrix(policy, self.mask)

    def state_chain(self, policy: Any) -> Any:
        r""":math:`P_\pi = \Pi P`, sparse ``[S, S]``: from state to next state under the policy."""
        Pi = self.policy(policy)
        if Pi.nnz == self.num_states and (Pi.data == 1).all():
            return take_rows(self.P, Pi.indices)
        return Pi @ self.P

    def state_action_chain(self, policy: Any) -> Any:
        r""":math:`P'_\pi = P \Pi`, sparse ``[S*A, S*A]``: from pair to next pair of state and action."""
        return self.P @ self.policy(policy)

    def state_rewards(self, policy: Any) -> NDArray[np.float64]:
        r""":math:`r_\pi = \Pi r`, ``[S]``: the expected reward of a step from each state."""
        return self.policy(policy) @ self.r

    def index(self, state: Any) -> int:
        """The number of a state by its name."""
        if self._numbers is None:
            if isinstance(state, (int, np.integer)) and 0 <= state < self.num_states:
                return int(state)
            raise InputError(
                f"Got the state {state!r}.", f"Expected a number from 0 to {self.num_states - 1}."
            )
        if state not in self._numbers:
            cure = did_you_mean(str(state), map(str, self._numbers)) if self.num_states <= 10_000 else ""
            raise UnknownNameError(f"There is no state {state!r}.", cure)
        return self._numbers[state]

    @cached_property
    def _numbers(self) -> dict[Any, int] | None:
        return None if self.states is None else {name: number for number, name in enumerate(self.states)}

    def _pair(self, row: int) -> str:
        """A row of P in words."""
        state, action = divmod(row, self.num_actions)
        state_name = state if self.states is None else repr(self.states[state])
        action_name = action if self.actions is None else repr(self.actions[action])
        return f"action {action_name} in state {state_name}"

    def _checked_transitions(self, P: Any) -> Any:
        if not self.mask.all():
            kept = self.mask.ravel().repeat(np.diff(P.indptr))
            P.data[~kept] = 0
            P.eliminate_zeros()
        if not np.isfinite(P.data).all() or (P.data < 0).any():
            wrong = ~np.isfinite(P.data) | (P.data < 0)
            row = int(np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))[wrong.argmax()])
            raise InputError(
                f"The transitions of {self._pair(row)} have a negative, NaN or infinite probability.",
                "Expected probabilities from 0 to 1.",
            )
        sums = np.asarray(P.sum(axis=1)).ravel()
        wrong = (np.abs(sums - 1) > TOLERANCE) & self.mask.ravel()
        if wrong.any():
            row = int(wrong.argmax())
            raise InputError(
                f"The transition probabilities of {self._pair(row)} sum to {sums[row]:g}.",
                "Expected 1; leave out actions that are not allowed by mask=.",
            )
        P.data /= np.repeat(np.where(sums > 0, sums, 1), np.diff(P.indptr))
        return P

    def _checked_rewards(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        r = np.where(self.mask.ravel(), r, 0)
        wrong = ~np.isfinite(r)
        if wrong.any():
            raise InputError(
                f"The reward of {self._pair(int(wrong.argmax()))} is {r[wrong][0]}.",
                "Expected finite numbers.",
            )
        return r

    def _checked_start(self, start: Any) -> NDArray[np.float64]:
        if start is None:
            able = ~self.terminal if not self.terminal.all() else np.ones(self.num_states, dtype=bool)
            return able / able.sum()
        array: NDArray[np.float64] = np.asarray(start, dtype=np.float64)
        if array.size != self.num_states or not ((array >= 0).all() and abs(array.sum() - 1) <= TOLERANCE):
            raise InputError(
                f"Got start of shape {list(array.shape)} with sum {array.sum():g}.",
                f"Expected {self.num_states} probabilities that sum to 1.",
            )
        return array.ravel() / array.sum()


def _discount(discount: Any) -> float:
    if not isinstance(discount, (int, float, np.number)) or not 0 <= discount <= 1:
        raise InputError(f"Got discount={discount!r}.", "Expected a number from 0 to 1, such as 0.99.")
    return float(discount)


def _names(names: Sequence[Any] | None, count: int, what: str) -> list[Any] | None:
    if names is None:
        return None
    names = list(names)
    if len(names) != count or len(set(names)) != count:
        raise InputError(
            f"Got {len(names)} names for {count} {what}, {len(set(names))} of them different.",
            "Expected a different name for each.",
        )
    return names


def _positions(positions: Any, num_states: int) -> NDArray[np.float64] | None:
    if positions is None:
        return None
    array = np.asarray(positions, dtype=np.float64)
    if array.shape != (num_states, 2):
        raise InputError(
            f"Got positions of shape {list(array.shape)}.", f"Expected [{num_states}, 2]: row and column."
        )
    return array


def _mask(mask: Any, num_states: int, num_actions: int) -> NDArray[np.bool_]:
    if mask is None:
        return np.ones((num_states, num_actions), dtype=bool)
    array = np.asarray(mask).astype(bool)
    if array.shape != (num_states, num_actions):
        raise InputError(
            f"Got a mask of shape {list(array.shape)}.", f"Expected [{num_states}, {num_actions}]."
        )
    if not array.any(axis=1).all():
        raise InputError(
            f"The mask allows no action in state {int((~array.any(axis=1)).argmax())}.",
            "Allow one; a terminal state keeps to itself.",
        )
    return array
