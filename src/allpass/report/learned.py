"""The picture and the page of a learned graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch

from allpass.report.canvas import in_style, panels
from allpass.report.rl.page import Page, chart, write
from allpass.report.theme import light
from allpass.train.learned_graph import LearnedGraph, changed
from allpass.train.trained import SETS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BINS = 20


def rows_of(graph: LearnedGraph) -> list[tuple[str, int, float | None, float | None]]:
    """Kinds of edges, how many there are, and the share within a class at test nodes and between training nodes."""
    kept = graph.edges[:, graph.is_given]
    kinds = (("given", graph.given), ("dropped", graph.dropped), ("kept", kept), ("added", graph.added))
    lines = [*kinds, ("learned", graph.edges)]
    return [
        (name, edges.shape[1], graph.same_class(edges), graph.same_class(edges, "train"))
        for name, edges in lines
    ]


@in_style
def learned_edges(graph: LearnedGraph) -> Figure:
    """Edges given, dropped, kept and added, and how many are within a class; the channel's weight where there is one.

    Args:
        graph: The learned graph.
    """
    figure, (row,) = panels(1, 2 if graph.channel is None else 3, 2.6)
    rows = rows_of(graph)
    names, places = [name for name, *_ in rows], range(len(rows))
    row[0].barh(places, [count for _, count, *_ in rows], color=light("neither"), height=0.6)
    row[0].set(title="edges")
    for offset, column, role, title in (
        (-0.2, 2, "low", "at test nodes"),
        (0.2, 3, "muted", "between training nodes"),
    ):
        there = [
            (place, one[column]) for place, one in zip(places, rows, strict=True) if one[column] is not None
        ]
        at, shares = [place + offset for place, _ in there], [100 * share for _, share in there]  # type: ignore[operator]
        row[1].barh(at, shares, color=light(role), height=0.38, label=title)
    row[1].set(title="within a class, %", xlim=(0, 100))
    row[1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=7)
    for axes in row[:2]:
        axes.set_yticks(places, names)
        axes.invert_yaxis()
    if graph.channel is not None:
        on_test = graph.channel if graph.sets is None else graph.channel[graph.sets == SETS["test"]]
        row[2].hist(on_test.tolist(), bins=_BINS, range=(0, 1), color=light("high"))
        row[2].axvline(0.25, color=light("muted"), linewidth=0.8)
        row[2].set(title="weight of the learned channel", ylabel="test nodes", xlim=(0, 1))
    return figure


def learned_page(graph: LearnedGraph, name: str, command: str = "") -> Page:
    """The page of a learned graph: what changed, and where edges are within a class.

    Args:
        graph: The learned graph.
        name: Of the data and the model.
        command: What makes the page again.
    """
    summary = graph.summary()

    def share(key: str) -> str:
        return "–" if summary[key] is None else f"{100 * summary[key]:.0f}%"

    h_agg = (
        "–" if summary[key] is None else f"{summary[key]:.2f}" for key in ("h_agg_test", "h_agg_test_given")
    )
    learned, given = h_agg
    facts = (
        ("Edges", f"{summary['kept']:,}", f"of the learned graph; {summary['given']:,} were given"),
        ("Added", f"{summary['added']:,}", "that the given graph lacks"),
        ("Dropped", f"{summary['dropped']:,}", "of the given edges"),
        (
            "Within a class",
            share("homophily_test"),
            f"at test nodes; given graph {share('homophily_test_given')}",
        ),
        ("H_agg", learned, f"of test nodes; given graph {given}"),
    )
    reading = (
        "Edges between training nodes may only repeat the labels that the model has seen. What it has learned shows at "
        "test nodes."
    )
    if graph.channel is not None:
        reading += " The line at 0.25 is the weight of a channel where all four weigh the same."
    rows = [
        (kind, f"{count:,}", *("–" if one is None else f"{100 * one:.1f}%" for one in shares))
        for kind, count, *shares in rows_of(graph)
    ]
    headers = ("edges", "count", "within a class at test nodes", "between training nodes")
    picture = chart("learned", "What the learner changed", reading, learned_edges(graph), headers, rows)
    strongest = torch.argsort(graph.weight, descending=True)[:200]
    names = graph.ids or range(graph.num_nodes)
    edges = [
        (str(names[u]), str(names[v]), f"{w:.3f}", "kept" if old else "added")
        for u, v, w, old in zip(
            *graph.edges[:, strongest].tolist(),
            graph.weight[strongest].tolist(),
            graph.is_given[strongest].tolist(),
            strict=True,
        )
    ]
    weights = chart(
        "weights",
        "Weights of the learned edges",
        "How strong edges are that the given graph has, and those that were added. The table has the strongest 200.",
        edge_weights(graph),
        ("source", "target", "weight", "change"),
        edges,
    )
    words = " ".join(changed(summary))
    return Page(name, words, facts, (picture, weights), command, "a learned graph", "the learned graph")


@in_style
def edge_weights(graph: LearnedGraph) -> Figure:
    """A histogram of the weights of kept and added edges."""
    figure, (row,) = panels(1, 1, 2.4)
    groups = [graph.weight[graph.is_given].tolist(), graph.weight[~graph.is_given].tolist()]
    row[0].hist(
        groups, bins=_BINS, stacked=True, color=[light("low"), light("high")], label=["kept", "added"]
    )
    row[0].set(xlabel="weight", ylabel="edges")
    row[0].legend()
    return figure


def write_learned(graph: LearnedGraph, path: str | Path, name: str, command: str = "") -> Path:
    """Write the page of a learned graph as one HTML file; returns the path."""
    return write(learned_page(graph, name, command), path)
