"""Small graphs and trained models for the tests of what remains of a training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch_geometric.data import Data

from allpass.data import contextual_sbm
from allpass.train.network import settings_of_trained, untrained
from allpass.train.scaling import Scaler
from allpass.train.trained import Trained

FEATURES = 5


def graph(nodes: int = 20, seed: int = 0) -> Data:
    """Three classes of as many nodes each."""
    mixing = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    return contextual_sbm([nodes] * 3, mixing, average_degree=4, num_features=FEATURES, seed=seed)


def drawn(model: str = "gcn", *, data: Data | None = None, scaling: str = "columns", **given: Any) -> Trained:
    """A model with weights as they are drawn: quicker than a training, and as good for all that comes after."""
    data = graph() if data is None else data
    sizes = {"in_channels": FEATURES, "out_channels": 3, "num_nodes": data.num_nodes}
    sizes |= {key: given.pop(key) for key in sizes.keys() & given.keys()}
    settings = settings_of_trained(model, given.get("settings", {}))
    weights = untrained(model, settings, **sizes).state_dict()
    words = {"settings": {}, "task": "classification", "score": "accuracy", **given}
    return Trained(model=model, weights=weights, scaler=Scaler.of(data.x, scaling), **sizes, **words)


def write_tables(
    folder: Path, nodes: int = 40, *, label: Callable[[int], object] | None, first: int = 0
) -> Path:
    """A ring with chords as two tables: a number, a category and, where there is one, a label for every node."""
    folder.mkdir(exist_ok=True)
    ids = range(first, first + nodes)
    heading = "id,size,colour" + ",label" * (label is not None)
    rows = [
        f"n{i},{(i * 37 % 100) / 10},{('red', 'blue')[i % 2]}" + (f",{label(i)}" if label is not None else "")
        for i in ids
    ]
    (folder / "nodes.csv").write_text("\n".join([heading, *rows]) + "\n")
    edges = [f"n{i},n{first + (i - first + step) % nodes}" for i in ids for step in (1, 4)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *edges]) + "\n")
    return folder
