"""The door: P(s'|s, a) from all recorded steps, whichever policy took them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.data.arguments import whole_number
from allpass.display import brief
from allpass.errors import InputError
from allpass.rl.dynamics.catalog import DYNAMICS
from allpass.rl.dynamics.counts import TransitionCounts
from allpass.rl.dynamics.embedded import Progress
from allpass.rl.dynamics.prediction import Prediction
from allpass.rl.mdp import TabularMDP
from allpass.rl.policies import policy_matrix

if TYPE_CHECKING:
    from allpass.rl.recording.transitions import Transitions

Array = NDArray[np.float64]

_LARGEST = 200_000_000


class TransitionModel:
    r"""Transition probabilities that no policy decides, from steps of any number of policies.

    A model :math:`P_m` predicts every pair (s, a), also those that were never tried. Counts C of recorded steps and the
    model as a Dirichlet prior of weight k give

    .. math::
        P(s'|s, a) = \frac{C_{(sa, s')} + k P_m(s'|s, a)}{n_{sa} + k}, \quad P_\pi = \Pi P

    for any policy :math:`\pi`, without further data. Where there are no counts that is the prediction, and
    :attr:`seen` says so.

    Args:
        kind: One of ``allpass.rl.DYNAMICS``: ``"smoothing"``, ``"back-off"`` to P(s'|s), ``"neighbours"``,
            ``"inverse-rule"``; skip-gram models conditioned on the action, ``"deepwalk"``, ``"node2vec"``,
            ``"line-1"``, ``"line-2"``, ``"struc2vec"``; models of triplets, ``"transe"``, ``"rotate"``, ``"quate"``,
            ``"dihedral"``, ``"complex"``; or ``"hybrid"`` of a model of triplets and both rules.
        prior: k, in steps: how many steps the prediction is worth.
        like: The process whose numbers of states and actions the recordings have, and whose mask and ends are known.
        seed: Of the training.
        **options: Of the model, such as ``dim=64`` or ``epochs=300``; see :class:`~allpass.kge.TripletConfig`.

    Example:
        >>> from allpass.rl import TabularMDP, Transitions
        >>> corridor = TabularMDP.from_grid("S...G", discount=0.9)
        >>> right = Transitions.from_arrays([0, 1, 2, 3], [1, 1, 1, 1], [0, 0, 0, 1], [1, 2, 3, 4],
        ...     terminated=[False, False, False, True])
        >>> left = Transitions.from_arrays([1, 2], [3, 3], [0, 0], [0, 1])
        >>> model = TransitionModel("inverse-rule", like=corridor).fit([right, left])
        >>> model.predict(3, 3).argmax(), model.seen[3, 3]
        (np.int64(2), np.False_)
        >>> model.induced("uniform").shape
        (5, 5)
    """

    def __init__(
        self,
        kind: str = "quate",
        *,
        prior: float = 3.0,
        like: TabularMDP | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        DYNAMICS[kind]  # an unknown name is refused before steps are recorded
        if isinstance(prior, bool) or not 0 < prior < np.inf:
            raise InputError(
                f"Got prior={prior!r}.", "Expected a number above 0: the steps that a prediction is worth."
            )
        self.kind, self.prior, self.like = kind, float(prior), like
        self.seed = whole_number("seed", seed, least=0)
        self.options = options
        self._fitted: tuple[TransitionCounts, Prediction] | None = None

    def fit(self, steps: Transitions | Sequence[Transitions], *, on_progress: Progress | None = None) -> Self:
        """Learn from recorded steps; fitting again starts from nothing.

        Args:
            steps: One recording, or one for each policy.
            on_progress: Gets the number of epochs done and the loss.
        """
        return self.fit_counts(TransitionCounts.of(steps, self.like), on_progress=on_progress)

    def fit_counts(self, counts: TransitionCounts, *, on_progress: Progress | None = None) -> Self:
        """Learn from counts of steps."""
        size = counts.num_states**2 * counts.num_actions
        if size > _LARGEST:
            raise InputError(
                f"{counts.num_states:,} states and {counts.num_actions} actions have {size:,} possible transitions; "
                f"at most {_LARGEST:,} are predicted.",
                "Merge states with state_fn=Discretizer(...), or count with TabularMDP.from_transitions.",
            )
        found = DYNAMICS[self.kind].fit(counts, seed=self.seed, on_progress=on_progress, **self.options)
        self._fitted = counts, found
        tried = counts.tried[:, None]
        P = (counts.C.toarray() + self.prior * found.P) / (tried + self.prior)
        S, A = counts.num_states, counts.num_actions
        for state in np.flatnonzero(counts.terminal):  # an end keeps to itself
            P[state * A : (state + 1) * A] = np.eye(S)[state]
        self._P: Array = np.where(counts.mask.ravel()[:, None], P, 0.0)
        return self

    @property
    def counts(self) -> TransitionCounts:
        """What was learned from."""
        return self._needed()[0]

    @property
    def prediction(self) -> Prediction:
        """The model without the counts, with the vectors of the states where there are some."""
        return self._needed()[1]

    @property
    def P(self) -> Array:
        """Probabilities of next states, ``[S*A, S]``; rows of actions that are not allowed are 0."""
        self._needed()
        return self._P

    @property
    def seen(self) -> NDArray[np.bool_]:
        """``[S, A]``: pairs that were tried. All others are predicted."""
        counts = self.counts
        return np.asarray((counts.tried > 0).reshape(counts.mask.shape))

    def predict(self, state: Any, action: Any) -> Array:
        """P(s'|s, a) of some pairs, ``[..., S]``.

        Args:
            state: Numbers of states.
            action: Numbers of actions.
        """
        S, A = self.counts.mask.shape
        s, a = np.asarray(state), np.asarray(action)
        for what, numbers, most in (("state", s, S), ("action", a, A)):
            if numbers.dtype.kind not in "iu" or (numbers < 0).any() or (numbers >= most).any():
                raise InputError(f"Got the {what} {numbers}.", f"Expected numbers from 0 to {most - 1}.")
        return np.asarray(self._P[s * A + a])

    def induced(self, policy: Any = "uniform") -> Any:
        r""":math:`P_\pi = \Pi P` of any policy, sparse ``[S, S]``, without data of that policy.

        Args:
            policy: ``"uniform"``, an action a state ``[S]``, probabilities ``[S, A]``, or :math:`\Pi`.
        """
        Pi = policy_matrix(policy, self.counts.mask)
        return sp.csr_array(Pi @ self._P)

    def as_mdp(self, discount: float = 0.99, *, least: float = 0.1) -> TabularMDP:
        r"""The learned process, to be solved.

        The reward of a pair is the mean of its recorded rewards. A pair that was never tried has the mean reward of the
        steps into the states that it is predicted to reach, :math:`\sum_{s'} P(s'|s, a) \bar r(s')`.

        Args:
            discount: Factor of later rewards.
            least: Transitions that were never recorded are left out where their probability is below this share of the
                largest of their row. A softmax leaves a little to every state, and a planner would hope for it.
        """
        counts = self.counts
        tried = counts.tried
        rewards = np.where(tried > 0, counts.earned / np.maximum(tried, 1), self._P @ counts.arrival_rewards)
        rewards[~counts.asked] = 0
        slight = self._P < least * self._P.max(axis=1, keepdims=True)
        P = sp.csr_array(np.where(slight & (counts.C.toarray() == 0), 0, self._P))
        sums = np.asarray(P.sum(axis=1)).ravel()
        P = sp.csr_array(sp.diags_array(1 / np.where(sums > 0, sums, 1)) @ P)
        mdp = TabularMDP(
            P,
            rewards,
            discount,
            mask=counts.mask,
            states=counts.states,
            actions=None if counts.actions is None else list(counts.actions)[: counts.num_actions],
            start=counts.start,
            positions=None if self.like is None else self.like.positions,
        )
        mdp.grid = None if self.like is None else self.like.grid
        return mdp

    def to_frame(self, least: float = 0.01) -> Any:
        """A pandas frame of transitions with a probability of ``least`` or more, and whether they were tried."""
        from allpass.data.tables.tabular import import_pandas

        pandas = import_pandas("A frame of transitions")
        counts = self.counts
        row, after = np.nonzero(self._P >= least)
        state, action = np.divmod(row, counts.num_actions)
        names, acts = counts.states, counts.actions
        return pandas.DataFrame(
            {
                "state": state if names is None else [names[s] for s in state.tolist()],
                "action": action if acts is None else [acts[a] for a in action.tolist()],
                "next_state": after if names is None else [names[s] for s in after.tolist()],
                "probability": self._P[row, after],
                "seen": self.seen.ravel()[row],
            }
        )

    def __repr__(self) -> str:
        if self._fitted is None:
            return f"TransitionModel({self.kind!r}, prior={self.prior:g})"
        counts = self.counts
        unseen = int((counts.asked & (counts.tried == 0)).sum())
        return brief(
            f"TransitionModel {self.kind}: {counts.num_states:,} states, {counts.num_actions} actions",
            f"{int(counts.tried.sum()):,} steps; {unseen:,} of {int(counts.asked.sum()):,} pairs were never tried",
        )

    def _needed(self) -> tuple[TransitionCounts, Prediction]:
        if self._fitted is None:
            raise InputError("The model has not been fitted.", "Call fit(transitions) first.")
        return self._fitted
