"""The one door: a name, a file, a folder or an object becomes a graph."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import scipy.sparse as sp
from torch_geometric.data import Data, Dataset

from allpass.data.arrays import from_arrays, from_scipy
from allpass.data.convert import from_networkx, from_pyg
from allpass.data.draft import some
from allpass.data.files import READERS
from allpass.data.structural import with_structural_features
from allpass.data.tables.encodings import Encoding
from allpass.data.tables.from_tables import from_tables
from allpass.data.tables.node_table import Columns
from allpass.data.tables.tabular import TABLE_SUFFIXES
from allpass.errors import DataError, InputError, MissingFileError, UnknownNameError, did_you_mean
from allpass.files import check_readable
from allpass.registry import canonical


class Options(TypedDict, total=False):
    """What can be said about a graph; :func:`load` lists which option belongs to which kind of target."""

    label: str | bool | None
    features: Columns
    id_column: str | bool | None
    drop: Columns
    numbers: Columns
    categories: Columns
    text: Columns
    encodings: Sequence[Encoding] | None
    source_column: str | None
    target_column: str | None
    weight: str | bool | None
    undirected: bool
    unknown_nodes: str
    max_categories: int
    missing_labels: str | Sequence[str]
    nan: str | None
    task: str
    x: Any
    y: Any
    edge_weight: Any
    weighted: bool | None
    name: str
    data_dir: str | Path | None
    unlabelled: str
    features_from: str | None


_ARRAYS = {"nan", "task", "name"}
_COLUMNS = {
    "label",
    "features",
    "drop",
    "numbers",
    "categories",
    "text",
    "encodings",
    "max_categories",
    "missing_labels",
}
_NETWORKX = _ARRAYS | _COLUMNS | {"weight"}
_TABLES = _NETWORKX | {"id_column", "source_column", "target_column", "undirected", "unknown_nodes"}
_SCIPY = _ARRAYS | {"x", "y", "weighted"}
_EDGE_INDEX = _ARRAYS | {"x", "y", "edge_weight"}
_NAMED = {"data_dir", "unlabelled"}


def load(
    target: Any = None,
    *,
    edges: Any = None,
    nodes: Any = None,
    edge_index: Any = None,
    **options: Unpack[Options],
) -> Data:
    """Load a graph, check it, and write down in ``data.account`` what was found and changed.

    ``profile``, ``diagnose``, ``fit``, ``compare`` and ``sweep`` take a graph in the same forms.

    ==============================================  ================================================================
    target                                          options
    ==============================================  ================================================================
    a name, such as ``"cora"``                      ``data_dir``, ``unlabelled``
    a folder with ``edges.*`` and ``nodes.*``,      ``label``, ``features``, ``id_column``, ``source_column``,
    an edge table, or ``edges=`` and ``nodes=``     ``target_column``, ``weight``, ``undirected``, ``unknown_nodes``,
                                                    ``drop``, ``numbers``, ``categories``, ``text``, ``encodings``,
                                                    ``max_categories``, ``missing_labels``, ``nan``, ``task``, ``name``
    ``.npz``, ``.mat``, PyG's ``Data`` or dataset   ``nan``, ``task``, ``name``
    ``.graphml``, NetworkX                          ``label``, ``features``, ``weight``, ``drop``, ``numbers``,
                                                    ``categories``, ``text``, ``encodings``, ``max_categories``,
                                                    ``missing_labels``, ``nan``, ``task``, ``name``
    a SciPy matrix                                  ``x``, ``y``, ``weighted``, ``nan``, ``task``, ``name``
    ``edge_index=``, or ``(x, y, edge_index)``      ``x``, ``y``, ``edge_weight``, ``nan``, ``task``, ``name``
    ==============================================  ================================================================

    Every target takes ``features_from``, which makes features from the structure: ``"identity"``, ``"degree"`` or
    ``"position"`` (see :func:`~allpass.data.structural.with_structural_features`).

    Direction and self-loops stay as stored. A bare word that is both a dataset and a file means the dataset; write
    ``./word`` for the file.

    Args:
        target: What to load; nothing when ``edges`` or ``edge_index`` is given. A tuple holds features, labels and
            edges, an ``edge_index`` or a SciPy matrix; None stands for features or labels that there are none of.
        edges: Edge table: a path (CSV, TSV, Parquet) or a pandas frame.
        nodes: Node table, likewise.
        edge_index: Edges ``[2, E]`` between nodes 0, 1, 2, ...: NumPy or a tensor.
        options: See the table; each is explained where it belongs:
            :func:`~allpass.data.tables.from_tables.from_tables`, :func:`~allpass.data.files.from_npz`,
            :func:`~allpass.data.convert.from_networkx`, :func:`~allpass.data.arrays.from_scipy`,
            :func:`~allpass.data.arrays.from_arrays`, :func:`~allpass.data.named.catalog.load_named`.

    Example:
        >>> import networkx as nx
        >>> data = load(nx.path_graph(3))
        >>> data.edge_index.tolist()
        [[0, 1, 1, 2], [1, 2, 0, 1]]
        >>> print(next(iter(data.account)).what)
        The graph is undirected: its 4 edges are stored in both directions.
        >>> load(edge_index=[[0, 1], [1, 2]], y=["red", "blue", "red"]).class_names
        ['blue', 'red']
    """
    unknown = sorted(set(options) - set(Options.__annotations__))
    if unknown:
        raise InputError(
            f"There is no option {unknown[0]!r}.", did_you_mean(unknown[0], Options.__annotations__)
        )
    # Nothing means the default, so that a caller can hand on what it was given.
    given: dict[str, Any] = {option: value for option, value in options.items() if value is not None}
    features_from = given.pop("features_from", None)
    data = (
        _load(target, edges, nodes, given)
        if edge_index is None
        else _load_arrays(target, edges, nodes, edge_index, given)
    )
    return data if features_from is None else with_structural_features(data, features_from)


def _load(target: Any, edges: Any, nodes: Any, given: dict[str, Any]) -> Data:
    if edges is not None or nodes is not None:
        return _load_tables(target, edges, nodes, given)
    if isinstance(target, (str, Path)):
        return _load_words(target, given)
    if target is None:
        raise InputError(
            "Got nothing to load.",
            "Pass a dataset name, a path or a graph; or edges= and nodes=; or edge_index=, x= and y=.",
        )
    return _load_object(target, given)


def _load_arrays(target: Any, edges: Any, nodes: Any, edge_index: Any, given: dict[str, Any]) -> Data:
    for name, other in (("a target", target), ("edges=", edges), ("nodes=", nodes)):
        if other is not None:
            raise InputError(f"Got both {name} and edge_index=.", "Pass one of them.")
    if sp.issparse(edge_index):
        return _call(from_scipy, "a SciPy matrix", _SCIPY, given, edge_index)
    return _call(from_arrays, "an edge_index", _EDGE_INDEX, given, edge_index)


def _load_tables(target: Any, edges: Any, nodes: Any, given: dict[str, Any]) -> Data:
    if target is not None and edges is not None:
        raise InputError(f"Got both a target ({target!r}) and edges=.", "Pass one of them.")
    edges = target if edges is None else edges
    if edges is None:
        raise InputError("Got nodes= but no edges.", "Pass edges= as well.")
    name = Path(edges).stem if isinstance(edges, (str, Path)) else "tables"
    return _call(from_tables, "tables", _TABLES, {"name": name, **given}, edges, nodes)


def _load_words(target: str | Path, given: dict[str, Any]) -> Data:
    from allpass.data.named.catalog import DATASETS, load_named

    if isinstance(target, str) and target in DATASETS:
        return _call(load_named, "a named dataset", _NAMED, given, target)
    path = Path(target)
    if path.is_dir():
        return _load_folder(path, given)
    if not check_readable(path).is_file():
        raise _neither(str(target), [word for entry in DATASETS for word in (entry.name, *entry.aliases)])
    suffix = path.suffix.lower()
    if suffix in READERS:
        return _call(
            READERS[suffix], f"a {suffix} file", _NETWORKX if suffix == ".graphml" else _ARRAYS, given, path
        )
    if suffix in TABLE_SUFFIXES:
        return _load_tables(None, path, None, given)
    raise DataError(
        f"The file {str(target)!r} is of no kind that can be read.",
        f"Expected {', '.join([*READERS, *TABLE_SUFFIXES])}.",
    )


def _load_folder(folder: Path, given: dict[str, Any]) -> Data:
    found = {}
    for stem in ("edges", "nodes"):
        files = sorted(file for file in folder.glob(f"{stem}.*") if file.suffix.lower() in TABLE_SUFFIXES)
        if len(files) > 1:
            raise DataError(
                f"The folder {str(folder)!r} has several tables of {stem}: {some([file.name for file in files])}.",
                f"Keep one, or pass it with {stem}=.",
            )
        found[stem] = files[0] if files else None
    if found["edges"] is None:
        raise DataError(
            f"The folder {str(folder)!r} holds no table of edges.",
            "Expected edges.csv (or .tsv, .parquet) and nodes.csv; or pass edges= and nodes=.",
        )
    return _load_tables(None, found["edges"], found["nodes"], {"name": folder.resolve().name, **given})


def _load_object(target: Any, given: dict[str, Any]) -> Data:
    if sp.issparse(target):
        return _call(from_scipy, "a SciPy matrix", _SCIPY, given, target)
    if hasattr(target, "adj") and hasattr(target, "is_directed") and hasattr(target, "nodes"):
        return _call(from_networkx, "a NetworkX graph", _NETWORKX, given, target)
    if isinstance(target, Data):
        return _call(from_pyg, "PyG's Data", _ARRAYS, given, target)
    if isinstance(target, Dataset):
        return _load_dataset(target, given)
    if isinstance(target, tuple) and len(target) == 3:
        x, y, edge_index = target
        return _load_arrays(None, None, None, edge_index, {"x": x, "y": y, **given})
    if "pandas" in sys.modules and isinstance(target, sys.modules["pandas"].DataFrame):
        return _load_tables(target, None, None, given)
    cure = (
        "Expected a dataset name, a path, PyG's Data or dataset, a NetworkX graph, a SciPy matrix or "
        "(x, y, edge_index)."
    )
    if hasattr(target, "to_homogeneous"):
        cure = "Pass data.to_homogeneous(): one kind of node and one kind of edge."
    raise InputError(f"Got {type(target).__name__} to load.", cure)


def _load_dataset(dataset: Dataset, given: dict[str, Any]) -> Data:
    """PyG's dataset of one graph."""
    if len(dataset) != 1:
        raise InputError(f"Got a dataset of {len(dataset):,} graphs.", "Pass one of them: dataset[0].")
    name = str(getattr(dataset, "name", "") or type(dataset).__name__)
    return _load_object(dataset[0], {"name": name, **given})


def _call(door: Callable[..., Data], kind: str, allowed: set[str], given: dict[str, Any], *args: Any) -> Data:
    """Call a reader, refusing options that it would have to ignore.

    Only ``encodings`` may be given where there are no columns to encode.
    """
    if "encodings" not in allowed:
        given = {option: value for option, value in given.items() if option != "encodings"}
    stray = sorted(set(given) - allowed)
    if stray:
        raise InputError(
            f"The option {stray[0]!r} does not apply to {kind}.", f"It takes {', '.join(sorted(allowed))}."
        )
    return door(*args, **given)


def _neither(target: str, names: list[str]) -> Exception:
    """The one error for a target that is nothing: it says both that no file is there and that no name fits."""
    problem = f"{target!r} is neither a file or folder that exists nor a known dataset."
    path = Path(target)
    looks_like_path = path.suffix != "" or len(path.parts) > 1
    if not looks_like_path:
        return UnknownNameError(problem, did_you_mean(canonical(target), names))
    siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = did_you_mean(path.name, siblings) if siblings else ""
    if near.startswith("Did"):
        return MissingFileError(problem, near)
    near = did_you_mean(canonical(path.stem), names)
    return MissingFileError(problem, f"Check the path. {near if near.startswith('Did') else ''}".strip())
