"""The page of a learned graph: its numbers are those of the graph, and it needs nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from allpass.report.learned import edge_weights, learned_edges, learned_page, rows_of, write_learned
from allpass.train.learned_graph import LearnedGraph


def small(channel: torch.Tensor | None = None) -> LearnedGraph:
    """Edges 0-1 and 2-3 learned, 0-1 and 1-2 given; 0 and 1 are training nodes, 2 and 3 test nodes."""
    return LearnedGraph(
        edges=torch.tensor([[0, 2], [1, 3]]),
        weight=torch.tensor([0.5, 1.0]),
        given=torch.tensor([[0, 1], [1, 2]]),
        num_nodes=4,
        y=torch.tensor([0, 0, 1, 1]),
        sets=torch.tensor([1, 1, 3, 3]),
        channel=channel,
        ids=("<a>", "b", "c", "d"),
    )


def test_kinds_of_edges_are_counted() -> None:
    assert rows_of(small()) == [
        ("given", 2, 0.0, 1.0),
        ("dropped", 1, 0.0, None),
        ("kept", 1, None, 1.0),
        ("added", 1, 1.0, None),
        ("learned", 2, 1.0, 1.0),
    ]


@pytest.mark.parametrize("channel", [None, torch.tensor([0.1, 0.2, 0.3, 0.4])])
def test_the_page_shows_them(channel: torch.Tensor | None, tmp_path: Path) -> None:
    graph = small(channel)
    assert len(learned_edges(graph).axes) == (2 if channel is None else 3)
    assert len(edge_weights(graph).axes) == 1
    page = learned_page(graph, "mine", "allpass export")
    assert [tile[1] for tile in page.facts[:4]] == ["2", "1", "1", "100%"]
    text = write_learned(graph, tmp_path / "page.html", "mine").read_text()
    assert "&lt;a&gt;" in text
    assert "<a>" not in text
    assert "a learned graph" in text
    assert "decision process" not in text
    assert text.count("<svg") == 2
