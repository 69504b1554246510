"""How much the classes count in the loss of the training nodes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from allpass.errors import InputError, did_you_mean

CLASS_WEIGHTS = {
    "none": "Every training node counts the same.",
    "balanced": "A node of class c counts N / (C n_c): all classes count the same together.",
}
"""The ways to weigh classes, in words."""

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


def check_class_weight(name: str | None, task: str) -> str:
    """The name of a way to weigh classes, ``None`` being ``"none"``; refused where it is unknown or has no meaning.

    Args:
        name: A name of ``CLASS_WEIGHTS``.
        task: What is learnt.
    """
    name = "none" if name is None else name
    if str(name) not in CLASS_WEIGHTS:
        raise InputError(f"Got class_weight={name!r:.60}.", did_you_mean(str(name), CLASS_WEIGHTS))
    if name != "none" and task == "regression":
        raise InputError(
            f"Got class_weight={name!r} for the task 'regression', which has no classes.",
            "Leave class_weight out, or load the labels as classes.",
        )
    return name


def balanced(target: Tensor, weight: Tensor, classes: int) -> Tensor:
    r"""The weight :math:`w_i N / (C n_{y_i})` of every node, pure, to be called under vmap.

    N is the sum of the weights, :math:`n_c` their sum over class c, and C the number of classes that occur. For
    training nodes of weight 1 this is scikit-learn's ``class_weight="balanced"``.

    Args:
        target: Classes ``[N]``, negative where missing.
        weight: Float ``[N]``; 0 for nodes that do not count.
        classes: How many classes there may be.

    Example:
        >>> balanced(torch.tensor([0, 0, 0, 1, -1]), torch.tensor([1.0, 1.0, 1.0, 1.0, 1.0]), 3)
        tensor([0.6667, 0.6667, 0.6667, 2.0000, 0.0000])
    """
    known = torch.where(target >= 0, weight, 0)
    index = target.long().clamp(min=0)
    sizes = known.new_zeros(classes).index_add(0, index, known)
    each = known.sum() / (sizes > 0).sum().clamp(min=1)  # the weight of a class together
    return known * (each / torch.where(sizes > 0, sizes, 1))[index]


def weighted(loss: Loss, class_weight: str, sample_weight: Tensor | None = None) -> Loss:
    """A loss in which classes and nodes count as they are weighed.

    Args:
        loss: ``loss(output [N, C], target, weight [N])`` of one replica.
        class_weight: How classes count, a name of ``CLASS_WEIGHTS``.
        sample_weight: How much each node counts, ``[N]``.
    """
    if class_weight == "none" and sample_weight is None:
        return loss

    def of_weighted(output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        weight = weight if sample_weight is None else weight * sample_weight
        if class_weight == "balanced":
            weight = balanced(target, weight, max(output.shape[-1], 2))  # one logit is of two classes
        return loss(output, target, weight)

    return of_weighted
