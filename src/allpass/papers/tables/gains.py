"""What some networks of a table gain over others: the proposed ones of ``table1`` and the channels of ``ablation``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from allpass.papers.tables.report import Results, best_rows, gap, share, signed
from allpass.papers.tables.result import Accuracy, Kind, joined
from allpass.papers.tables.spec import Spec

PROPOSED = ("linear Snowball", "Snowball", "truncated Krylov")
CHANNELS = {"lp": "LP", "lp_hp": "LP + HP", "lp_identity": "LP + identity", "added": "all, added"}
WHOLE = "all, mixed"
CHANGES = {
    "factor 1": "ACM-GCN",
    "layer norm": "ACM-GCN",
    "features as they are": "ACM-GCN",
    "no outer ReLU": "ACMII-GCN",
}
"""Rows of ours in ``ablation`` that change one thing of the released form, and of which network."""

_WAYS: tuple[tuple[str, Kind | None], ...] = (("published", None), ("tuned", "tuned"))


def few_labels(spec: Spec, results: Sequence[Accuracy]) -> Mapping[str, object]:
    """The gain of the proposed networks over GCN, and how often one of them is the best row.

    Args:
        spec: The table ``table1``.
        results: Its rows.
    """
    found = Results(spec, results)
    ways: tuple[tuple[str, Kind | None], ...] = (*_WAYS, ("same", "same"))
    facts: dict[str, object] = {f"gain_{name}": gap(found, PROPOSED, "GCN", kind) for name, kind in ways}
    for name, kind in (ways[0], ways[2]):
        best = best_rows(found, kind)
        facts[f"best_{name}"] = share(row in PROPOSED for row in best.values())
    for name, rows in {"gcn": ("GCN",), "proposed": PROPOSED}.items():
        pairs = [(found.column(row, "same"), found.column(row, None)) for row in rows]
        facts[name] = signed(
            [ours[place] - printed[place] for ours, printed in pairs for place in ours if place in printed], 1
        )
    return facts


def channels(spec: Spec, results: Sequence[Accuracy]) -> Mapping[str, object]:
    """What leaving out channels changes, over networks and graphs where the whole network learns: published, and tuned.

    Args:
        spec: The table ``ablation``.
        results: Its rows.
    """
    found = Results(spec, results)
    networks = dict.fromkeys(cell.variant for cell in spec.cells)
    learnt = {
        (cell.variant, cell.column.name)
        for cell in spec.cells
        if cell.row == WHOLE and (one := found.of(cell, "tuned")) is not None and one.learns
    }
    facts: dict[str, object] = {}
    for key, row in CHANNELS.items():
        for name, way in _WAYS:
            gaps: list[float] = []
            for network in networks:
                whole, part = (found.column(joined(network, one), way) for one in (WHOLE, row))
                both = [column for column in part if column in whole and (network, column) in learnt]
                gaps += [part[column] - whole[column] for column in both]
            facts[f"{key}_{name}"] = signed(gaps, 1)
    for row, network in CHANGES.items():
        released, changed = (found.column(joined(network, name), "same") for name in ("as released", row))
        gaps = [changed[column] - released[column] for column in changed if column in released]
        name = row.replace(" ", "_").lower()
        facts[name] = f"{fmean(gaps):+.1f}".replace("-", "−") if gaps else "–"
        facts[f"{name}_on"] = ", ".join(column for column in changed if column in released)
    return facts
