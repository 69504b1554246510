"""The checks that run on every graph of your own: what was found, what was done, and the cure.

Nothing is changed in silence. A graph that cannot be used is refused with :class:`~allpass.errors.DataError`;
everything else is written in the graph's :class:`~allpass.data.account.Account`. All checks are linear in the
size of the graph, apart from sorting its edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.draft import Draft, assemble, many, some
from allpass.data.repairs.edges import (
    checked_edges,
    checked_weights,
    merge_duplicates,
    note_links,
    note_twins,
    note_weights,
)
from allpass.data.repairs.features import checked_features, column_name
from allpass.data.repairs.labels import (
    DOUBTFUL,
    class_labels,
    classes_of_columns,
    exact_targets,
    merged_by_rounding,
    regression_targets,
)
from allpass.data.repairs.leaks import leaking_columns
from allpass.data.repairs.task import find_task, fractions_as_classes
from allpass.data.tables.encodings import described
from allpass.errors import DataError

_BARE_NODES = 1_000_000


def checked(
    draft: Draft,
    *,
    name: str,
    source: str,
    nan: str | None = None,
    task: str | None = None,
    signs: bool = False,
    negative: bool = False,
) -> Data:
    """Check and repair a draft, and make the standard ``Data`` of it.

    Args:
        draft: What a reader found; its arrays are not changed.
        name: The graph's name.
        source: Where it came from, in words.
        nan: What to do with NaN and infinite features: ``"error"`` (the default), ``"zero"`` or ``"mean"``.
        task: ``"classification"``, ``"regression"`` to keep the labels as float32, or nothing to find out by
            :func:`~allpass.data.repairs.task.find_task`.
        signs: As in :func:`~allpass.data.repairs.labels.class_labels`.
        negative: As there.
    """
    _check_sizes(draft)
    account = draft.account
    task = find_task(draft.y if draft.class_names is None else None, task, draft.label, account)
    edge_index = checked_edges(draft.edge_index, draft.num_nodes, draft.node_ids)
    weight = checked_weights(draft.edge_weight, edge_index.shape[1], account)
    draft.edge_index, draft.edge_weight = merge_duplicates(edge_index, weight, draft.num_nodes, account)
    note_weights(draft.edge_weight, account)
    links = note_links(draft.edge_index, draft.edge_weight, draft.num_nodes, account)
    before = any(encoding.precise for encoding in draft.encodings) if draft.read_as_before else None
    draft.x = checked_features(
        draft.x, draft.num_nodes, draft.feature_names, nan or "error", account, precise=before
    )
    draft.precise = draft.x is not None and draft.x.dtype == np.float64
    if not draft.read_as_before:
        draft.encodings = described(draft.encodings, task, precise=draft.precise)
    if draft.y is None:
        account.add(
            "no-labels", draft.num_nodes, "The graph has no labels: only its structure can be measured."
        )
    elif task == "regression":
        merged = merged_by_rounding(exact_targets(draft.y))
        account.add(
            "rounded-targets",
            merged,
            f"{many(merged, 'target')} cannot be told from another one in single precision.",
            "Subtract a constant from the targets, such as their smallest.",
        )
        draft.y, draft.class_names = regression_targets(draft.y), None
        missing = int(np.isnan(draft.y).sum())
        account.add(
            "missing-labels",
            missing,
            f"{many(missing, 'node')} without a target: NaN{_written(draft.missing_labels, missing)}.",
        )
    else:
        draft.y = _classes(draft, account, signs=signs, negative=negative)
        note_twins(links, draft.y, account)
        note_leaks(draft, account)
    _note_overlaps(draft, account)
    return assemble(draft, name=name, source=source)


def _check_sizes(draft: Draft) -> None:
    """Refuse sizes that do not fit together before anything of that size is made."""
    N, E = draft.num_nodes, np.asarray(draft.edge_index).size // 2
    if N < 1:
        raise DataError("The graph is empty: it has no nodes.", "Expected at least one node.")
    for what, values in (("row of features", draft.x), ("label", draft.y)):
        if values is not None and values.ndim and values.shape[0] != N:
            plural = "rows of features" if "features" in what else ""
            raise DataError(
                f"Got {many(values.shape[0], what, plural)} for {many(N, 'node')}.",
                "Expected one for each node.",
            )
    if draft.x is None and draft.y is None and N > _BARE_NODES and N > 100 * E:
        raise DataError(
            f"Got {many(N, 'node')} but only {many(E, 'edge')}, and neither features nor labels.",
            "Number the nodes 0, 1, 2, ...; an edge table takes ids of any kind.",
        )


def note_leaks(draft: Draft, account: Account) -> None:
    """Note the columns that decide the class by themselves; ``draft.y`` must hold numbered classes."""
    y = draft.y
    if y is None:
        return
    found = [name for name, codes in draft.categories.items() if leaking_columns(codes[:, None], y)]
    if draft.x is not None:
        for column in leaking_columns(draft.x, y):
            name = column_name(draft.origins or draft.feature_names, column)
            if name not in found:
                found.append(name)
    account.add(
        "label-leaks",
        len(found),
        f"{many(len(found), 'feature decides', 'features decide')} the label almost alone: {some(found)}.",
        "Leave such columns out of features= unless they are known for new nodes before their label is.",
    )


def _classes(draft: Draft, account: Account, *, signs: bool, negative: bool) -> NDArray[np.int64]:
    assert draft.y is not None
    if draft.class_names is None and (coded := fractions_as_classes(draft.y)) is not None:
        draft.y, draft.class_names = coded
    if draft.class_names is None:
        draft.class_names = classes_of_columns(draft.y)
    labels = class_labels(draft.y, draft.class_names, signs=signs, negative=negative)
    if draft.class_names is None and labels.names is not None and labels.numeric:
        account.add(
            "renumbered-labels",
            len(labels.names),
            f"The labels {some(labels.names)} were numbered 0 to {len(labels.names) - 1}; "
            "class_names keeps the old ones.",
            "If there are classes without a node, name all classes in class_names." * (not signs),
        )
    draft.class_names = labels.names
    y = labels.y
    counts = np.bincount(y[y >= 0])
    missing, single = int(np.count_nonzero(y < 0)), np.flatnonzero(counts == 1).tolist()
    words = draft.missing_labels | labels.missing
    account.add(
        "missing-labels",
        missing,
        f"{many(missing, 'node has', 'nodes have')} no label (-1){_written(words, missing)}.",
        "They keep their place in the graph and are left out of every count and every split."
        + " Pass missing_labels='' to make classes of such values." * bool(words and signs),
    )
    if signs and not negative and labels.names is not None:
        _note_doubtful(labels.names, np.bincount(y[y >= 0], minlength=len(labels.names)).tolist(), account)
    account.add(
        "one-node-classes",
        len(single),
        f"{many(len(single), 'class has', 'classes have')} one node only: "
        f"{some([_class_name(labels.names, k) for k in single])}.",
        "Such a class cannot be in both the training and the test set; merge it with another or drop its label.",
    )
    account.add(
        "one-class",
        int(np.count_nonzero(counts) == 1 and y.size > 1),
        "All labelled nodes have the same label: there is nothing to tell apart.",
        "Name another label column.",
    )
    labelled = y.size - missing
    account.add(
        "many-classes",
        counts.size if counts.size > max(20, labelled // 2) else 0,
        f"There are {counts.size:,} classes for {many(labelled, 'labelled node')}.",
        "The label looks like an id or a measurement: name another column, or pass task='regression'.",
    )
    return y


def _note_overlaps(draft: Draft, account: Account) -> None:
    for name, splits in draft.splits.items():
        overlap = sum(
            int((split.train.int() + split.val.int() + split.test.int() > 1).sum()) for split in splits
        )
        account.add(
            "overlapping-splits",
            overlap,
            f"In the splits {name!r} {many(overlap, 'node stands', 'nodes stand')} in more than one set.",
            "Scores on them are too good; use another split.",
        )


def _class_name(names: list[str] | None, k: int) -> str:
    return names[k] if names is not None else str(k)


def _written(words: dict[str, int], missing: int) -> str:
    """How missing labels are written, where it is not by an empty cell alone."""
    empty = missing - sum(words.values())
    parts = [f"{count:,} {'is' if count == 1 else 'are'} {word!r}" for word, count in words.items()]
    parts += [f"{empty:,} {'is' if empty == 1 else 'are'} empty"] * (empty > 0)
    return f": {', '.join(parts)}" if words else ""


def _note_doubtful(names: list[str], counts: list[int], account: Account) -> None:
    """Note classes whose names often mean a missing label."""
    found = {name: count for name, count in zip(names, counts, strict=True) if name.lower() in DOUBTFUL}
    listed = ", ".join(f"{name!r} ({many(count, 'node')})" for name, count in found.items())
    account.add(
        "doubtful-classes",
        sum(found.values()),
        f"Read as a class: {listed}.",
        f"Pass missing_labels='{','.join(found)}' when that means a missing label.",
    )
