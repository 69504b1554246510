"""Features that come in parts: a product with their concatenation that never puts them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeGuard, cast

from torch import Tensor

from allpass.errors import InputError
from allpass.graph.linear import LinearMap
from allpass.nn.inputs import Features, as_features
from allpass.nn.linear import check_fit, times

Parts: TypeAlias = Features | Sequence[Features]
"""``[N, F]``, or several ``[N, F_i]`` that stand for their concatenation."""


def as_parts(x: Parts, width: int) -> list[Features]:
    """The parts, a list or tuple of them or one alone, when their widths add up to ``width``."""
    given = cast(Sequence[Features], x if isinstance(x, list | tuple) else [x])
    parts = [as_features(part) for part in given]
    shapes = [tuple(part.shape) for part in parts]
    fits = all(len(shape) == 2 and shape[0] == shapes[0][0] for shape in shapes)
    if not shapes or not fits or sum(shape[1] for shape in shapes) != width:
        raise InputError(
            f"Got features of shape {', '.join(str(list(shape)) for shape in shapes) or 'none'} for a layer of "
            f"{width} in_channels.",
            f"Expected [N, {width}], or parts [N, F_i] with widths that add up to {width}.",
        )
    return parts


def multiply_parts(parts: Sequence[Features], weight: Tensor) -> Tensor:
    """[X_1, X_2, ...] W: each part meets its own rows of W, so sparse parts stay sparse."""
    if len(parts) == 1:  # splitting would copy the gradient of the whole weight
        return times(parts[0], weight)
    blocks = weight.split([part.shape[1] for part in parts])
    product = times(parts[0], blocks[0])
    for part, block in zip(parts[1:], blocks[1:], strict=True):
        product = product + times(part, block)
    return product


def filter_parts(low: LinearMap, parts: Sequence[Features], weight: Tensor) -> Tensor:
    """P [X_1, X_2, ...] W, in the order that sends fewer columns over the edges."""
    if not narrow(parts, weight.shape[1]):
        return low @ multiply_parts(parts, weight)
    for part in parts:
        check_fit(part, part.shape[1], weight.dtype)
    return multiply_parts([low @ part for part in parts], weight)


def narrow(parts: Sequence[Features], width: int) -> TypeGuard[Sequence[Tensor]]:
    """Whether features are dense and of fewer columns than what a layer makes of them: then filters come first.

    Sparse ones would be filled by a filter, and dense ones cost least where they are narrowest.
    """
    return sum(part.shape[1] for part in parts) < width and all(isinstance(part, Tensor) for part in parts)
