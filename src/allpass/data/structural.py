"""Features for a graph that has none, made from its structure."""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.draft import many, some
from allpass.data.fingerprint import fingerprint
from allpass.errors import DataError, InputError, UnknownNameError, did_you_mean
from allpass.graph import ROLES, Operator, node_roles, spectral_positions

POSITIONS = 32
"""Columns of ``features_from="position"``."""

_CONSTANT = "the same for every node"
_IDENTITY = "is node "
_MADE = {"identity": re.compile(_IDENTITY), "position": re.compile(r"position \d+ in graph [0-9a-f]{8}$")}
_Features = tuple[Tensor, list[str], str]


def with_structural_features(data: Data, how: str) -> Data:
    """The same graph with features made from its structure; what it had before is replaced.

    Args:
        data: A loaded graph.
        how: ``"identity"``: a 0/1 column for each node, stored sparsely; the model then knows these nodes alone.
            ``"degree"``: the five numbers of :func:`~allpass.graph.node_roles`, which mean the same on every graph.
            ``"position"``: 32 columns of :func:`~allpass.graph.spectral_positions`, which mean something in this
            graph alone.

    Example:
        >>> import networkx as nx
        >>> from allpass.data import load
        >>> data = with_structural_features(load(nx.path_graph(4)), "degree")
        >>> data.x.shape, data.feature_names[0]
        (torch.Size([4, 5]), 'log degree')
    """
    if how not in FEATURES_FROM:
        raise UnknownNameError(f"Got features_from={how!r}.", did_you_mean(str(how), FEATURES_FROM))
    before = 0 if data.get("x") is None else int(data.x.shape[1])
    made = copy.copy(data)
    made.x, made.feature_names, words = FEATURES_FROM[how](data)
    replaced = f" They replace {many(before, 'feature')} of the data." if before else ""
    made.account = Account()
    for note in data.get("account") or ():
        if note.code not in ("no-features", "features-from"):
            made.account.add(note.code, note.count, note.what, note.cure)
    made.account.add(
        "features-from",
        made.x.shape[1],
        f"Features were made from the structure (features_from={how!r}): {words}.{replaced}",
    )
    made.fingerprint = fingerprint(made)
    return made


def has_features(data: Data) -> bool:
    """Whether nodes have features."""
    x = data.get("x")
    return x is not None and not (isinstance(x, Tensor) and x.dim() == 2 and not x.shape[1])


def with_constant_feature(data: Data) -> Data:
    """The same graph; one without features gets a column of ones, for models that read the structure alone."""
    if has_features(data):
        return data
    filled = copy.copy(data)
    filled.x, filled.feature_names = torch.ones(int(data.num_nodes), 1), [_CONSTANT]
    return filled


def with_features_like(data: Data, names: Sequence[str] | None) -> Data:
    """The same graph; one without features gets those that a training had made from the structure.

    Args:
        data: A graph.
        names: The names of the features of the training.
    """
    how = made_by(names)
    if not how or data.get("x") is not None:
        return data
    return with_constant_feature(data) if how == "constant" else with_structural_features(data, how)


def made_by(names: Sequence[str] | None) -> str:
    """The ``features_from`` that made features of these names, or ``"constant"``; empty where none did."""
    if not names:
        return ""
    if tuple(names) == (_CONSTANT,):
        return "constant"
    if tuple(names) == ROLES:
        return "degree"
    return next((how for how, made in _MADE.items() if all(map(made.match, names))), "")


def check_same_nodes(names: Sequence[str] | None, wanted: Sequence[str] | None) -> None:
    """Raise where features that mean something on one graph alone meet another graph.

    Args:
        names: The names of the features of a graph.
        wanted: Those of the graph that a model was trained on.
    """
    how = made_by(wanted)
    if how not in ("identity", "position") or wanted is None:
        return
    cure = "Predict the graph of the training, or train with features_from='degree', which fits any graph."
    known = set(wanted)
    strangers = [name for name in names or () if name not in known]
    if how == "position" and (strangers or not names):
        raise InputError(
            "The model was trained on positions in one graph; positions in another cannot be compared with them.",
            cure,
        )
    missing = len(known) - (len(set(names or ())) - len(strangers))
    if strangers or missing:
        new = some([name.removeprefix(_IDENTITY) for name in strangers])
        what = f"It does not know {new}" if strangers else f"{many(missing, 'node')} of them are missing"
        raise InputError(
            f"The model was trained with a column for each of its {many(len(wanted), 'node')}. {what}.", cure
        )


def _identity(data: Data) -> _Features:
    N = int(data.num_nodes)
    places = torch.arange(N + 1)
    x = torch.sparse_csr_tensor(places, places[:-1], torch.ones(N), size=(N, N), check_invariants=False)
    ids = data.get("node_ids") or map(str, range(N))
    return (
        x,
        [f"{_IDENTITY}{node}" for node in ids],
        "a 0/1 column for each node, so models know these nodes alone",
    )


def _degree(data: Data) -> _Features:
    return node_roles(_undirected(data)), list(ROLES), ", ".join(ROLES)


def _position(data: Data) -> _Features:
    x = spectral_positions(_undirected(data), POSITIONS)
    if not x.shape[1]:
        raise DataError(
            "The graph has no edges, so its nodes have no positions.", "Pass features_from='identity'."
        )
    graph = hashlib.sha256(data.edge_index.contiguous().numpy().tobytes()).hexdigest()[:8]
    names = [f"position {k + 1} in graph {graph}" for k in range(x.shape[1])]
    return x, names, f"{many(x.shape[1], 'leading eigenvector')} of the normalised adjacency"


def _undirected(data: Data) -> Operator:
    """The graph without direction and weights, self-loops left out."""
    edges = data.edge_index[:, data.edge_index[0] != data.edge_index[1]]
    A = Operator.from_edge_index(edges, None, int(data.num_nodes), dtype=torch.float32)
    return Operator(A.pattern, torch.ones_like(A.values)).symmetrized()


FEATURES_FROM: dict[str, Callable[[Data], _Features]] = {
    "identity": _identity,
    "degree": _degree,
    "position": _position,
}
"""The ways to make features, by name."""
