"""Label propagation: the bar that the graph alone sets."""

from __future__ import annotations

from allpass.models.entry import Model
from allpass.nn.inputs import Filter
from allpass.nn.label_propagation import ZHOU, LabelPropagation


def label_propagation(
    in_channels: int,  # noqa: ARG001 - called like every model
    out_channels: int,
    *,
    num_layers: int = 50,
    alpha: float = 0.9,
    filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
    clamp: bool = False,
    clip: bool = False,
) -> LabelPropagation:
    """Nothing to train: the labels of the training nodes spread over the edges; the scores stand for logits.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        num_layers: Steps that labels travel.
        alpha: Share of the neighbours in every step, from 0 to 1.
        filter: The matrix that labels travel along, a name of ``allpass.graph.MATRICES``.
        clamp: After every step set the training nodes back to their labels.
        clip: After every step cut the scores to [0, 1].
    """
    return LabelPropagation(
        out_channels, num_layers=num_layers, alpha=alpha, filter=filter, clamp=clamp, clip=clip
    )


ENTRIES = (
    Model(
        "label-propagation",
        label_propagation,
        "spreads the training labels over the edges; no features, no weights",
        ZHOU,
        space={"alpha": (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99), "filter": ("A_sym", "A_rw")},
        training={},
        traits=frozenset({"parameter-free", "uses-labels", "ignores-features"}),
        aliases=("lp",),
    ),
)
