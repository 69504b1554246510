"""The page of a model of transitions: its states in the plane, its matrix next to the true one, its learning curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from allpass.report.canvas import canvas, in_style, legend, panels
from allpass.report.charts import Chart
from allpass.report.rl.layout import EDGES
from allpass.report.rl.maps import sequential
from allpass.report.rl.page import Page, chart, render, state_names
from allpass.report.theme import light
from allpass.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from allpass.rl.reconstruction import Reconstruction

Array = NDArray[np.float64]

_CELLS = 120  # a chain of more states is drawn in blocks
_LEAST = 0.01  # smaller probabilities are not drawn


def reconstruction_page(found: Reconstruction, name: str, command: str = "") -> Page:
    """The page of a model of transitions."""
    counts = found.model.counts
    tried, asked = int((counts.tried > 0).sum()), int(counts.asked.sum())
    facts = (
        ("States", f"{counts.num_states:,}", f"of which {int(counts.terminal.sum())} end episodes"),
        ("Actions", f"{counts.num_actions:,}", "relations of the graph"),
        ("Steps", f"{int(counts.tried.sum()):,}", "recorded"),
        ("Tried", f"{tried:,}", f"of {asked:,} pairs of state and action"),
        ("Predicted", f"{int((counts.asked & (counts.tried == 0)).sum()):,}", "pairs that were never tried"),
    )
    vectors = found.model.prediction.vectors
    charts = (
        None if vectors is None else embedding_chart(found, vectors),
        matrix_chart(found),
        curve_chart(found),
    )
    there = tuple(one for one in charts if one is not None)
    return Page(name, predicted(found), facts, there, command, about="transitions of its states")


def render_reconstruction(found: Reconstruction) -> str:
    """The page for a notebook."""
    return render(reconstruction_page(found, f"Transitions by {found.model.kind}"))


def predicted(found: Reconstruction) -> str:
    """How well the model predicts pairs that were left out, in one sentence."""
    kind = found.model.kind
    mine, base = found.held_out.get(kind), found.held_out.get("back-off")
    if mine is None or base is None:
        return f"Too few pairs of state and action were tried to leave some out, so {kind} was not measured."
    beside = "" if kind == "back-off" else f"; P(s'|s) alone ranks it with {base['mrr']:.2f}"
    pairs = f"{found.pairs} pair{'s' * (found.pairs != 1)}"
    return (
        f"For {pairs} of state and action that were left out, {kind} ranks what followed with a mean reciprocal rank "
        f"of {mine['mrr']:.2f}{beside}."
    )


def embedding_chart(found: Reconstruction, vectors: Array) -> Chart:
    """The vectors of the states in the plane."""
    place, share = plane(vectors)
    live = np.flatnonzero(~found.model.counts.terminal)
    order = live[np.argsort(-found.values[live], kind="stable")]
    labels = state_names(found.process)
    rows = [(labels[s], number(found.values[s]), number(place[s, 0]), number(place[s, 1])) for s in order]
    reading = (
        f"Each point is the vector of a state, projected onto the two directions of most variance ({share:.0%} of "
        "all). Dark states are worth more under the best policy; lines are moves. A model of relations can predict "
        "moves well although near states of the environment are far apart here."
    )
    headers = ("state", "value", "first direction", "second direction")
    return chart("embedding", "Embedding of the states", reading, embedding_map(found, place), headers, rows)


def matrix_chart(found: Reconstruction) -> Chart:
    """The chain of the uniform policy, learned and true; then the pairs that were never tried, as a table."""
    model = found.model
    counts = model.counts
    labels = state_names(found.process)
    actions = counts.actions or range(counts.num_actions)
    unseen = np.flatnonzero(counts.asked & (counts.tried == 0))
    rows = []
    for pair in unseen[np.argsort(-model.P[unseen].max(axis=1), kind="stable")]:
        state, action = divmod(int(pair), counts.num_actions)
        after = int(model.P[pair].argmax())
        true = () if found.true is None else (labels[int(found.true.P[[pair]].toarray().argmax())],)
        chance = number(model.P[pair, after])
        rows.append((labels[state], str(actions[action]), labels[after], chance, *true))
    what = "recorded" if found.true is None else "true"
    reading = (
        f"Probabilities of moves from states (rows) to states (columns) under the uniform policy: {what} on the left, "
        "learned on the right; dark is likely. Orange moves come mostly from pairs that were never tried, so they are "
        "predicted; the table lists these pairs."
    )
    headers = (
        "state",
        "action",
        "predicted next state",
        "probability",
        *([] if found.true is None else ["true"]),
    )
    title = f"Learned against {what} transitions"
    return chart("matrix", title, reading, matrix_maps(found), headers, rows)


def curve_chart(found: Reconstruction) -> Chart | None:
    """How the error falls with the number of steps, and the loss with the epochs."""
    if not found.curve:
        return None
    aim = "the true process" if found.true is not None else "what followed the pairs that were left out"
    rows = [
        (f"{size:,}", *(number(line[place]) for line in found.curve.values()))
        for place, size in enumerate(found.sizes)
    ]
    reading = (
        f"Mean total variation from {aim}, by the number of recorded steps: 0 is exact, 1 is all wrong. "
        "Dashed lines are predictions that learn nothing."
    )
    if found.model.prediction.losses:
        reading += " On the right, the loss of the embedding."
    headers = ("steps", *found.curve)
    return chart("curves", "Learning curves", reading, learning_curves(found), headers, rows)


def plane(vectors: Array) -> tuple[Array, float]:
    """Principal components ``[S, 2]`` of vectors, and their share of the variance; signs are fixed."""
    centred = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    place = np.zeros((len(vectors), 2))
    kept = min(2, len(sizes))
    place[:, :kept] = left[:, :kept] * sizes[:kept]
    largest = np.abs(place).argmax(axis=0)
    place *= np.where(place[largest, [0, 1]] < 0, -1, 1)
    return place, float((sizes[:2] ** 2).sum() / max((sizes**2).sum(), 1e-300))


@in_style
def embedding_map(found: Reconstruction, place: Array) -> Figure:
    """States in the plane, coloured by value."""
    from matplotlib.collections import LineCollection

    figure, axes = canvas(3.8, 5.2)
    live = np.flatnonzero(~found.model.counts.terminal)
    edges = _moves(found)
    axes.add_collection(LineCollection(place[edges], colors=light("line"), linewidths=0.4, zorder=1))  # type: ignore[arg-type]
    drawn = axes.scatter(
        place[live, 0],
        place[live, 1],
        c=found.values[live],
        s=max(4.0, min(30.0, 3000 / len(live))),
        cmap=sequential(),
        linewidths=0.3,
        edgecolors=light("line"),
        zorder=2,
    )
    axes.set_aspect("equal", adjustable="datalim")
    axes.axis("off")
    bar = figure.colorbar(drawn, ax=axes, shrink=0.75, aspect=24, label="value")
    bar.outline.set_visible(False)
    if bar.solids is not None:
        bar.solids.set_rasterized(False)
        bar.solids.set_edgecolor("face")
    return figure


def _moves(found: Reconstruction) -> NDArray[np.int64]:
    """Pairs of states ``[E, 2]`` that a likely move connects; a sample where there are many."""
    chain = found.model.induced("uniform").toarray() > _LEAST
    live = ~found.model.counts.terminal
    edges = np.argwhere(np.triu(chain | chain.T, 1) & live & live[:, None])
    if len(edges) > EDGES:
        edges = edges[np.random.default_rng(0).choice(len(edges), EDGES, replace=False)]
    return np.asarray(edges, dtype=np.int64)


@in_style
def matrix_maps(found: Reconstruction) -> Figure:
    """Both chains of the uniform policy as dots."""
    counts = found.model.counts
    Pi = counts.mask / np.maximum(counts.mask.sum(axis=1, keepdims=True), 1)
    rows = found.model.P if found.true is None else found.true.P.toarray()
    known = counts.shares.toarray() if found.true is None else rows
    unseen = counts.asked.reshape(Pi.shape) & ~found.model.seen
    figure, grid = panels(1, 2, 4.1, sharex=True, sharey=True)
    left, right = grid[0]
    _dots(left, _chain(known, Pi), None, "recorded" if found.true is None else "true")
    learned = _chain(found.model.P, Pi)
    guessed = _chain(found.model.P, Pi * unseen)
    _dots(right, learned, guessed > learned / 2, f"learned by {found.model.kind}")
    left.set_ylabel("state")
    legend(figure, grid)
    return figure


def _chain(P: Array, Pi: Array) -> Array:
    """Probabilities of moves ``[S, S]`` by P ``[S*A, S]`` and a policy ``[S, A]``; of many states, by blocks."""
    S, A = Pi.shape
    chain = np.einsum("sat,sa->st", P.reshape(S, A, S), Pi)
    block = -(-S // _CELLS)
    if block == 1:
        return chain
    size = -(-S // block)
    whole = np.zeros((size * block, size * block))
    whole[:S, :S] = chain
    return whole.reshape(size, block, size, block).sum(axis=(1, 3)) / block


def _dots(axes: Axes, chain: Array, guessed: NDArray[np.bool_] | None, title: str) -> None:
    row, column = np.nonzero(chain >= _LEAST)
    chance = chain[row, column]
    size = min(16.0, (240 / len(chain)) ** 2)
    marked = np.zeros(len(row), dtype=bool) if guessed is None else guessed[row, column]
    for chosen, role, label in ((~marked, "low", "from recorded steps"), (marked, "high", "predicted")):
        if not chosen.any():
            continue
        axes.scatter(
            column[chosen],
            row[chosen],
            s=size,
            marker="s",
            alpha=0.4 + 0.6 * chance[chosen] / chance.max(),
            color=light("ink" if guessed is None else role),
            linewidths=0,
            label="_" if guessed is None else label,
        )
    axes.set(title=title, xlabel="next state", xlim=(-1, len(chain)), ylim=(len(chain), -1))
    axes.set_aspect("equal")


@in_style
def learning_curves(found: Reconstruction) -> Figure:
    """Total variation by steps, and the loss by epochs where something was trained."""
    losses = found.model.prediction.losses
    figure, grid = panels(1, 2 if losses else 1, 3.2)
    axes = grid[0][0]
    roles = ("muted", "low", "good", "both")
    for place, (name, line) in enumerate(found.curve.items()):
        mine = name == found.model.kind
        role, style = ("high", "-") if mine else (roles[(place - 1) % len(roles)], "--")
        axes.plot(
            found.sizes,
            line,
            style,
            color=light(role),
            label=name,
            linewidth=1.6 if mine else 1.1,
            marker=".",
        )
    axes.set(xlabel="recorded steps", ylabel="total variation", xscale="log", ylim=(0, None))
    axes.set_xticks(found.sizes, [f"{size:,}" for size in found.sizes])
    axes.minorticks_off()
    axes.grid(axis="y")
    if losses:
        grid[0][1].plot(np.arange(1, len(losses) + 1), losses, color=light("high"), linewidth=1.4)
        grid[0][1].set(xlabel="epoch", ylabel="loss", ylim=(0, None))
    legend(figure, grid)
    return figure
