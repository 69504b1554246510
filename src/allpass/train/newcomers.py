"""New nodes joined to the graph of a training, so that a model sees them among their neighbours."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.draft import many, some, sparse_tensor
from allpass.data.fingerprint import fingerprint
from allpass.data.repairs.edges import merge_duplicates
from allpass.data.structural import made_by
from allpass.data.tables.encodings import FEATURES
from allpass.data.tables.newcomers import read_newcomers
from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.train.alignment import aligned
from allpass.train.places import ids_of

if TYPE_CHECKING:
    from allpass.train.trained import Trained

_OPTIONS = frozenset(inspect.signature(read_newcomers).parameters) - {"nodes", "edges", "encodings", "known"}


def joined(
    trained: Trained,
    graph: Data,
    new: Any,
    edges: Any = None,
    *,
    unknown_nodes: str = "error",
    **options: Any,
) -> Data:
    """The graph with new nodes after its own; ``asked`` holds the numbers of the nodes of the new table.

    A node of the new table that the graph has already stays where it is, and gets the features of the new table.

    Args:
        trained: The model that is to predict.
        graph: The graph of its training.
        new: Path of the table of new nodes, or a pandas frame.
        edges: Path of a table of edges between nodes of both, or a frame; without it the new nodes stand alone.
        unknown_nodes: Edges to nodes of neither: ``"error"``, or ``"drop"`` to leave them out.
        **options: Of :func:`~allpass.data.tables.newcomers.read_newcomers`.
    """
    if unknown_nodes not in ("error", "drop"):
        raise InputError(f"Got unknown_nodes={unknown_nodes!r} for new nodes.", "Expected 'error' or 'drop'.")
    if stray := sorted(set(options) - _OPTIONS):
        raise InputError(
            f"The option {stray[0]!r} does not apply to new nodes, whose columns are read as in the training.",
            f"These do: {', '.join(sorted(_OPTIONS))}.",
        )
    ids, encodings = ids_of(graph), trained.encodings
    made = bool(made_by(trained.feature_names))
    if made:  # features of the structure follow from the whole graph, whatever the columns of the tables
        encodings = tuple(encoding for encoding in encodings if encoding.kind not in FEATURES)
    found = read_newcomers(new, edges, encodings=encodings, known=set(ids), **options)
    nodes, account = found.nodes, found.account
    number = {name: place for place, name in enumerate(ids)}
    known = [name for name in nodes.node_ids if name in number]
    are = "is" if len(known) == 1 else "are"
    for name in nodes.node_ids:
        number.setdefault(name, len(number))
    asked = torch.tensor([number[name] for name in nodes.node_ids])
    account.add(
        "known-nodes",
        len(known),
        f"{many(len(known), 'node')} of the new table {are} in the training graph already and "
        f"got the features of the new table: {some(known, 3)}.",
    )
    links = found.positions(number, unknown_nodes)
    alone = np.setdiff1d(np.arange(len(ids), len(number)), links.edges).size
    account.add(
        "isolated",
        alone,
        f"{many(alone, 'new node has', 'new nodes have')} no edge: the model sees their own features alone.",
    )
    data = Data(num_nodes=len(number))
    data.edge_index, data.edge_weight = _edges(graph, links.edges, links.weight, len(number), account)
    data.node_ids = [*number]
    data.y = _labels(trained, graph, nodes, asked, len(number), account)
    if not made:
        data.x = _features(trained, graph, nodes, asked, len(number))
    for key in ("feature_names", "class_names"):
        if data.get("x") is not None and getattr(trained, key) is not None:
            data[key] = list(getattr(trained, key))
    if trained.class_names is not None:
        data.class_names = list(trained.class_names)
    data.encodings, data.account, data.asked = trained.encodings, account, asked
    places = trained.places(graph)
    if places is not None:
        new = torch.full((len(number) - len(ids),), -1)
        data.known_places = (trained.nodes, torch.cat([places, new]))  # of a graph that may not be kept
    data.name, data.source, data.stored_splits = graph.get("name") or "", "training graph and new nodes", {}
    data.fingerprint = fingerprint(data)
    return data


def _edges(
    graph: Data, links: Any, weight: Any, num_nodes: int, account: Account
) -> tuple[Tensor, Tensor | None]:
    old = graph.get("edge_weight")
    if old is not None and weight is None and links.shape[1]:
        raise InputError(
            "The edges of the training have weights, and the edges of the new nodes have none.",
            "Add a column 'weight' to the edge table.",
        )
    if old is None and weight is not None:
        account.add(
            "ignored-weights",
            len(weight),
            "The edges of the training have no weights: those of the new were ignored.",
        )
    edges = np.concatenate([graph.edge_index.numpy(), links], axis=1)
    weights = None
    if old is not None:
        weights = np.concatenate([old.numpy().astype(np.float64), *([] if weight is None else [weight])])
    edges, weights = merge_duplicates(edges, weights, num_nodes, account)
    kept = None if weights is None or old is None else torch.from_numpy(weights).to(old.dtype)
    return torch.from_numpy(np.ascontiguousarray(edges)), kept


def _labels(
    trained: Trained, graph: Data, nodes: Data, asked: Tensor, num_nodes: int, account: Account
) -> Tensor | None:
    old = graph.get("y")
    if old is None:
        return None
    missing = torch.nan if old.is_floating_point() else -1
    y = torch.full((num_nodes, *old.shape[1:]), missing, dtype=old.dtype)
    y[: len(old)] = old
    names = nodes.get("class_names") or ()
    strange = [name for name in names if trained.class_names is not None and name not in trained.class_names]
    if strange:
        account.add(
            "unknown-classes",
            len(strange),
            f"The labels of the new nodes were ignored: the model does not know the class {strange[0]!r}.",
        )
    elif nodes.get("y") is not None:
        new = trained.labels_of(nodes).to(old.dtype)
        known = ~new.isnan() if new.is_floating_point() else new >= 0
        y[asked[known]] = new[known]
    return y


def _features(trained: Trained, graph: Data, nodes: Data, asked: Tensor, num_nodes: int) -> Tensor:
    for what, side in (("graph", graph), ("table of new nodes", nodes)):
        if side.get("x") is None:
            raise InputError(
                f"The {what} has no features.", "Give the columns that the model was trained on."
            )
    sides = [
        aligned(one.x, one.get("feature_names"), trained.in_channels, trained.feature_names, trained.fills)
        for one in (graph, nodes)
    ]
    if all(x.layout == torch.strided for x in sides):
        dtype = torch.promote_types(sides[0].dtype, sides[1].dtype)
        x = torch.zeros(num_nodes, trained.in_channels, dtype=dtype)
        x[: len(sides[0])], x[asked] = sides[0].to(dtype), sides[1].to(dtype)
        return x
    old, new = (sp.csr_array(Operator.from_sparse(x.to_sparse_csr()).to_scipy()) for x in sides)
    row = np.arange(num_nodes)
    row[asked.numpy()] = old.shape[0] + np.arange(new.shape[0])
    both = sp.vstack([old, new], "csr")[row]
    return sparse_tensor(both, precise=torch.float64 in (sides[0].dtype, sides[1].dtype))
