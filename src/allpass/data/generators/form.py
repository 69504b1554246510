"""What every generator begins and ends with: two random streams, and the standard form of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.arguments import whole_number
from allpass.data.draft import Draft, assemble
from allpass.data.generators.sampling import Ints


def streams(seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    """Two independent streams of one seed, for edges and for features: neither choice disturbs the other."""
    edges, features = np.random.SeedSequence(whole_number("seed", seed)).spawn(2)
    return np.random.default_rng(edges), np.random.default_rng(features)


def class_labels(sizes: Ints) -> Ints:
    """Labels of classes that lie one after the other, ``[N]``."""
    return np.repeat(np.arange(len(sizes)), sizes)


def finish(
    name: str,
    edge_index: Ints,
    y: npt.NDArray[Any],
    x: Any,
    *,
    recipe: Mapping[str, object],
    homophily: float | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> Data:
    """The drawn graph as ``Data``, with an account of how it was drawn.

    Args:
        name: The generator.
        edge_index: ``[2, E]``.
        y: Classes, or numbers to regress, ``[N]``.
        x: Features ``[N, F]``, dense or SciPy CSR, or nothing.
        recipe: The generator's arguments, for the record.
        homophily: The share of edges inside classes that was asked for; a note says when it was not met.
        feature_names: A name for each column of x.
        class_names: A name for each class.
    """
    account = Account()
    written = ", ".join(f"{key}={_short(value)}" for key, value in recipe.items())
    account.add(
        "generated", len(y), f"{len(y)} nodes and {edge_index.shape[1]} edges drawn by {name}({written})."
    )
    within = int((y[edge_index[0]] == y[edge_index[1]]).sum())
    real = within / max(edge_index.shape[1], 1)
    if homophily is not None and abs(real - homophily) > 5e-5:
        account.add(
            "homophily-rounded",
            edge_index.shape[1],
            f"Asked for edge homophily {homophily:.4g}; whole numbers of edges give {real:.4f}.",
            "Use the measured value; larger degrees come nearer.",
        )
    names = None if feature_names is None else list(feature_names)
    draft = Draft(len(y), edge_index, x=x, y=y, feature_names=names, account=account)
    draft.class_names = None if class_names is None else list(class_names)
    return assemble(draft, name=name, source="generator")


def _short(value: object) -> str:
    """An argument in a few letters: a dataset by its name."""
    return getattr(value, "name", None) or "Data" if isinstance(value, Data) else repr(value)
