"""Where the labels lie in the graph's spectrum."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from allpass.data.draft import many
from allpass.graph import signal_density, spectral_density
from allpass.graph.spectrum import EXACT_LIMIT, default_probes
from allpass.metrics import LabelledGraph

BINS = 30
BANDS = {"low": (0, BINS // 3), "middle": (BINS // 3, 2 * BINS // 3), "high": (2 * BINS // 3, BINS)}

_NUMBERS = 8_000_000
"""Values of a signal that are followed over the frequencies; of more classes, random sums are taken."""

_FEWEST = 8


@dataclass(frozen=True)
class Frequencies:
    """Shares of energy over the frequencies [0, 2] of the renormalised Laplacian, in equal bins.

    Args:
        edges: Bin edges.
        spectrum: Share of the eigenvalues in each bin: what a random signal would have.
        labels: Share of the labels' energy, the graph's own constant signal taken out; empty without labels. Labels
            are classes, one signal each, or numbers less their mean; a node without a label has 0.
        bands: Share of the labels' energy in the low, middle and high third.
        random_bands: The same for a random signal.
        sample: What was estimated from random signals, in a sentence; empty where nothing was.
    """

    edges: tuple[float, ...]
    spectrum: tuple[float, ...]
    labels: tuple[float, ...]
    bands: dict[str, float]
    random_bands: dict[str, float]
    sample: str = ""


def find_frequencies(graph: LabelledGraph, *, seed: int = 0) -> Frequencies:
    """The spectrum of a prepared graph and the labels' place in it."""
    edges, spectrum = spectral_density(graph.adjacency, BINS, seed=seed)
    signal, labels = _signal(graph), None
    width = max(_FEWEST, _NUMBERS // max(graph.num_nodes, 1))
    sketched = signal is not None and signal.shape[1] > width
    if signal is not None:
        signal = _without_constant(graph, _sketch(signal, width, seed) if sketched else signal)
        _, labels = signal_density(graph.adjacency, signal, BINS)
    return Frequencies(
        edges=tuple(edges.tolist()),
        spectrum=tuple(spectrum.tolist()),
        labels=() if labels is None else tuple(labels.tolist()),
        bands={} if labels is None else _by_band(labels),
        random_bands=_by_band(spectrum),
        sample=_sample(graph.num_nodes, width if sketched else 0, seed),
    )


def _signal(graph: LabelledGraph) -> Tensor | None:
    """One-hot classes, or one column of numbers with mean 0; nothing where all labels are the same."""
    if graph.y is not None:
        return graph.Z if graph.num_classes > 1 else None
    if graph.numbers is None:
        return None
    known = ~graph.numbers.isnan()
    numbers = graph.numbers[known]
    if not len(numbers) or numbers.max() - numbers.min() <= 1e-12 * numbers.abs().max():
        return None
    return torch.where(known, graph.numbers - numbers.mean(), 0.0).unsqueeze(1)


def _sketch(signal: Tensor, width: int, seed: int) -> Tensor:
    """Random sums of the columns, which have the same energy at each frequency on average."""
    generator = torch.Generator().manual_seed(seed)
    signs = torch.randint(0, 2, (signal.shape[1], width), generator=generator).to(signal).mul_(2).sub_(1)
    return signal @ signs


def _without_constant(graph: LabelledGraph, signal: Tensor) -> Tensor:
    """The signal minus its part along the zero-frequency signal sqrt(d + 1), which every graph has."""
    flat = (graph.adjacency.row_sums + 1).sqrt().unsqueeze(1)
    return signal - flat @ (flat.mT @ signal) / flat.square().sum()


def _sample(num_nodes: int, width: int, seed: int) -> str:
    if num_nodes <= EXACT_LIMIT:
        return ""
    probes = many(default_probes(num_nodes), "random signal")
    classes = f" and {width} random sums of the classes" if width else ""
    return f"The spectrum is estimated from {probes}{classes} (seed {seed})."


def _by_band(shares: Tensor) -> dict[str, float]:
    return {band: float(torch.sum(shares[start:stop])) for band, (start, stop) in BANDS.items()}
