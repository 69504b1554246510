"""Sound files of each format, a checkpoint and a store: what the cases damage."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

from allpass.cli.main import run

NODES = 24
QUICK = ["--count", "1", "--epochs", "2", "--device", "cpu"]


def prototypes(folder: Path) -> Path:
    """Write them; returns the folder."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    y = np.arange(NODES) % 3
    edges = np.stack([np.arange(NODES), (np.arange(NODES) + 3) % NODES])
    x = rng.normal(size=(NODES, 4)) + y[:, None]
    names = [f"n{number:02}" for number in range(NODES)]
    nodes = pd.DataFrame(
        {"id": names, "a": x[:, 0].round(3), "b": x[:, 1].round(3), "label": [f"c{k}" for k in y]}
    )
    links = pd.DataFrame({"source": [names[i] for i in edges[0]], "target": [names[i] for i in edges[1]]})
    nodes.to_csv(folder / "nodes.csv", index=False)
    links.to_csv(folder / "edges.csv", index=False)
    nodes.to_parquet(folder / "nodes.parquet")
    links.to_parquet(folder / "edges.parquet")
    np.savez(folder / "g.npz", edge_index=edges, x=x, y=y)
    scipy.io.savemat(folder / "g.mat", {"edge_index": edges, "node_feat": x, "label": y})
    scipy.io.savemat(
        folder / "A.mat", {"A": sp.csc_matrix((np.ones(NODES), edges)), "label": y, "node_feat": x}
    )
    graph = nx.Graph()
    for number, name in enumerate(names):
        graph.add_node(name, a=float(x[number, 0]), label=f"c{y[number]}")
    graph.add_edges_from((names[i], names[j]) for i, j in edges.T)
    nx.write_graphml(graph, folder / "g.graphml")
    given, store = str(folder / "g.npz"), str(folder / "runs.db")
    for words in (
        ["train", given, "--model", "gcn", *QUICK, "-o", str(folder / "kept"), "--json"],
        ["compare", given, "--models", "mlp-1,gcn", *QUICK, "--store", store, "--json"],
    ):
        with suppress(SystemExit):
            run(words)
    return folder


def files_of(place: Path) -> set[str]:
    """The files below a folder, by their paths from there."""
    return {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
