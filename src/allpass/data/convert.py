"""Graphs that are already in memory: NetworkX's and PyG's, in the standard form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.arrays import as_array
from allpass.data.draft import Draft, both_ways, some, splits_of_masks
from allpass.data.fingerprint import fingerprint
from allpass.data.repairs.repair import checked
from allpass.data.splits import Split
from allpass.data.tables.columns import unfilled
from allpass.data.tables.encodings import Encoding
from allpass.data.tables.label_column import missing_values
from allpass.data.tables.node_table import Columns, read_nodes
from allpass.data.tables.tabular import Table, import_pandas
from allpass.errors import DataError, InputError

Array = NDArray[Any]

_MASKS = {"train": "train_mask", "val": "val_mask", "test": "test_mask"}
_STANDARD = {"edge_index", "edge_weight", "edge_attr", "x", "y", "num_nodes", "name", "source", "fingerprint"}
_STANDARD |= {
    "class_names",
    "feature_names",
    "node_ids",
    "account",
    "stored_splits",
    "roles",
    "encodings",
    *_MASKS.values(),
}


def from_networkx(
    graph: Any,
    *,
    label: str | bool | None = None,
    features: Columns = None,
    drop: Columns = None,
    numbers: Columns = None,
    categories: Columns = None,
    text: Columns = None,
    encodings: Sequence[Encoding] | None = None,
    weight: str | bool | None = None,
    nan: str = "median",
    max_categories: int = 50,
    missing_labels: str | Sequence[str] | None = None,
    task: str | None = None,
    name: str | None = None,
) -> Data:
    """From a NetworkX graph; an undirected one is stored in both directions.

    Node attributes are read like the columns of a node table: ``label`` (or ``y``, ``class``, ``target``) is the
    label, the others are features; an attribute may also be a vector.

    Args:
        graph: ``Graph``, ``DiGraph`` or a multigraph; its node order is kept.
        label: Attribute that holds the label; ``False`` for none.
        features: Attributes to use, one name or several; by default all others.
        drop: As in :func:`~allpass.data.tables.from_tables.from_tables`, as are the next four.
        numbers: Attributes to use as numbers.
        categories: Attributes to spread over 0/1 columns.
        text: Attributes whose words become features.
        encodings: How attributes of an earlier graph became features.
        weight: Edge attribute that holds weights, by default ``"weight"`` where any edge has it; ``False`` for none.
            An edge without the attribute weighs 1.
        nan: As in :func:`~allpass.data.tables.from_tables.from_tables`.
        max_categories: As in :func:`~allpass.data.tables.from_tables.from_tables`.
        missing_labels: As in :func:`~allpass.data.tables.from_tables.from_tables`.
        task: ``"classification"`` or ``"regression"``; by default what the labels suggest.
        name: The graph's name, by default its own.
    """
    order = list(graph.nodes)
    account = Account()
    if any(attributes for _, attributes in graph.nodes(data=True)):
        table = Table(_attribute_frame(graph), "table of node attributes")
        draft = read_nodes(
            table,
            account,
            label=label,
            features=features,
            id_column=_ID,
            drop=drop,
            numbers=numbers,
            categories=categories,
            text=text,
            encodings=encodings,
            nan=nan,
            max_categories=max_categories,
            missing_labels=missing_values(missing_labels),
        )
    else:
        named = {"label": label, "features": features, "drop": drop, "numbers": numbers}
        for option, value in {**named, "categories": categories, "text": text}.items():
            if value:
                raise DataError(
                    f"Got {option}={value!r}, but the nodes have no attributes.", "Add them first."
                )
        draft = Draft(len(order), np.zeros((2, 0), dtype=np.int64), account=account)
    draft.node_ids = [str(node) for node in order]
    draft.roles = tuple(role for role in draft.roles if role.column != _ID)
    draft.encodings = tuple(encoding for encoding in draft.encodings if encoding.column != _ID)
    _add_networkx_edges(draft, graph, {node: place for place, node in enumerate(order)}, weight)
    title = name or str(graph.name or "networkx")
    negative = missing_labels is not None
    return checked(
        draft, name=title, source="NetworkX", nan=unfilled(nan), task=task, signs=True, negative=negative
    )


def from_pyg(data: Data, *, nan: str | None = None, task: str | None = None, name: str | None = None) -> Data:
    """From PyG's ``Data``; one that allpass loaded and nobody changed comes back as it is.

    Masks ``[N]`` or ``[N, S]`` become the splits ``"stored"``; ``edge_weight``, or an ``edge_attr`` with one number for
    each edge, becomes the weight. Everything else is left out, with a note.

    Args:
        data: A homogeneous graph with ``edge_index``.
        nan: NaN features: ``"error"`` (the default), ``"zero"`` or ``"mean"``.
        task: ``"classification"`` or ``"regression"``; by default what the labels suggest.
        name: The graph's name, by default its own.
    """
    if not isinstance(data, Data):
        raise InputError(
            f"Got {type(data).__name__}, expected PyG's Data.",
            "Of a dataset pass one graph: dataset[0]; of a HeteroData pass data.to_homogeneous().",
        )
    if isinstance(data.get("account"), Account) and data.get("fingerprint") == fingerprint(data):
        return data
    if not isinstance(data.get("edge_index"), Tensor):
        raise DataError(
            f"The graph has no edge_index; it has {', '.join(sorted(data.keys())) or 'nothing'}.",
            "Set data.edge_index, a tensor [2, E].",
        )
    draft = Draft(
        _num_nodes(data), as_array(data.edge_index), x=as_array(data.get("x")), y=as_array(data.get("y"))
    )
    draft.edge_weight = _edge_weight(data, draft.account)
    for key in ("class_names", "feature_names", "node_ids"):
        if isinstance(names := data.get(key), (list, tuple)):
            setattr(draft, key, [str(item) for item in names])
    draft.splits = _splits(data, draft.num_nodes)
    others = sorted(set(data.keys()) - _STANDARD)
    draft.account.add(
        "left-out-attributes", len(others), f"Other attributes of the graph were left out: {some(others)}."
    )
    title = name or str(data.get("name") or "graph")
    source = str(data.get("source") or "PyG")
    return checked(draft, name=title, source=source, nan=nan, task=task)


_ID = "node id"


def _attribute_frame(graph: Any) -> Any:
    pd = import_pandas("Reading node attributes")
    rows = [attributes for _, attributes in graph.nodes(data=True)]
    frame = {_ID: list(range(len(rows)))}
    for key in dict.fromkeys(key for row in rows for key in row):
        values = [row.get(key) for row in rows]
        if any(isinstance(value, (list, tuple, np.ndarray, Tensor)) for value in values):
            frame.update(_vector_columns(str(key), values))
        else:
            frame[f"{key} " if str(key) == _ID else str(key)] = values
    return pd.DataFrame(frame)


def _vector_columns(name: str, values: list[Any]) -> dict[str, Any]:
    lengths = {
        len(value) for value in values if value is not None and not isinstance(value, (int, float, str))
    }
    scalars = sum(isinstance(value, (int, float, str)) for value in values)
    if len(lengths) > 1 or scalars:
        raise DataError(
            f"The node attribute {name!r} holds vectors of different lengths.",
            "Expected one length for all nodes.",
        )
    length = lengths.pop()
    rows = [[np.nan] * length if value is None else list(value) for value in values]
    matrix = np.asarray(rows, dtype=np.float64)
    return {f"{name}[{k}]": matrix[:, k] for k in range(length)}


def _add_networkx_edges(draft: Draft, graph: Any, place: dict[Any, int], weight: str | bool | None) -> None:
    attribute = weight if isinstance(weight, str) else "weight"
    triples = [(place[u], place[v], given) for u, v, given in graph.edges(data=attribute)]
    ends = np.array([triple[:2] for triple in triples], dtype=np.int64).reshape(-1, 2).T
    given = [triple[2] for triple in triples]
    draft.edge_index = ends
    if isinstance(weight, str) and triples and all(value is None for value in given):
        raise DataError(
            f"No edge has the attribute {weight!r}.", "Name another with weight=, or pass weight=False."
        )
    if weight is not False and any(value is not None for value in given):
        try:
            draft.edge_weight = np.array(
                [1.0 if value is None else value for value in given], dtype=np.float64
            )
        except (TypeError, ValueError):
            raise DataError(
                f"The edge attribute {attribute!r} is not a number everywhere.",
                "Pass weight=False to ignore it.",
            ) from None
    if not graph.is_directed():
        both_ways(draft)


def _num_nodes(data: Data) -> int:
    stored = data._store.get("num_nodes")
    if stored is not None:
        return int(stored)
    for key in ("x", "y", "train_mask"):
        if isinstance(tensor := data.get(key), Tensor):
            return int(tensor.shape[0])
    return int(data.edge_index.max()) + 1 if data.edge_index.numel() else 0


def _edge_weight(data: Data, account: Account) -> Array | None:
    weight = data.get("edge_weight")
    attributes = data.get("edge_attr")
    if weight is None and isinstance(attributes, Tensor) and attributes.numel() == attributes.shape[0]:
        weight = attributes.reshape(-1)
    elif isinstance(attributes, Tensor):
        account.add(
            "left-out-edge-features",
            attributes.shape[0],
            f"edge_attr of shape {list(attributes.shape)} was left out.",
            "Set data.edge_weight to use one number for each edge.",
        )
    return None if weight is None else np.asarray(as_array(weight))


def _splits(data: Data, num_nodes: int) -> dict[str, list[Split]]:
    stored = data.get("stored_splits")
    splits = dict(stored) if isinstance(stored, dict) else {}
    masks = {
        part: np.asarray(as_array(data[key])) for part, key in _MASKS.items() if data.get(key) is not None
    }
    if masks:
        splits["stored"] = splits_of_masks(masks, num_nodes)
    return splits
