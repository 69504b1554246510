"""Where the labels and the features lie in the graph's spectrum."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from allpass.graph import signal_density, spectral_density
from allpass.metrics import LabelledGraph

BINS = 30
BANDS = {"low": (0, BINS // 3), "middle": (BINS // 3, 2 * BINS // 3), "high": (2 * BINS // 3, BINS)}


@dataclass(frozen=True)
class Frequencies:
    """Shares of energy over the frequencies [0, 2] of the renormalised Laplacian, in equal bins.

    Args:
        edges: Bin edges.
        spectrum: Share of the eigenvalues in each bin: what a random signal would have.
        labels: Share of the labels' energy, the graph's own constant signal taken out; empty without labels.
        bands: Share of the labels' energy in the low, middle and high third.
        random_bands: The same for a random signal.
    """

    edges: tuple[float, ...]
    spectrum: tuple[float, ...]
    labels: tuple[float, ...]
    bands: dict[str, float]
    random_bands: dict[str, float]


def find_frequencies(graph: LabelledGraph) -> Frequencies:
    """The spectrum of a prepared graph and the labels' place in it."""
    edges, spectrum = spectral_density(graph.adjacency, BINS)
    labels = None
    if graph.y is not None and graph.num_classes > 1:
        _, labels = signal_density(graph.adjacency, _without_constant(graph), BINS)
    return Frequencies(
        edges=tuple(edges.tolist()),
        spectrum=tuple(spectrum.tolist()),
        labels=() if labels is None else tuple(labels.tolist()),
        bands={} if labels is None else _by_band(labels),
        random_bands=_by_band(spectrum),
    )


def _without_constant(graph: LabelledGraph) -> Tensor:
    """One-hot labels minus their part along the zero-frequency signal sqrt(d + 1), which every graph has."""
    flat = (graph.adjacency.row_sums + 1).sqrt().unsqueeze(1)
    return graph.Z - flat @ (flat.mT @ graph.Z) / flat.square().sum()


def _by_band(shares: Tensor) -> dict[str, float]:
    return {band: float(torch.sum(shares[start:stop])) for band, (start, stop) in BANDS.items()}
