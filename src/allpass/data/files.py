"""Graph files: ``.npz`` (read and written), ``.mat`` and ``.graphml``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from torch_geometric.data import Data

from allpass.data.convert import from_networkx
from allpass.data.draft import Draft, splits_of_masks
from allpass.data.readers.graphml import graphml_notes
from allpass.data.readers.linkx import METADATA, read_facebook100
from allpass.data.readers.mat import read_mat
from allpass.data.readers.npz import csr_keys, csr_parts, read_npz
from allpass.data.repairs.repair import checked
from allpass.data.stored import KEY, restore_notes, restore_words
from allpass.errors import DataError, MissingFileError, UnsafeFileError
from allpass.files import check_readable

Array = NDArray[Any]

_EDGES = ("edge_index", "edges")
_FEATURES = ("x", "node_features", "node_feat", "features", "attributes")
_LABELS = ("y", "node_labels", "labels", "label")
_MANY_NODES = 10_000_000
_MATRICES = ("A", "adj", "adjacency", "network")


def from_npz(
    path: str | Path, *, nan: str | None = None, task: str | None = None, name: str | None = None
) -> Data:
    """Read a graph from NumPy's archive; no pickle is ever loaded.

    ============================================  =====================================================
    ``edge_index`` ``[2, E]`` or ``[E, 2]``       edges; or ``edges``, or ``adj_data``, ``adj_indices``,
                                                  ``adj_indptr``, ``adj_shape`` (CSR, row to column)
    ``x`` ``[N, F]``                              features; or ``node_features``, or CSR parts
                                                  ``x_data`` ... ``x_shape`` (or ``attr_data`` ...)
    ``y`` ``[N]``                                 labels, -1 for a missing one; or ``labels``
    ``edge_weight`` ``[E]``                       weights
    ``train_mask``, ``val_mask``, ``test_mask``   ``[N]`` or ``[N, S]``: the splits ``"stored"``
    ``num_nodes``                                 where neither features nor labels tell
    ``class_names``, ``feature_names``            text
    ============================================  =====================================================

    :func:`~allpass.data.stored.save_npz` adds ``allpass``, a JSON text with names, splits and notes.

    Args:
        path: The file.
        nan: NaN features: ``"error"`` (the default), ``"zero"`` or ``"mean"``.
        task: ``"classification"`` or ``"regression"``; by default what a file of allpass was saved with, and what the
            labels suggest in any other file.
        name: The graph's name, by default the stored one or the file's.
    """
    path = Path(path)
    arrays = read_npz(path)
    draft = _npz_edges(arrays, path)
    draft.x = _npz_features(arrays)
    draft.y = _first(arrays, _LABELS)
    draft.edge_weight = arrays.get("edge_weight", draft.edge_weight)
    draft.num_nodes = _count_nodes(draft, arrays)
    _check_rows(draft, path)
    for key in ("class_names", "feature_names", "node_ids"):
        if key in arrays:
            setattr(draft, key, [str(item) for item in arrays[key].reshape(-1).tolist()])
    masks = {part: _mask(arrays, part) for part in ("train", "val", "test")}
    found = {part: mask for part, mask in masks.items() if mask is not None}
    if found:
        draft.splits = {"stored": splits_of_masks(found, draft.num_nodes)}
    words = restore_words(draft, arrays, path) if KEY in arrays else {}
    if words:
        task = "regression" if words.get("regression") else task or "classification"
    title = name or str(words.get("name") or path.stem)
    data = checked(draft, name=title, source=str(words.get("source") or "npz file"), nan=nan, task=task)
    return restore_notes(data, words)


def from_mat(
    path: str | Path, *, nan: str | None = None, task: str | None = None, name: str | None = None
) -> Data:
    """Read a graph from a MATLAB file (version 5) as LINKX and others store them.

    Facebook100 files have ``A`` and ``local_info``; others ``edge_index`` (or a sparse ``A``), ``node_feat`` (or
    ``features``) and ``label``. Edges that never name a node 0 are taken as counted from 1, with a note, unless
    the file has ``index_base`` = 0.

    Args:
        path: The file.
        nan: NaN features: ``"error"`` (the default), ``"zero"`` or ``"mean"``.
        task: ``"classification"`` or ``"regression"``; by default what the labels suggest.
        name: The graph's name, by default the file's.
    """
    path = Path(path)
    values = {key: value for key, value in read_mat(path).items() if not key.startswith("__")}
    info = np.asarray(values.get("local_info"))
    if "A" in values and info.ndim == 2 and info.shape[1] == len(METADATA):
        draft = read_facebook100({"data.mat": path})
    else:
        draft = _mat_draft(values, path)
    return checked(draft, name=name or path.stem, source="mat file", nan=nan, task=task)


def from_graphml(path: str | Path, *, name: str | None = None, **options: Any) -> Data:
    """Read GraphML; options as for :func:`~allpass.data.convert.from_networkx`."""
    from xml.etree.ElementTree import ParseError  # only the error is used; the file is screened below

    import networkx as nx

    path = check_readable(path)
    if not path.is_file():
        raise MissingFileError(f"There is no file {str(path)!r}.", "Check the path.")
    content = path.read_bytes()
    letters = content.replace(b"\0", b"")  # of UTF-16 and UTF-32 too
    if b"<!ENTITY" in letters or b"<!DOCTYPE" in letters:
        raise UnsafeFileError(
            f"The file {path.name} defines XML entities, which can exhaust memory.", "Remove its DOCTYPE."
        )
    try:
        graph = nx.read_graphml(path)
        notes = graphml_notes(content)
    except DataError:
        raise
    except (nx.NetworkXException, ParseError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise DataError(
            f"The file {path.name} is not readable GraphML: {(str(error) or type(error).__name__).rstrip('.'):.120}.",
            "Check that it is whole.",
        ) from error
    data = from_networkx(graph, name=name or path.stem, **options)
    data.account.extend(notes)
    return data


READERS: dict[str, Callable[..., Data]] = {".npz": from_npz, ".mat": from_mat, ".graphml": from_graphml}


def _first(arrays: dict[str, Any], names: Sequence[str]) -> Any:
    """The first of these entries, in upper or lower case, or nothing."""
    lower = {key.lower(): value for key, value in arrays.items()}
    return next((lower[name.lower()] for name in names if name.lower() in lower), None)


def _pairs(edges: Array) -> Array:
    """``[2, E]`` of what may be ``[E, 2]``; two by two is taken as ``[2, E]``."""
    edges = np.asarray(edges)
    return edges.T if edges.ndim == 2 and edges.shape[1] == 2 and edges.shape[0] != 2 else edges


def _npz_edges(arrays: dict[str, Any], path: Path) -> Draft:
    edges = _first(arrays, _EDGES)
    if edges is not None:
        return Draft(0, _pairs(edges))
    if set(csr_keys("adj")) <= set(arrays):
        return _matrix_draft(csr_parts(arrays, "adj"))
    raise DataError(
        f"The file {path.name} holds no edges; it has {', '.join(sorted(arrays)) or 'nothing'}.",
        "Expected an array edge_index [2, E].",
    )


def _npz_features(arrays: dict[str, Any]) -> Any:
    for prefix in ("x", "attr"):
        if set(csr_keys(prefix)) <= set(arrays):
            return csr_parts(arrays, prefix)
    return _first(arrays, _FEATURES)


def _matrix_draft(matrix: Any) -> Draft:
    entries = sp.coo_array(matrix)
    if entries.shape[0] != entries.shape[1]:
        raise DataError(
            f"The adjacency matrix has the shape {list(entries.shape)}.", "Expected a square one."
        )
    stored = entries.data != 0
    weight = entries.data[stored]
    edges = np.stack([entries.row[stored], entries.col[stored]])
    return Draft(entries.shape[0], edges, weight if (weight != 1).any() else None)


def _mask(arrays: dict[str, Any], part: str) -> Array | None:
    if f"{part}_mask" in arrays:
        return np.asarray(arrays[f"{part}_mask"])
    masks = arrays.get(f"{part}_masks")  # one row a split, as Platonov et al. store them
    return None if masks is None else np.atleast_2d(masks).T


def _count_nodes(draft: Draft, arrays: dict[str, Any]) -> int:
    if "num_nodes" in arrays and arrays["num_nodes"].size == 1 and arrays["num_nodes"].dtype.kind in "iu":
        return int(arrays["num_nodes"].reshape(-1)[0])
    if draft.num_nodes:
        return draft.num_nodes
    for value in (draft.x, draft.y, arrays.get("train_mask")):
        if value is not None and value.ndim > 0:
            return int(value.shape[0])
    edges = draft.edge_index
    return int(edges.max()) + 1 if edges.size and edges.dtype.kind in "iu" else 0


def _check_rows(draft: Draft, path: Path) -> None:
    """Refuse nodes of which each takes less than two bits of the file: what is computed for them would not be small."""
    rows = max(0 if part is None or part.ndim == 0 else part.shape[0] for part in (draft.x, draft.y))
    if rows > max(_MANY_NODES, 4 * path.stat().st_size):
        raise UnsafeFileError(
            f"The file {path.name} has {path.stat().st_size:,} bytes and claims {rows:,} nodes.",
            "The file is damaged or made to exhaust memory; do not use it.",
        )


def _mat_draft(values: dict[str, Any], path: Path) -> Draft:
    edges, matrix = _first(values, _EDGES), _first(values, _MATRICES)
    if edges is not None and not sp.issparse(edges):
        draft = Draft(0, _pairs(edges))
    elif sp.issparse(matrix):
        draft = _matrix_draft(matrix)
    else:
        raise DataError(
            f"The file {path.name} holds no edges; it has {', '.join(sorted(values)) or 'nothing'}.",
            "Expected edge_index [2, E], or a sparse adjacency matrix A.",
        )
    draft.x, labels = _first(values, _FEATURES), _first(values, _LABELS)
    draft.y = None if labels is None else _column_vector(labels)
    draft.num_nodes = _count_nodes(draft, values)
    _check_rows(draft, path)
    if edges is not None:
        _count_from_zero(draft, values)
    return draft


def _count_from_zero(draft: Draft, values: dict[str, Any]) -> None:
    """Move edges that count nodes from 1 as MATLAB does: those that never name a node 0."""
    edges, base = np.asarray(draft.edge_index), _first(values, ("index_base",))
    if edges.size == 0 or edges.dtype.kind not in "iuf" or edges.min() < 1:
        return
    if base is not None and np.asarray(base).size == 1 and np.asarray(base).item() == 0:
        return
    certain = edges.max() == draft.num_nodes
    if draft.num_nodes == edges.max() + 1 and _is_counted_from_edges(draft):
        draft.num_nodes -= 1
    draft.edge_index = edges - 1
    what = "Edges count nodes from 1; they were moved to count from 0."
    if not certain:
        what = f"Edges name the nodes {edges.min():.0f} to {edges.max():.0f}, never 0; they were taken to count from 1."
    cure = "" if certain else "If they count from 0, add a variable index_base = 0 to the file."
    draft.account.add("counted-from-1", draft.num_nodes, what, cure)


def _is_counted_from_edges(draft: Draft) -> bool:
    """Whether nothing but the edges says how many nodes there are."""
    return draft.x is None and draft.y is None


def _column_vector(labels: Any) -> Array:
    """Labels ``[N]``; MATLAB has no vectors, so they come as one row or one column."""
    dense = labels.toarray() if sp.issparse(labels) else np.asarray(labels)
    return dense.reshape(-1) if 1 in dense.shape else dense
