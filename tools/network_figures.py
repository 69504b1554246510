"""What networks do to signals, drawn: ``python -m tools.network_figures`` draws the figures into docs/images."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import matplotlib.pyplot as plt
import torch
from matplotlib.colors import LinearSegmentedColormap
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data

import allpass
from allpass.data import contextual_sbm, regular_graph, splits
from allpass.graph import FilterBank, Operator, fourier_basis, krylov_basis, matrix
from allpass.metrics import edge_homophily
from allpass.models import create, hidden_ranks
from allpass.nn import APPNP, BernFilter, FAConv, GATConv, GPRFilter, H2GCNConv, LabelPropagation
from tools.blocks import ROOT
from tools.figures import HIGH, INK, LOW, draw

OWN, EXTRA = "#2e7d4f", "#7a4fa3"
SIGNED = LinearSegmentedColormap.from_list("signed", (HIGH, "#dddddd", LOW))
SEVEN = ((0, 1), (0, 3), (0, 4), (3, 4), (3, 5), (3, 6), (4, 5), (5, 6), (2, 5), (2, 6))
PLACES = ((0.0, 0.6), (-0.9, 1.0), (3.1, 1.1), (0.9, -0.5), (0.9, 0.9), (2.2, 0.2), (2.2, -0.8))


def acm_signal() -> Any:
    """The seven-node example of the ACM paper: what each channel and the mixture make of its labels."""
    A = _undirected(SEVEN, 7)
    x = torch.tensor([1.0, 1, 1, -1, -1, -1, -1], dtype=torch.float64)
    low, high = FilterBank.from_low_pass(matrix(A, "A_hat_rw")).analyze(x)
    differing = torch.tensor([True, False, True, False, False, False, False])
    mixture = torch.where(differing, high, low)
    figure, axes = plt.subplots(2, 3, figsize=(9, 5), layout="constrained")
    for axis, signal, title in (
        (axes[0, 0], x, "identity: the signal x"),
        (axes[0, 1], low, "low-pass: Âx"),
        (axes[1, 0], high, "high-pass: x − Âx"),
        (axes[1, 1], mixture, "mixture: 1 and 3 high, others low"),
    ):
        _graph(axis, A, signal, title)
    basis = fourier_basis(A, "L_hat_rw")
    energy = basis.transform(x.unsqueeze(1)).flatten().square()
    energy = energy / energy.sum()  # a node counts by its degree + 1: so the basis of L_hat_rw is orthogonal
    for axis, responses, title in (
        (axes[0, 2], ((torch.ones(7), INK),), "share of the energy of x by frequency"),
        (
            axes[1, 2],
            ((1 - basis.frequencies, LOW), (basis.frequencies, HIGH)),
            "what of it is in low and in high",
        ),
    ):
        for number, (response, colour) in enumerate(responses):
            places = basis.frequencies + 0.035 * (2 * number - 1) * (len(responses) > 1)
            axis.bar(places.numpy(), (energy * response.square()).numpy(), width=0.06, color=colour)
        axis.set_title(title, fontsize=10, loc="left")
        axis.set_xlabel("frequency λ")
        axis.set_ylim(0, float(energy.max()) * 1.05)
    return figure


def acm_weights() -> Any:
    """Mixing weights after training: on graphs of three homophilies, on Cora, and on a graph that is half and half."""
    graphs = [(f"drawn,\nh = {h:g}", _regular(h)) for h in (0.05, 0.2, 0.9)] + [
        (f"Cora,\nh = {_cora_homophily():.2f}", _cora())
    ]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", width_ratios=(1.25, 1))
    for place, (_, data) in enumerate(graphs):
        weights = _mixing(data).numpy()
        for channel, colour in enumerate((LOW, HIGH, OWN)):
            values = weights[:, channel]
            left.bar(place + 0.26 * (channel - 1), values.mean(), 0.24, color=colour, alpha=0.8)
            left.errorbar(place + 0.26 * (channel - 1), values.mean(), values.std(), color=INK, capsize=3)
    left.set_xticks(range(len(graphs)), [name for name, _ in graphs])
    left.set_ylim(0, 1)
    left.set_title("mean over nodes ± deviation between nodes", fontsize=10, loc="left")
    for channel, (name, colour) in enumerate((("low", LOW), ("high", HIGH), ("identity", OWN))):
        left.text(0.5 + 0.17 * channel, 0.93, name, color=colour, transform=left.transAxes)
    data = half_and_half()
    alpha, agree = _mixing(data), data.x[:, -1] == 0
    for nodes, colour, name in (
        (agree, LOW, "nodes whose neighbours agree"),
        (~agree, HIGH, "nodes whose neighbours differ"),
    ):
        right.hist(alpha[nodes, 0].numpy(), bins=36, range=(0.35, 0.8), color=colour, alpha=0.6, label=name)
    right.set_title("one graph with nodes of both kinds", fontsize=10, loc="left")
    right.set_ylim(0, 65)
    right.legend(frameon=False, loc="upper left")
    right.set_xlabel("weight of the low-pass channel")
    right.set_ylabel("nodes")
    return figure


def ranks() -> Any:
    """How many independent features are left by depth (report, figure 1, at a smaller size)."""
    generator = torch.Generator().manual_seed(0)
    upper = (torch.rand(300, 300, generator=generator) < 10 / 300).triu(1)
    edges = (upper | upper.T).nonzero().T.contiguous()
    x = F.normalize(torch.randn(300, 150, generator=generator), p=1, dim=1)
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.1), layout="constrained", sharey=True)
    for axis, name in zip(axes, ("gcn", "snowball", "krylov"), strict=True):
        for activation, colour in (("tanh", LOW), ("identity", INK), ("relu", HIGH)):
            curve = hidden_ranks(name, activation, x, edges, depth=80, width=48)  # type: ignore[arg-type]
            axis.plot(range(1, 81), curve, color=colour, linewidth=1.5, label=activation)
        axis.set_title(name, fontsize=10, loc="left")
        axis.set_xlabel("layer")
        axis.set_ylim(0, 50)
    axes[0].set_ylabel("numerical rank, at most 48")
    axes[0].legend(frameon=False, labelcolor="linecolor", loc="lower left")
    return figure


def deep_signal() -> Any:
    """A wave with a bend in it: what is left after eight averagings, and what eight Krylov blocks can still say."""
    A, place, signal = _path()
    S = matrix(A, "A_hat_rw")
    target = signal - S @ signal
    blocks = krylov_basis(S, signal.unsqueeze(1), 9)
    last = blocks[:, -1:]
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.7), layout="constrained", sharey=True)
    for axis, part, colour, title in (
        (axes[0], target, INK, "wanted: the rough part of x"),
        (axes[1], _fitted(last, target), HIGH, "best from Â⁸x alone (deep GCN)"),
        (axes[2], _fitted(blocks, target), LOW, "best from x, Âx, …, Â⁸x (Krylov)"),
    ):
        axis.axhline(0, color=INK, linewidth=0.5)
        axis.plot(place.numpy(), part.numpy(), color=colour, linewidth=1.2, marker="o", markersize=2.5)
        axis.set_title(title, fontsize=10, loc="left", color=colour)
        axis.set_xlabel("node along the path")
    return figure


def responses() -> Any:
    """What polynomial filters do to each frequency: fixed ones, and two that were learned on drawn graphs."""
    frequency = torch.linspace(0, 2, 201)
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 3.3), layout="constrained", sharey=True)
    fixed = (
        ("SGC-1", 1 - frequency, "#8ab4dd", "-"),
        ("SGC-2", (1 - frequency) ** 2, LOW, "-"),
        ("SGC-8", (1 - frequency) ** 8, LOW, ":"),
        ("APPNP, α = 0.1", APPNP(10, 0.1).response(1 - frequency), HIGH, "-"),
        ("APPNP, α = 0.5", APPNP(10, 0.5).response(1 - frequency), "#e39a77", "-"),
    )
    for name, values, colour, line in fixed:
        axes[0].plot(frequency.numpy(), values.numpy(), line, color=colour, linewidth=1.5, label=name)
    axes[0].set_title("fixed", fontsize=10, loc="left")
    for axis, name, title in (
        (axes[1], "gprgnn", "GPRGNN, learned"),
        (axes[2], "bernnet", "BernNet, learned"),
    ):
        for homophily, colour in ((0.9, LOW), (0.2, INK), (0.05, HIGH)):
            learned: GPRFilter | BernFilter = _trained(name, _regular(homophily)).filter  # type: ignore[assignment]
            with torch.no_grad():
                values = learned.response(1 - frequency)
            axis.plot(
                frequency.numpy(),
                (values / values.abs().max()).numpy(),
                color=colour,
                label=f"h = {homophily:g}",
            )
        axis.set_title(f"{title} (largest = 1)", fontsize=10, loc="left")
    for axis in axes:
        axis.axhline(0, color=INK, linewidth=0.5)
        axis.set_xlabel("frequency λ")
        axis.legend(frameon=False, labelcolor="linecolor", fontsize=9)
    return figure


def polynomial_signal() -> Any:
    """The signal of the page on filters after SGC, APPNP and a Bernstein filter that keeps both ends."""
    A, place, signal = _path()
    comb = BernFilter(10, filter="A_hat_sym").double()
    with torch.no_grad():
        comb.theta.copy_(torch.tensor([1.0] + [0.0] * 7 + [1.0] * 3))
        parts = (
            (signal, INK, "the signal"),
            ((matrix(A, "A_hat_sym") ** 8) @ signal, LOW, "SGC-8: smooth, and shrinking"),
            (APPNP(10, 0.3)(signal.unsqueeze(1), A).flatten(), HIGH, "APPNP, α = 0.3: smoothed, kept near x"),
            (comb(signal.unsqueeze(1), A).flatten(), OWN, "BernNet with both ends open, no middle"),
        )
    figure, axes = plt.subplots(2, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
    for axis, (part, colour, title) in zip(axes.flat, parts, strict=True):
        axis.axhline(0, color=INK, linewidth=0.5)
        axis.plot(place.numpy(), part.numpy(), color=colour, linewidth=1.2, marker="o", markersize=2.5)
        axis.set_title(title, fontsize=10, loc="left", color=colour)
    for axis in axes[1]:
        axis.set_xlabel("node along the path")
    return figure


def gates() -> Any:
    """Mean attention and mean gates by the classes of the two nodes of an edge, on graphs of three homophilies."""
    figure, axes = plt.subplots(2, 3, figsize=(8, 4.6), layout="constrained")
    for (above, below), homophily in zip(axes.T, (0.9, 0.5, 0.1), strict=True):
        data = noisy_classes(homophily)
        A = Operator.from_edge_index(data.edge_index, num_nodes=len(data.y))
        attention, adaptation = _trained("gat", data), _trained("fagcn", data)
        with torch.no_grad():
            conv: GATConv = attention.layers[0]  # type: ignore[assignment,index]
            edges, alpha = conv.attention(data.x, A)
            share = alpha.mean(dim=1) * torch.bincount(edges[1])[edges[1]]
            first: FAConv = adaptation.layers[0]  # type: ignore[assignment,index]
            signed, gate = first.gates(adaptation.first(data.x).relu(), A)  # type: ignore[operator]
        _classes(above, data.y, edges, share, 1, f"GAT, h = {homophily:g}")
        _classes(below, data.y, signed, gate, 0, f"FAGCN, h = {homophily:g}")
    return figure


def _classes(axis: Any, y: Tensor, edges: Tensor, values: Tensor, middle: float, title: str) -> None:
    """Four means: by the class of the target (down) and of the source (across)."""
    source, target = edges
    means = torch.stack(
        [
            values[(y[target] == t) & (y[source] == s) & (source != target)].mean()
            for t in (0, 1)
            for s in (0, 1)
        ]
    ).reshape(2, 2)
    axis.imshow(means.numpy(), cmap=SIGNED, vmin=middle - 1.3, vmax=middle + 1.3, aspect=0.6)
    for t in (0, 1):
        for s in (0, 1):
            axis.text(s, t, f"{means[t, s]:.2f}".replace("-", "−"), ha="center", va="center", color="#222222")
    axis.set_title(title, fontsize=10, loc="left")
    axis.set_xticks((0, 1), ("from class 0", "from class 1"))
    axis.set_yticks((0, 1), ("to 0", "to 1"))
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


def rings() -> Any:
    """Class scores on a graph of two sides: the neighbours, their neighbours, and labels that spread."""
    generator = torch.Generator().manual_seed(3)
    y = torch.arange(40) // 20
    across = torch.rand(40, 40, generator=generator) < torch.where(y[:, None] == y, 0.01, 0.16)
    edges = (across.triu(1) | across.triu(1).T).nonzero().T.contiguous()
    A = Operator.from_edge_index(edges, num_nodes=40)
    sign = 1.0 - 2 * y
    x = sign + 0.9 * torch.randn(40, generator=generator)
    near, far = H2GCNConv()(x.unsqueeze(1), A).unbind(dim=1)
    mask = torch.rand(40, generator=generator) < 0.4
    spread = LabelPropagation(2, alpha=0.9)(x.unsqueeze(1), A, labels=y, mask=mask)
    figure, axes = plt.subplots(1, 4, figsize=(9.4, 2.8), layout="constrained", sharey=True)
    for axis, signal, title in (
        (axes[0], x, "own feature"),
        (axes[1], near, "neighbours, Ā₁x"),
        (axes[2], far, "two steps away, Ā₂x"),
        (axes[3], 20 * (spread[:, 0] - spread[:, 1]), "label propagation (× 20)"),
    ):
        right = int((signal.sign() == sign).sum())
        axis.bar(range(40), signal.numpy(), color=[LOW if label == 0 else HIGH for label in y.tolist()])
        axis.axhline(0, color=INK, linewidth=0.5)
        axis.set_title(f"{title}\nsign right: {right} of 40", fontsize=10, loc="left")
        axis.set_xlabel("nodes, class after class")
    return figure


FIGURES: tuple[Callable[[], Any], ...] = (
    acm_signal, acm_weights, ranks, deep_signal, responses, polynomial_signal, gates, rings,
)  # fmt: skip


def noisy_classes(homophily: float) -> Data:
    """Two classes of 300 nodes with features that tell them apart in about three cases of four."""
    mixing = [[homophily, 1 - homophily], [1 - homophily, homophily]]
    data = contextual_sbm([300, 300], mixing, average_degree=8, num_features=8, seed=0)
    noise = torch.randn(data.x.shape, generator=torch.Generator().manual_seed(1))
    data.x = data.x / 4 + 0.75 * noise
    return data


def half_and_half() -> Data:
    """Two graphs of 300 nodes and three classes, one homophilous and one heterophilous, and a feature that tells."""
    generator = torch.Generator().manual_seed(0)
    y, agree = torch.arange(600) % 3, torch.arange(600) < 300
    inside, outside = torch.where(agree, 0.08, 0.0), torch.where(agree, 0.004, 0.044)
    chance = torch.where(y[:, None] == y, inside, outside) * (agree[:, None] == agree)
    upper = (torch.rand(600, 600, generator=generator) < chance).triu(1)
    centres = torch.randn(3, 8, generator=generator)
    own = 0.6 * centres[y] + torch.randn(600, 8, generator=generator)
    x = torch.cat([own, torch.stack([agree, ~agree], dim=1).float()], dim=1)
    return Data(x=x, y=y, edge_index=(upper | upper.T).nonzero().T.contiguous())


@cache
def _regular(homophily: float) -> Data:
    data = regular_graph(homophily, nodes_per_class=300, directed=False, features=allpass.load("cora"))
    data.x = F.normalize(data.x, p=1, dim=1).to_sparse_csr()
    return data


@cache
def _cora() -> Data:
    data = allpass.load("cora")
    return Data(x=F.normalize(data.x, p=1, dim=1).to_sparse_csr(), y=data.y, edge_index=data.edge_index)


def _cora_homophily() -> float:
    return edge_homophily(_cora().edge_index, _cora().y)


def _trained(name: str, data: Data, epochs: int = 150) -> nn.Module:
    torch.manual_seed(0)
    A = Operator.from_edge_index(data.edge_index, num_nodes=len(data.y))
    mask = splits(data, "stratified", count=1, seed=0, salt="none")[0].train
    model = create(name, in_channels=data.x.shape[1], out_channels=int(data.y.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
    for _ in range(epochs):
        optimizer.zero_grad()
        F.cross_entropy(model(data.x, A)[mask], data.y[mask]).backward()
        optimizer.step()
    return model.eval()


def _mixing(data: Data) -> Tensor:
    """The weights of the first layer, ``[N, 3]``."""
    model = _trained("acm-gcn", data)
    with torch.no_grad():
        model(data.x, Operator.from_edge_index(data.edge_index, num_nodes=len(data.y)))
    weights: Tensor = model.layers[0].mixing_weights  # type: ignore[index,union-attr]
    return weights


def _undirected(edges: Any, nodes: int) -> Operator:
    both = torch.tensor([*edges, *((v, u) for u, v in edges)]).T
    return Operator.from_edge_index(both, num_nodes=nodes, dtype=torch.float64)


def _path(nodes: int = 48) -> tuple[Operator, Tensor, Tensor]:
    """A path, and on it a smooth wave with a rough patch."""
    A = _undirected([(place, place + 1) for place in range(nodes - 1)], nodes)
    place = torch.arange(nodes, dtype=torch.float64)
    rough = 0.5 * (-1.0) ** place * torch.exp(-((place - 30) ** 2) / 60)
    return A, place, torch.sin(2 * torch.pi * place / nodes) + rough


def _fitted(columns: Tensor, target: Tensor) -> Tensor:
    """The nearest to ``target`` that the columns can make."""
    return columns @ torch.linalg.lstsq(columns, target.unsqueeze(1), driver="gelsd").solution.flatten()


def _graph(axis: Any, A: Operator, signal: Tensor, title: str) -> None:
    for source, target in A.edge_index.T.tolist():
        (x1, y1), (x2, y2) = PLACES[source], PLACES[target]
        axis.plot((x1, x2), (y1, y2), color=INK, linewidth=0.8, zorder=1)
    across, up = zip(*PLACES, strict=True)
    look = {
        "s": 620,
        "cmap": SIGNED,
        "vmin": -1.4,
        "vmax": 1.4,
        "edgecolors": INK,
        "zorder": 2,
        "clip_on": False,
    }
    axis.scatter(across, up, c=signal.numpy(), **look)
    for number, ((x, y), value) in enumerate(zip(PLACES, signal.tolist(), strict=True), start=1):
        axis.annotate(
            f"{value + 0.0:.1f}".replace("-", "−"),
            (x, y),
            ha="center",
            va="center",
            fontsize=9,
            color="#222222",
        )
        axis.annotate(str(number), (x, y), (11, 11), textcoords="offset points", fontsize=8)
    axis.set_title(title, fontsize=10, loc="left")
    axis.set_axis_off()
    axis.set_aspect("equal")
    axis.margins(0.12)


if __name__ == "__main__":
    for drawn in draw(figures=FIGURES):
        print(drawn.relative_to(ROOT))
