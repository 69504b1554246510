"""The terminal form of a diagnosis."""

import io
from pathlib import Path

from rich.console import Console

from allpass.cli.show import show_diagnosis
from allpass.diagnosis import diagnose


def shown(name: str, page: Path | None = None) -> str:
    out = io.StringIO()
    show_diagnosis(diagnose(name), page, Console(file=out, width=150))
    return out.getvalue()


def test_shows_verdict_findings_metrics_and_page():
    text = shown("karate", Path("page.html"))
    assert "The structure helps" in text
    assert "+ Neighbours mostly share their class." in text
    assert "0.8590" in text  # edge homophily of the karate club: 67 of 78 edges
    assert "Report: page.html" in text


def test_undefined_values_say_why():
    import torch
    from torch_geometric.data import Data

    out = io.StringIO()
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2, y=torch.tensor([0, 0]))
    show_diagnosis(diagnose(data), None, Console(file=out, width=150))
    assert "undefined: fewer than two classes" in out.getvalue()
