"""The door: a knowledge graph from a name, files, frames or arrays."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from allpass.data.account import Account
from allpass.data.draft import many
from allpass.data.tables.tabular import TABLE_SUFFIXES
from allpass.errors import DataError, InputError, MissingFileError, did_you_mean
from allpass.kge.graph import KnowledgeGraph, Triplets
from allpass.kge.named import NAMED, NamedGraph
from allpass.kge.reading import Columns, read_gzip, read_triplets


def load(
    source: Any,
    *,
    valid: Any = None,
    test: Any = None,
    seed: int = 0,
    data_dir: str | os.PathLike[str] | None = None,
) -> KnowledgeGraph:
    """A knowledge graph with its three parts.

    Args:
        source: ``"wn18rr"``, ``"fb15k-237"``, ``"nations"``, ``"umls"`` or ``"kinships"``; the path of a CSV, TSV or
            Parquet file; a pandas frame; an array ``[T, 3]`` of whole numbers; or a graph.
        valid: Triplets that choose the epoch, in the form of ``source``; or their share of those in ``source``, drawn
            at random. By default none.
        test: Triplets that are only measured, or their share.
        seed: Decides the random shares.
        data_dir: A folder to look for named graphs in, before ``ALLPASS_DATA``.

    Example:
        >>> import pandas as pd
        >>> likes = pd.DataFrame({"head": ["ann", "bob"], "relation": ["likes"] * 2, "tail": ["bob", "eve"]})
        >>> load(likes).entities
        ('ann', 'bob', 'eve')
    """
    shares = [part if isinstance(part, float) else None for part in (valid, test)]
    given = [None if isinstance(part, float) else part for part in (valid, test)]
    graph = _loaded(source, given, data_dir)
    if any(shares):
        graph = graph.split(*(part or 0.0 for part in shares), seed=seed)
    _note_overlap(graph)
    return graph


def _loaded(source: Any, given: list[Any], data_dir: str | os.PathLike[str] | None) -> KnowledgeGraph:
    whole = isinstance(source, KnowledgeGraph) or (isinstance(source, str) and source in NAMED)
    if whole and any(part is not None for part in given):
        raise InputError(
            "Got triplets for validation or test for a graph that has its own parts.",
            "Leave them out, or pass the triplets of training as an array.",
        )
    if isinstance(source, KnowledgeGraph):
        return source
    if isinstance(source, str) and source in NAMED:
        return _of_name(NAMED[source], data_dir)
    if isinstance(source, str | Path):
        _check_path(str(source))
    elif not hasattr(source, "columns"):
        return KnowledgeGraph.from_arrays(source, *given)
    account = Account()
    parts = [None if part is None else read_triplets(part, account) for part in (source, *given)]
    name = Path(source).stem if isinstance(source, str | Path) else "triplets"
    return _joined(parts, name, account)


def _check_path(source: str) -> None:
    path = Path(source)
    if not path.exists() and path.suffix.lower() not in TABLE_SUFFIXES:
        raise MissingFileError(
            f"{source!r} is neither a file nor a named knowledge graph.", did_you_mean(source, NAMED.names)
        )


def _of_name(entry: NamedGraph, data_dir: str | os.PathLike[str] | None) -> KnowledgeGraph:
    parts: list[Columns | None] = [read_gzip(path) for path in entry.locate(data_dir).values()]
    graph = _joined(parts, entry.name, Account())
    found = (
        graph.num_entities,
        graph.num_relations,
        *(len(rows) for rows in (graph.train, graph.valid, graph.test)),
    )
    if found != (entry.entities, entry.relations, *entry.sizes):
        raise DataError(
            f"The files of {entry.name} do not hold the published graph: found {found[0]:,} entities, "
            f"{found[1]:,} relations and {found[2]:,} / {found[3]:,} / {found[4]:,} triplets.",
            "Delete the files and load it again.",
        )
    return graph


def _joined(parts: list[Columns | None], name: str, account: Account) -> KnowledgeGraph:
    """One list of names for all parts, in sorted order, so that no order of rows changes the numbers."""
    read = [part for part in parts if part is not None]
    entities = sorted({text for part in read for column in (0, 2) for text in part[column][1]})
    relations = sorted({text for part in read for text in part[1][1]})
    number = [{text: place for place, text in enumerate(names)} for names in (entities, relations, entities)]
    train, valid, test = (
        np.zeros((0, 3), dtype=np.int64)
        if part is None
        else np.column_stack(
            [
                np.array([places[text] for text in texts], dtype=np.int64)[codes]
                for places, (codes, texts) in zip(number, part, strict=True)
            ]
        )
        for part in parts
    )
    _note_repeats(train, account)
    for what, columns, count in (("entity", [0, 2], len(entities)), ("relation", [1], len(relations))):
        unseen = count - len(np.unique(train[:, columns]))
        account.add(
            f"unseen-{what}",
            unseen,
            f"{many(unseen, what, 'entities' if what == 'entity' else 'relations')} of validation or test "
            f"{'is' if unseen == 1 else 'are'} in no training triplet: the vectors stay random.",
        )
    return KnowledgeGraph(train, tuple(entities), tuple(relations), valid, test, name, account)


def _note_overlap(graph: KnowledgeGraph) -> None:
    """Triplets that are trained on and measured with: their ranks say nothing of new ones."""
    if "seen-in-training" in graph.account:
        return
    train = set(map(tuple, graph.train.tolist()))
    count = sum(tuple(row) in train for part in (graph.valid, graph.test) for row in part.tolist())
    graph.account.add(
        "seen-in-training",
        count,
        f"{many(count, 'triplet')} of validation or test {'is' if count == 1 else 'are'} in training too; ranks are "
        "better by it.",
        "Remove repeated triplets before dividing them.",
    )


def _note_repeats(train: Triplets, account: Account) -> None:
    repeats = len(train) - len(np.unique(train, axis=0))
    account.add(
        "repeated-triplets",
        repeats,
        f"{many(repeats, 'triplet repeats', 'triplets repeat')} another one; each counts.",
    )
