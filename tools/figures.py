"""The figures of the documentation: ``python -m tools.figures`` draws them into docs/images."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import torch

import allpass
from allpass.files import drafted
from allpass.graph import FilterBank, Operator, fourier_basis, matrix
from allpass.metrics import prepare, smoothing_curve
from tools.blocks import ROOT

IMAGES = ROOT / "docs" / "images"
INK, LOW, HIGH = "#555555", "#2563a8", "#c2511c"
STYLE: Any = {
    "svg.fonttype": "none",  # text stays text: small files, and the reader's own font
    "svg.hashsalt": "allpass",  # the same figure gives the same bytes
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def filters() -> Any:
    """A signal on a path, its low- and its high-pass part, and what the two channels do to each frequency."""
    N = 48
    path = torch.tensor([[*range(N - 1), *range(1, N)], [*range(1, N), *range(N - 1)]])
    A = Operator.from_edge_index(path, dtype=torch.float64)
    place = torch.arange(N, dtype=torch.float64)
    signal = torch.sin(2 * torch.pi * place / N) + 0.5 * (-1.0) ** place * torch.exp(
        -((place - 30) ** 2) / 60
    )
    bank = FilterBank.from_low_pass(matrix(A, "A_hat_rw"))
    low, high = bank.analyze(signal)
    figure, axes = plt.subplots(2, 2, figsize=(9, 4.4), layout="constrained")
    for axis, part, colour, title in (
        (axes[0, 0], signal, INK, "the signal x, one number a node"),
        (axes[1, 0], low, LOW, "low-pass: Âx, the average of each node and its neighbours"),
        (axes[1, 1], high, HIGH, "high-pass: x − Âx, the difference to it"),
    ):
        axis.axhline(0, color=INK, linewidth=0.5)
        axis.plot(place, part, color=colour, linewidth=1.2, marker="o", markersize=3)
        axis.set_ylim(-1.6, 1.6)
        axis.set_title(title, fontsize=10, loc="left", color=colour)
        axis.set_xlabel("node along the path")
    response = axes[0, 1]
    frequencies = fourier_basis(A, "L_hat_rw").frequencies
    response.plot(frequencies, 1 - frequencies, color=LOW, linewidth=1.6)
    response.plot(frequencies, frequencies, color=HIGH, linewidth=1.6)
    response.axhline(0, color=INK, linewidth=0.5)
    response.annotate("low-pass, 1 − λ", (0.08, 0.98), color=LOW, va="bottom")
    response.annotate("high-pass, λ", (1.0, 1.1), color=HIGH, ha="right", va="bottom")
    response.set_title("what becomes of each frequency λ", fontsize=10, loc="left")
    response.set_xlabel("frequency λ")
    return figure


def smoothing() -> Any:
    """Energy, distance and variance of Cora's features by rounds of averaging."""
    data = allpass.load("cora")
    dense = data.x if data.x.layout == torch.strided else data.x.to_dense()
    curve = smoothing_curve(prepare(data).adjacency, dense, 32)
    figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for key, colour, words in (
        ("variance", INK, "variance over nodes, relative to the start"),
        ("distance", LOW, "mean distance between neighbours (MAD)"),
        ("energy", HIGH, "Dirichlet energy, relative to the signal's size"),
    ):
        axis.plot(curve[key], color=colour, linewidth=1.6, label=words)
    axis.set_xlabel("rounds of averaging")
    axis.set_ylim(bottom=0)
    axis.set_xlim(0, 32)
    axis.legend(frameon=False, labelcolor="linecolor")
    return figure


def draw(folder: Path = IMAGES, figures: Iterable[Callable[[], Any]] = (filters, smoothing)) -> list[Path]:
    """Draw figures into a folder, each under its own name; returns the paths."""
    paths = []
    with mpl.rc_context(STYLE):
        for make in figures:
            figure = make()
            path = folder / f"{make.__name__}.svg"
            with drafted(path) as draft:
                figure.savefig(
                    draft, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
                )
            plt.close(figure)
            paths.append(path)
    return paths


if __name__ == "__main__":
    for drawn in draw():
        print(drawn.relative_to(ROOT))
