"""What happens to nodes without a label, and the plain facts that every account states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from allpass.data.draft import Draft, many
from allpass.data.repairs.edges import note_links, note_twins
from allpass.errors import InputError, did_you_mean

UNLABELLED = ("missing", "zero", "drop")


def settle_unlabelled(draft: Draft, rule: str) -> None:
    """Apply a rule to the nodes whose label is negative.

    Args:
        draft: The graph; changed in place.
        rule: ``"missing"`` keeps them without a label and takes them out of the stored splits; ``"zero"`` puts
            them into class 0, as the code behind many published CiteSeer results does; ``"drop"`` removes them.
    """
    if rule not in UNLABELLED:
        raise InputError(f"There is no rule {rule!r} for unlabelled nodes.", did_you_mean(rule, UNLABELLED))
    if draft.y is None or not (lost := draft.y < 0).any():
        return
    count = int(lost.sum())
    if rule == "zero":
        draft.y = np.maximum(draft.y, 0)
        draft.account.add(
            "missing-labels", count, f"{many(count, 'node')} without a label were put into class 0."
        )
    elif rule == "drop":
        _keep(draft, ~lost)
        draft.account.add("missing-labels", count, f"{many(count, 'node')} without a label were removed.")
    else:
        draft.account.add(
            "missing-labels",
            count,
            f"{many(count, 'node')} have no label; they stay in the graph, and in no stored split.",
            'Use unlabelled="zero" or unlabelled="drop" to match code that treats them so.',
        )
        labelled = torch.from_numpy(~lost)
        for name, splits in draft.splits.items():
            draft.splits[name] = [
                replace(split, **{part: getattr(split, part) & labelled for part in ("train", "val", "test")})
                for split in splits
            ]


def describe(draft: Draft) -> None:
    """Note direction, self-loops, isolated and duplicated nodes, empty feature rows and classes of one node."""
    links = note_links(draft.edge_index, draft.edge_weight, draft.num_nodes, draft.account)
    if draft.x is not None:
        empty = int((np.asarray(abs(draft.x).sum(axis=1)).reshape(-1) == 0).sum())
        draft.account.add(
            "zero-feature-rows", empty, f"{many(empty, 'node has', 'nodes have')} no feature set."
        )
    if draft.y is not None:
        note_twins(links, draft.y, draft.account)
        alone = int((np.bincount(draft.y[draft.y >= 0]) == 1).sum())
        draft.account.add(
            "one-node-classes", alone, f"{many(alone, 'class has', 'classes have')} one node only."
        )


def _keep(draft: Draft, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
    """Restrict the graph to some nodes, numbered anew in their order."""
    number = np.cumsum(kept) - 1
    inside = kept[draft.edge_index].all(axis=0)
    draft.edge_index = number[draft.edge_index[:, inside]]
    if draft.edge_weight is not None:
        draft.edge_weight = draft.edge_weight[inside]
    draft.num_nodes = int(kept.sum())
    draft.x = None if draft.x is None else draft.x[kept]
    draft.y = None if draft.y is None else draft.y[kept]
    if draft.node_ids is not None:
        draft.node_ids = [name for name, stays in zip(draft.node_ids, kept, strict=True) if stays]
    chosen = torch.from_numpy(kept)
    for name, splits in draft.splits.items():
        draft.splits[name] = [
            replace(split, **{part: getattr(split, part)[chosen] for part in ("train", "val", "test")})
            for split in splits
        ]
