"""What was derived of the sizes in every layer, and what is measured before training."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from allpass.papers.depth.grid import Combination
from allpass.papers.pages.depth.findings import Findings, Growth
from allpass.papers.pages.page import Block, Heading, Table, Text
from allpass.report.wording import count

QUANTITIES = {
    "variance": "forward variance",
    "gradient_variance": "gradient variance",
    "energy": "energy",
}
_ABOUT = (
    "Before training, a size changes from one hidden layer to the next by some factor. It was derived for neighbours "
    "that are independent, as most of the initialisations take them, and for neighbours that are the same (not of "
    "gradients). Both take Tanh for the identity, which it is of small signals alone."
)


def predictions(findings: Findings) -> tuple[Block, ...]:
    """The section; nothing where no network has two hidden layers.

    Args:
        findings: The rows.
    """
    lines = [line for quantity in QUANTITIES for line in _judged(findings, quantity)]
    if not lines:
        return ()
    judged = Table(
        "The factor of a layer, derived and measured: how far the middle one of all networks is off, as a factor, by "
        "each derivation; and in how many the measured one lies between the two. Out of range: single precision holds "
        "no such numbers.",
        (
            "size, activation",
            "networks",
            "out of range",
            "off by, independent",
            "off by, the same",
            "between the two",
        ),
        tuple(lines),
    )
    return Heading("What was derived, and what is measured"), Text(_ABOUT), judged, *_kept(findings)


def told_predictions(findings: Findings) -> tuple[str, ...]:
    """How far both derivations of the forward variance are off, by activation; arguments of :func:`predictions`."""
    lines = _judged(findings, "variance")
    told = "; ".join(
        f"{name.partition(', ')[2]} {first} and {second}" for name, _, _, first, second, _ in lines
    )
    text = (
        "What a layer makes of the variance before training was derived for independent neighbours and for neighbours "
        f"that are the same; by these factors it is off, in the middle over networks: {told}."
    )
    return (text,) if lines else ()


def _judged(findings: Findings, quantity: str) -> list[tuple[str, ...]]:
    lines: list[tuple[str, ...]] = []
    for activation, title in findings.grid.activations.items():
        places = [place for place in findings.found if place.activation == activation and place.layers > 2]
        known = [growth for place in places if (growth := findings.growth(place, quantity)) is not None]
        if known:
            alike = [(one, one.alike) for one in known if one.alike is not None]
            between = sum(
                min(one.independent, same) <= one.measured <= max(one.independent, same)
                for one, same in alike
            )
            lines.append(
                (
                    f"{QUANTITIES[quantity]}, {title}",
                    count(len(known)),
                    count(len(places) - len(known)),
                    _off([one.measured - one.independent for one in known]),
                    _off([one.measured - same for one, same in alike]),
                    count(between) if alike else "–",
                )
            )
    return lines


def _off(differences: Sequence[float]) -> str:
    """The middle one of powers of ten, whatever their sign, as a factor."""
    return f"{10 ** median(map(abs, differences)):.3g}" if differences else "–"


def _kept(findings: Findings) -> list[Table]:
    """Which initialisations keep which sizes, in networks as deep as are drawn."""
    deep = [depth for depth in findings.depths if depth in findings.grid.profiles["depths"]]
    tables = []
    for quantity, words in QUANTITIES.items() if deep else ():
        lines = [
            (
                name,
                *(_factor(findings, name, activation, deep[-1], quantity) for activation in _shown(findings)),
            )
            for name in findings.present("initialisations")
        ]
        tables.append(
            Table(
                f"By what a hidden layer multiplies the {words} before training, with {deep[-1]} layers: the middle "
                "one of all graphs, and from the lowest to the highest. At 1 it is kept.",
                (
                    "initialisation",
                    *(findings.grid.activations[activation] for activation in _shown(findings)),
                ),
                tuple(lines),
            )
        )
    return tables


def _shown(findings: Findings) -> list[str]:
    return findings.present("activations")


def _factor(findings: Findings, name: str, activation: str, layers: int, quantity: str) -> str:
    growths: list[Growth] = []
    for dataset in findings.present("datasets"):
        growth = findings.growth(Combination(dataset, activation, name, layers), quantity)
        if growth is not None:
            growths.append(growth)
    if not growths:
        return "–"
    factors = [10**growth.measured for growth in growths]
    ends = f" ({min(factors):.3g} to {max(factors):.3g})" if len(factors) > 1 else ""
    return f"{median(factors):.3g}{ends}"
