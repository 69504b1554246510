"""Graphs and tables as a trained model wants them: columns as in its training, new nodes beside those it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.load import load
from allpass.data.named.catalog import DATASETS
from allpass.data.structural import made_by
from allpass.data.tables.encodings import of_kind
from allpass.data.tables.from_tables import UnknownNodesError
from allpass.data.tables.newcomers import OF_TRAININGS
from allpass.data.tables.node_table import NoLabelColumnError
from allpass.errors import InputError
from allpass.train.newcomers import joined

if TYPE_CHECKING:
    from allpass.train.trained import Trained


def read(
    trained: Trained,
    target: Any = None,
    *,
    edges: Any = None,
    nodes: Any = None,
    new: Any = None,
    **options: Any,
) -> Data:
    """The graph that a model is asked about.

    Args:
        trained: The model.
        target: Anything that :func:`allpass.load` takes; with nothing at all the graph of the training.
        edges: Edge table of ``nodes`` or of ``new``.
        nodes: Node table of another graph.
        new: Table of new nodes, which are joined to the graph of the training, or to ``target`` where that is given.
        **options: Of :func:`allpass.load`; of the new nodes where there are some.
    """
    given = {name: value for name, value in options.items() if value is not None}
    _check_label(trained, given.get("label"))
    if new is not None:
        if nodes is not None:
            raise InputError(
                "Got both nodes= and new=.", "Pass new= and edges= for nodes that link to the training."
            )
        both = {"undirected": given["undirected"]} if target is not None and "undirected" in given else {}
        graph = trained.training_graph if target is None else read(trained, target, **both)
        return joined(trained, graph, new, edges, **given)
    if target is None and edges is None and nodes is None:
        known = {"label"} if of_kind(trained.encodings, "label") else set()
        if stray := sorted(set(given) - known):
            raise InputError(f"Got {stray[0]}= but no graph to read.", "Leave it out, or pass a graph.")
        return trained.training_graph
    if target is None and nodes is None and not made_by(trained.feature_names):
        raise InputError(
            "Got edges= but no nodes, whose features the model reads.",
            "Pass new= for new nodes that link to those of the training, or nodes= for another graph.",
        )
    if isinstance(target, Data) and not given:
        return target
    if not (isinstance(target, str) and target in DATASETS):
        given.setdefault("task", "regression" if trained.task == "regression" else "classification")
    if trained.encodings:
        given["encodings"] = trained.encodings
    try:
        return _loaded(target, edges, nodes, given)
    except NoLabelColumnError:  # new nodes may have none
        return _loaded(target, edges, nodes, {**given, "label": False})
    except UnknownNodesError as error:
        if trained.graph is None:
            raise
        raise InputError(
            error.problem,
            "Where these are nodes of the training, pass the node table with new= in place of nodes=; otherwise pass "
            "unknown_nodes='drop' to leave these edges out.",
        ) from error


def _loaded(target: Any, edges: Any, nodes: Any, options: dict[str, Any]) -> Data:
    """The graph, with the notes that matter for a prediction."""
    data = load(target, edges=edges, nodes=nodes, **options)
    notes = [note for note in data.account if note.code not in OF_TRAININGS]
    data.account = Account()
    data.account.extend(notes)
    return data


def _check_label(trained: Trained, label: object) -> None:
    """Raise for a label column that is not the one of the training."""
    known = of_kind(trained.encodings, "label")
    if isinstance(label, str) and known is not None and label != known.column:
        raise InputError(
            f"Got label={label!r}; the model was trained on the label {known.column!r}.",
            "Leave the option out, or train a model on the other label.",
        )
