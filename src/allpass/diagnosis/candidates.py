"""The models that a verdict compares: one row for each, in the square of what it may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from torch_geometric.data import Data

from allpass.data.structural import has_features
from allpass.errors import InputError
from allpass.models.catalog import resolve
from allpass.models.correct_and_smooth import BASE

Square = Literal["features", "structure", "both"]

SQUARES: Mapping[Square, str] = {
    "features": "features alone",
    "structure": "structure alone",
    "both": "features and structure",
}
"""What each square of the table is called."""

EPOCHS, PATIENCE = 200, 20
"""Networks are trained briefly: at most so many epochs, and so many without a lower validation loss."""

_QUICK: Mapping[str, object] = {"lr": 0.05}
"""200 epochs are few, so the learning rate is high."""


@dataclass(frozen=True)
class Candidate:
    """One model of the comparison.

    Args:
        model: Its name in ``allpass.models.MODELS``.
        settings: Where it differs from its defaults.
    """

    model: str
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def square(self) -> Square:
        """What it may read."""
        traits = resolve(self.model)[0].traits
        return (
            "features"
            if "ignores-graph" in traits
            else "structure"
            if "ignores-features" in traits
            else "both"
        )

    @property
    def is_network(self) -> bool:
        """Whether it is trained epoch by epoch."""
        traits = resolve(self.model)[0].traits
        return not traits & {"fitted-directly", "parameter-free"}

    @property
    def follows(self) -> bool:
        """Whether it mends the predictions of another model."""
        return BASE in resolve(self.model)[0].settings


_NAMES = (
    "label-propagation",
    "feature-trees",
    "feature-linear",
    "trees",
    "linear",
    "structure-trees",
    "mlp-2",
    "sage",
    "acm-gcn",
    "gprgnn",
    "gcn",
    "correct-and-smooth",
    "linkx",
    "fagcn",
    "linkx-structure",
)
_ONLY_CLASSES = {"acm-gcn"}  # ends in a ReLU, so it predicts no number below the mean


def candidates_for(data: Data, names: Sequence[str] | None = None) -> list[Candidate]:
    """The candidates that fit a graph: cheap ones first, then networks that are good on most graphs.

    Args:
        data: The graph; without features only models of the structure fit.
        names: Take these instead, by name.
    """
    if names is not None:
        if isinstance(names, str) or not names:
            raise InputError(
                f"Got candidates = {names!r}.", "Pass a list of models, such as ['trees', 'gcn']."
            )
        chosen = [_quick(name) for name in dict.fromkeys(names)]
    else:
        chosen = [_quick(name) for name in _NAMES]
        if data.y.is_floating_point():
            chosen = [one for one in chosen if one.model not in _ONLY_CLASSES]
    if not has_features(data):
        fitting = [one for one in chosen if one.square == "structure"]
        if not fitting:
            raise InputError(
                f"The graph has no features, and {chosen[0].model!r} needs some.",
                "Name candidates such as 'label-propagation', or pass features_from='degree'.",
            )
        return fitting
    return chosen


def _quick(name: str) -> Candidate:
    candidate = Candidate(name)
    return Candidate(name, _QUICK) if candidate.is_network else candidate
