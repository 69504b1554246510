"""What training makes of the sizes in every layer: the factor of a layer at the start, and at the end."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from allpass.papers.depth.grid import Combination
from allpass.papers.pages.depth.findings import Findings
from allpass.papers.pages.depth.predictions import QUANTITIES
from allpass.papers.pages.page import Block, Heading, Table, Text
from allpass.report.wording import count


def training(findings: Findings) -> tuple[Block, ...]:
    """The section; nothing where no network has two hidden layers at its end.

    Args:
        findings: The rows.
    """
    tables = [
        _table(findings, layers, quantity)
        for layers in findings.depths
        if layers in findings.grid.profiles["depths"]
        for quantity in QUANTITIES
    ]
    if not any(_pairs(findings, findings.found, quantity) for quantity in QUANTITIES):
        return ()
    return Heading("Before and after training"), Text(_closer(findings)), *tables


def _closer(findings: Findings) -> str:
    """In how many networks a layer keeps a size better after training than before."""
    told = []
    for quantity, words in QUANTITIES.items():
        pairs = _pairs(findings, findings.found, quantity)
        closer = sum(abs(end) < abs(start) for start, end in pairs)
        told.append(f"{words} in {count(closer)} of {count(len(pairs))}")
    return (
        "A size is kept where a layer multiplies it by 1. Networks of all depths in which that factor is nearer to 1, "
        f"as a ratio, at the reported epoch than before training: {', '.join(told)}. What diverged has no such epoch."
    )


def _table(findings: Findings, layers: int, quantity: str) -> Table:
    activations = findings.present("activations")
    return Table(
        f"By what a hidden layer multiplies the {QUANTITIES[quantity]}, with {layers} layers: before training → at the "
        "reported epoch, the middle one of the graphs on which there is such an epoch; in brackets the latter from the "
        "lowest to the highest, and on how many graphs where that is not all of them.",
        ("initialisation", *(findings.grid.activations[activation] for activation in activations)),
        tuple(
            (name, *(_cell(findings, name, activation, layers, quantity) for activation in activations))
            for name in findings.present("initialisations")
        ),
    )


def _cell(findings: Findings, name: str, activation: str, layers: int, quantity: str) -> str:
    places = [
        place
        for dataset in findings.present("datasets")
        if (place := Combination(dataset, activation, name, layers)) in findings.found
    ]
    pairs = _pairs(findings, places, quantity)
    if not pairs:
        return "none" if places else "–"
    starts, ends = ([10**size for size in sizes] for sizes in zip(*pairs, strict=True))
    said = [f"{min(ends):.3g} to {max(ends):.3g}"] if len(ends) > 1 else []
    said += [f"{len(ends)} of {len(places)}"] if len(ends) < len(places) else []
    return f"{median(starts):.3g} → {median(ends):.3g}" + (f" ({', '.join(said)})" if said else "")


def _pairs(findings: Findings, places: Iterable[Combination], quantity: str) -> list[tuple[float, float]]:
    """The slopes at the start and at the end of the networks that have both, in powers of ten."""
    slopes = (
        (findings.slope(place, f"start_{quantity}"), findings.slope(place, f"end_{quantity}"))
        for place in places
    )
    return [(start, end) for start, end in slopes if start is not None and end is not None]
