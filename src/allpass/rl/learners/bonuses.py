r"""Bonuses for exploring: less for states that were visited often, alone or with their neighbours.

A bonus is :math:`\beta / \sqrt{N(s')}` or :math:`\beta / \lVert \psi(s') \rVert_1`,
added to the reward of a step to s'. A learner whose first values are 0 prefers what it knows, since every known move
has earned a bonus; so let it begin with values of ``largest / (1 - discount)``, which no sum of bonuses exceeds.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError

Index = NDArray[np.int64]
Array = NDArray[np.float64]


class Bonus(Protocol):
    """An additional reward of each step, at most ``largest``; see :class:`~allpass.rl.learners.loop.Reward`."""

    @property
    def largest(self) -> float: ...

    def added(self, rows: Index, states: Index, actions: Index, after: Index, terminated: Any) -> Array: ...

    def observe(
        self, rows: Index, states: Index, rewards: Array, after: Index, terminated: Any, done: Any
    ) -> None: ...


class _Counting:
    """Counts the visits of each seed."""

    def __init__(self, copies: int, num_states: int, scale: float) -> None:
        if not scale > 0:
            raise InputError(f"Got scale = {scale}.", "Expected a number above 0.")
        self.scale = scale
        self.visits: Index = np.zeros((copies, num_states), dtype=np.int64)

    @property
    def largest(self) -> float:
        """The bonus of a state that is visited for the first time."""
        return self.scale

    def observe(self, *step: Any) -> None:
        """Nothing is left to note."""


class CountBonus(_Counting):
    r""":math:`\beta / \sqrt{n(s')}` with n the number of visits.

    Args:
        copies: R, the number of seeds.
        num_states: S.
        scale: :math:`\beta`.
    """

    def added(self, rows: Index, states: Index, actions: Index, after: Index, terminated: Any) -> Array:  # noqa: ARG002
        """The bonus of a step of some seeds."""
        self.visits[rows, after] += 1
        return np.asarray(self.scale / np.sqrt(self.visits[rows, after]))


class GraphCountBonus(_Counting):
    r""":math:`\beta / \sqrt{N(s')}` with a count that looks one edge along the graph of recorded moves.

    .. math::
        N(s) = n(s) + \frac{w}{|A|} \sum_a n(T(s, a))

    T(s, a) is the last recorded outcome; an action that was never tried counts 0. So a state next to unknown ones keeps
    its bonus for longer than one whose neighbours are all known: the bonus leads to the frontier.

    Args:
        copies: R, the number of seeds.
        num_states: S.
        num_actions: A.
        scale: :math:`\beta`.
        neighbours: w, 0 (a plain count) or more.
    """

    def __init__(
        self, copies: int, num_states: int, num_actions: int, scale: float, *, neighbours: float = 1.0
    ) -> None:
        super().__init__(copies, num_states, scale)
        if not neighbours >= 0:
            raise InputError(f"Got neighbours = {neighbours}.", "Expected a number of 0 or more.")
        self.neighbours = neighbours
        self._after: Index = np.full((copies, num_states, num_actions), -1, dtype=np.int64)

    def counts(self, rows: Index, states: Index) -> Array:
        """N of some states, ``[B]``."""
        after = self._after[rows, states]
        near = np.where(after >= 0, self.visits[rows[:, None], after], 0).mean(axis=1)
        return np.asarray(self.visits[rows, states] + self.neighbours * near)

    def added(self, rows: Index, states: Index, actions: Index, after: Index, terminated: Any) -> Array:  # noqa: ARG002
        """The bonus of a step of some seeds."""
        self.visits[rows, after] += 1
        self._after[rows, states, actions] = after
        return np.asarray(self.scale / np.sqrt(self.counts(rows, after)))


class SuccessorBonus(_Counting):
    r""":math:`\beta \eta / \lVert \psi(s') \rVert_1` with the successor representation learned so far.

    .. math::
        \psi(s) \leftarrow \psi(s) + \eta \, (e_s + \gamma \psi(s') - \psi(s))

    Its norm grows with visits of the state and of those that follow (Machado, Bellemare and Bowling, AAAI 2020). All
    entries are at least 0, so the norm obeys the same rule with 1 in place of :math:`e_s`, and it alone is kept.

    Args:
        copies: R, the number of seeds.
        num_states: S.
        scale: :math:`\beta`.
        rate: :math:`\eta`.
        discount: :math:`\gamma`.
    """

    def __init__(
        self, copies: int, num_states: int, scale: float, *, rate: float = 0.1, discount: float = 0.95
    ) -> None:
        super().__init__(copies, num_states, scale)
        if not 0 < rate <= 1 or not 0 <= discount < 1:
            raise InputError(
                f"Got rate = {rate} and discount = {discount}.",
                "Expected a rate above 0, a discount below 1.",
            )
        self.rate, self.discount = rate, discount
        self.norms: Array = np.zeros((copies, num_states))

    def added(self, rows: Index, states: Index, actions: Index, after: Index, terminated: Any) -> Array:  # noqa: ARG002
        """The bonus of a step of some seeds."""
        follows = np.where(terminated, 0.0, self.norms[rows, after])
        self.norms[rows, states] += self.rate * (1 + self.discount * follows - self.norms[rows, states])
        return np.asarray(self.scale * self.rate / np.maximum(self.norms[rows, after], self.rate))
