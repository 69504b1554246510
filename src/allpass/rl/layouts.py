"""Transition probabilities and rewards as people keep them, to a row for each state and action."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError

Layout = Literal["SA,S", "A,S,S", "S,A,S"]


def stack_rows(blocks: Any, layout: Layout, what: str) -> Any:
    """Numbers by state, action and next state as a sparse matrix ``[S*A, S]`` with row ``s*A + a``.

    Args:
        blocks: An array or sparse matrix of two dimensions, or an array of three, or a sequence of matrices.
        layout: Names the axes of ``blocks``: ``"SA,S"``, ``"A,S,S"`` or ``"S,A,S"``.
        what: What the numbers are, for messages.
    """
    if layout not in get_args(Layout):
        raise InputError(
            f"Got the layout {layout!r}.", f"Expected one of {', '.join(map(repr, get_args(Layout)))}."
        )
    if layout == "SA,S":
        if not sp.issparse(blocks):
            blocks = _array(blocks, what)
        if blocks.ndim != 2:
            raise InputError(
                f"Got {what} of shape {list(blocks.shape)} with layout 'SA,S'.",
                "Expected [S*A, S]; name another order of the axes by layout='A,S,S' or 'S,A,S'.",
            )
        return sp.csr_array(blocks, dtype=np.float64, copy=True)
    if sp.issparse(blocks) or not np.iterable(blocks):
        raise InputError(
            f"Got {what} as one {type(blocks).__name__} with layout {layout!r}.",
            "Expected an array of three dimensions or a list of matrices.",
        )
    parts = [sp.csr_array(part if sp.issparse(part) else _array(part, what)) for part in blocks]
    shapes = {part.shape for part in parts}
    if len(shapes) != 1 or len(next(iter(shapes))) != 2:
        raise InputError(
            f"Got {what} in {len(parts)} parts of shapes {', '.join(map(str, sorted(shapes))) or 'none'}.",
            f"Expected matrices of one shape for layout {layout!r}.",
        )
    rows = sp.csr_array(sp.vstack(parts, format="csr"), dtype=np.float64)
    if layout == "S,A,S":
        return rows
    num_states = parts[0].shape[0]
    order = np.arange(len(parts) * num_states).reshape(len(parts), num_states).T.ravel()
    return rows[order]


def expected_rewards(
    rewards: Any, transitions: Any, num_actions: int, layout: Layout
) -> tuple[NDArray[np.float64], Any]:
    r"""The vector :math:`r_{(sa)} = \sum_{s'} P_{sa,s'} \, r(s, a, s')`, ``[S*A]``, and r(s, a, s') where it was given.

    Args:
        rewards: ``[S*A]``, ``[S, A]``, or a number a transition in the layout of the transitions.
        transitions: P, ``[S*A, S]``.
        num_actions: A.
        layout: Of the transitions as given.
    """
    pairs, num_states = transitions.shape
    several = not sp.issparse(rewards) and np.ndim(rewards) == 3
    listed = isinstance(rewards, (list, tuple)) and any(sp.issparse(part) for part in rewards)
    if sp.issparse(rewards) or several or listed:
        table = stack_rows(rewards, layout, "rewards")
        if table.shape != transitions.shape:
            raise _wrong_shape(table.shape, num_states, num_actions)
        return np.asarray(transitions.multiply(table).sum(axis=1)).ravel(), table
    array = _array(rewards, "rewards")
    if array.shape in ((pairs,), (num_states, num_actions)):
        return array.reshape(-1).copy(), None
    if array.shape == transitions.shape:
        return np.asarray(transitions.multiply(array).sum(axis=1)).ravel(), sp.csr_array(array)
    raise _wrong_shape(array.shape, num_states, num_actions)


def _array(numbers: Any, what: str) -> NDArray[np.float64]:
    try:
        return np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"The {what} are not an array of numbers: {error}.", "Give an array.") from error


def _wrong_shape(shape: tuple[int, ...], num_states: int, num_actions: int) -> InputError:
    return InputError(
        f"Got rewards of shape {list(shape)} for {num_states} states and {num_actions} actions.",
        f"Expected [{num_states}, {num_actions}], [{num_states * num_actions}], or the shape of the transitions.",
    )
