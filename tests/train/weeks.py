"""Tables of one week and of the next: new accounts with a strange country, a gap and links to old accounts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from torch_geometric.data import Data

from allpass.data import fraud_payments, load, save_tables
from allpass.models.catalog import resolve
from allpass.train import checkpoint, train_folds
from allpass.train.given import divide
from allpass.train.rules.stopping import stopping

OLD, NEW = 90, 12


@dataclass(frozen=True)
class Weeks:
    """Where the tables are: ``old/nodes.csv`` and ``old/edges.csv``, ``new.csv``, ``links.csv``, and all together."""

    folder: Path

    @property
    def old(self) -> Path:
        return self.folder / "old"

    @property
    def new(self) -> Path:
        return self.folder / "new.csv"

    @property
    def links(self) -> Path:
        return self.folder / "links.csv"

    @property
    def everything(self) -> Path:
        return self.folder / "everything"

    @property
    def new_ids(self) -> list[str]:
        return [f"a{i}" for i in range(OLD, OLD + NEW)]


def write_weeks(folder: Path, *, numbers: bool = False, weights: bool = False, seed: int = 0) -> Weeks:
    """Payments of a few accounts; the last of them are new.

    Args:
        folder: Where to write.
        numbers: The label is a number.
        weights: Edges have weights.
        seed: Of countries, notes and numbers.
    """
    rng, weeks = np.random.default_rng(seed), Weeks(folder)
    save_tables(fraud_payments(OLD + NEW, fraud=0.4, unlabelled=0.1), folder / "drawn")
    nodes, edges = (pd.read_csv(folder / "drawn" / f"{stem}.csv") for stem in ("nodes", "edges"))
    nodes["id"] = "a" + nodes.id.astype(str)
    edges = edges.map(lambda node: f"a{node}")
    nodes["country"] = rng.choice(["CH", "NO"], len(nodes))
    nodes["opened"] = pd.date_range("2024-01-01", periods=len(nodes)).strftime("%Y-%m-%d")
    nodes["note"] = rng.choice(["likes tea and cake", "drinks coffee daily", "eats warm bread"], len(nodes))
    if numbers:
        nodes["label"] = rng.standard_normal(len(nodes)).round(3)
    if weights:
        edges["weight"] = rng.integers(1, 9, len(edges))
    nodes.loc[3, "age_days"] = np.nan  # so that the training has a fill of its own
    nodes.loc[OLD, "country"], nodes.loc[OLD + 1, "mean_amount"] = "XX", np.nan
    old = nodes.id.isin(nodes.id[:OLD])
    within = edges.source.isin(nodes.id[:OLD]) & edges.target.isin(nodes.id[:OLD])
    strangers = nodes[~old].drop(columns="label")
    for place, table, links in (
        (weeks.old, nodes[old], edges[within]),
        (weeks.everything, pd.concat([nodes[old], strangers]), edges),
    ):
        place.mkdir()
        table.to_csv(place / "nodes.csv", index=False)
        links.to_csv(place / "edges.csv", index=False)
    strangers.to_csv(weeks.new, index=False)
    edges[~within].to_csv(weeks.links, index=False)
    return weeks


def keep(model: str, data: Data | Path, folder: Path, **settings: object) -> Path:
    """A checkpoint of a short training, with its graph."""
    data = load(data) if isinstance(data, Path) else data
    lr = {"lr": 0.05} if resolve(model)[0].training else {}
    (trained,) = train_folds(
        model, data, divide(data, count=1), {**lr, **settings}, stop=stopping("fixed", max_epochs=8)
    )
    return checkpoint.save(trained.with_graph(data), folder)
