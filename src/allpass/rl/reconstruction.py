"""The graph of states from recorded steps: what a model of transitions learns, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.arguments import share as checked_share
from allpass.display import brief, framed, page
from allpass.errors import InputError
from allpass.rl.dynamics.counts import TransitionCounts
from allpass.rl.dynamics.model import TransitionModel
from allpass.rl.dynamics.pooling import left_out
from allpass.rl.dynamics.scores import scores, variation
from allpass.rl.mdp import TabularMDP
from allpass.rl.recording.transitions import Transitions

Array = NDArray[np.float64]

RULES = ("smoothing", "back-off", "neighbours", "inverse-rule")
"""What every model is compared with: predictions that nothing is trained for."""

PARTS = (16, 8, 4, 2, 1)
"""The curve has a point for each of these parts of the recording."""


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """A model of transitions, fitted on a whole recording.

    Args:
        model: The model.
        true: The process that was recorded, where it is known.
        process: The process to draw: the true one, or else the learned one.
        values: Of its states, under its best policy, ``[S]``.
        pairs: How many pairs (s, a) were left out, to be predicted from the others.
        held_out: Their scores by model: ``"mrr"``, ``"probability"`` of what followed, and total ``"variation"``.
        planning: Where the process is known, losses of policies that took none of the steps, see :func:`losses`.
        sizes: Steps at each point of the curve.
        curve: Mean total variation by model: from the true process over all pairs, or from what was recorded over the
            pairs that were left out. Empty where there is neither.
    """

    model: TransitionModel
    true: TabularMDP | None
    process: TabularMDP
    values: Array
    pairs: int
    held_out: Mapping[str, Mapping[str, float]]
    planning: Mapping[str, float]
    sizes: tuple[int, ...]
    curve: Mapping[str, tuple[float, ...]]

    def __repr__(self) -> str:
        found = self.held_out.get(self.model.kind)
        said = (
            "too few pairs to leave some out"
            if found is None
            else f"MRR {found['mrr']:.2f} on {self.pairs} pairs"
        )
        return brief(repr(self.model), said)

    def _repr_html_(self) -> str:
        return framed(page(self))


def reconstruct(
    steps: Transitions | Sequence[Transitions],
    kind: str = "hybrid",
    *,
    like: TabularMDP | None = None,
    share: float = 0.2,
    prior: float = 3.0,
    discount: float = 0.99,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Reconstruction:
    """Fit a model of transitions, and measure it next to rules that learn nothing.

    Args:
        steps: One recording, or one for each policy.
        kind: See :class:`~allpass.rl.TransitionModel`.
        like: The process that was recorded, where it is known.
        share: The share of the tried pairs that a second fit has to predict.
        prior: How many steps a prediction is worth.
        discount: Of the values, where ``like`` has none.
        seed: Decides which pairs are left out, and the training.
        on_progress: Gets the number of fits done, of :func:`fits`.
        **options: Of the model.

    Example:
        >>> from allpass.rl import TabularMDP
        >>> from allpass.rl.recording.runs import record_steps
        >>> rooms = TabularMDP.from_grid("one-way-doors")
        >>> found = reconstruct(record_steps(rooms.to_env(), 300), "inverse-rule", like=rooms)
        >>> found.pairs, found.held_out["inverse-rule"]["mrr"] > found.held_out["back-off"]["mrr"]
        (18, True)
    """
    whole_share = checked_share("share", share)
    if whole_share > 0.5:
        raise InputError(f"Got share={share}.", "Leave out at most half of the pairs: 0.5.")
    kinds = tuple(dict.fromkeys((kind, *RULES)))
    whole = TransitionCounts.of(steps, like)
    total = int(whole.tried.sum())
    sizes = tuple(dict.fromkeys(max(1, total // part) for part in PARTS))
    out = left_out(whole, whole_share, seed)
    done = 0

    def fitted(name: str, counts: TransitionCounts) -> TransitionModel:
        nonlocal done
        given = options if name == kind else {}
        model = TransitionModel(name, prior=prior, like=like, seed=seed, **given).fit_counts(counts)
        done += name == kind
        if on_progress is not None and name == kind:
            on_progress(done)
        return model

    model = fitted(kind, whole)
    shares = whole.shares.toarray()[out]
    held_out = (
        {name: scores(fitted(name, whole.without(out)).P[out], shares) for name in kinds} if out.any() else {}
    )
    rows, wanted = (out, shares) if like is None else (whole.asked, like.P.toarray()[whole.asked])
    curve: dict[str, tuple[float, ...]] = {}
    if rows.any():
        grown = TransitionCounts.growing(steps, like, sizes)
        parts = [counts.without(out) if like is None else counts for counts in grown]
        sizes = tuple(size for size, counts in zip(sizes, parts, strict=True) if counts.C.nnz)
        parts = [counts for counts in parts if counts.C.nnz]
        curve = {
            name: tuple(variation(fitted(name, counts).P[rows], wanted) for counts in parts) for name in kinds
        }
    process = model.as_mdp(discount) if like is None else like
    values = process.optimal().values
    planning = {} if like is None else losses(model, like)
    return Reconstruction(model, like, process, values, int(out.sum()), held_out, planning, sizes, curve)


def losses(model: TransitionModel, true: TabularMDP) -> dict[str, float]:
    """What a learned process gets wrong for policies that took none of the steps.

    ``"value_error"`` is the relative error of the values of the uniform policy, ``"regret"`` what the best policy of
    the learned process loses, as a share of the best value. The rewards are given: random steps hardly ever meet them.

    Args:
        model: The fitted model.
        true: The process that was recorded.
    """
    learned = TabularMDP(
        model.as_mdp(true.discount).P, true.r, true.discount, mask=true.mask, start=true.start
    )
    values, found = true.values("uniform"), learned.values("uniform")
    best = float(true.start @ true.optimal().values)
    reached = float(true.start @ true.values(learned.optimal().policy))
    return {
        "value_error": float(np.linalg.norm(found - values)) / max(float(np.linalg.norm(values)), 1e-300),
        "regret": (best - reached) / max(abs(best), 1e-300),
    }


def fits() -> int:
    """How many times :func:`reconstruct` fits its model, at most."""
    return 2 + len(PARTS)
