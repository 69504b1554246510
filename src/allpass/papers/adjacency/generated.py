"""Learned graphs on drawn graphs whose best adjacency is known: it joins nodes of one class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data import planted_partition, small_clusters_on_large
from allpass.data.splits import Split
from allpass.papers.adjacency.trials import AdjacencyTrials, Trial, arms_on, mean, points, values
from allpass.papers.study import Words
from allpass.train.statistics import Difference, paired

Draw = tuple[Data, Split]

FASTER = "learner's rate 0.02"
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "warm-up of 50 epochs": {"warmup": 50},
    "slow updates (0.9)": {"momentum": 0.9},
    "temperature 2 to 0.5": {"score_temperature": 2.0, "final_temperature": 0.5},
    "half the given graph": {"mix": 0.5},
    FASTER: {"lr:learner": 0.02},
    "no pretraining": {"pretraining": 0},
    "softmax of scores": {"normalisation": "softmax"},
    "no renormalising": {"renormalise": False},
}
"""What changes one option of ``top-k``."""

COMPARED = ("MLP", "GCN", "ACM-GCN", "MLP on base", "kNN of X", "kNN of base", "top-k", "fourth channel")
FAMILY_OF_OPTIONS = "few labels"
ON_FEATURES = "top-k of X"
AVERAGED = "averaged top-k of X"
BASES = {"top-k": "kNN of base", ON_FEATURES: "kNN of X", AVERAGED: "kNN of X"}
"""Learners, and the graph that each starts from, not learned."""

GIVEN_GAIN, BASE_GAIN = 15, 5
"""Points by which edges at test nodes should be more often within a class than those of the two other graphs."""


def harmful(seed: int) -> Draw:
    """Five classes whose nodes have neighbours of all classes alike: averaging mixes the classes up."""
    data = planted_partition(500, 5, 10, 0.2, num_features=5, seed=seed)
    return data, divided(data.y, seed)


def tied(seed: int) -> Draw:
    """Five small clusters tied to one large cluster, the report's case where diversification fails."""
    data = small_clusters_on_large(
        num_small=5, small_size=50, large_size=150, links=10, features="gaussian", num_features=5, seed=seed
    )
    return data, divided(data.y, seed)


def few(seed: int) -> Draw:
    """Five classes of six clusters of features each, ten labels a class, a graph that knows nothing of classes."""
    data = planted_partition(600, 5, 10, 0.2, seed=seed)
    rng = np.random.default_rng([seed, 28])
    centres = 1.5 * rng.standard_normal((5, 6, 16))
    own = centres[data.y.numpy(), rng.integers(6, size=data.num_nodes)]
    data.x = torch.from_numpy((own + rng.standard_normal(own.shape)).astype(np.float32))
    return data, divided(data.y, seed, train=10, val=10)


FAMILIES: Mapping[str, Callable[[int], Draw]] = {
    "harmful heterophily": harmful,
    "small clusters": tied,
    FAMILY_OF_OPTIONS: few,
}


def divided(y: Tensor, seed: int, train: int | None = None, val: int | None = None) -> Split:
    """60/20/20 of every class, or so many nodes of it."""
    rng = np.random.default_rng([seed, 1])
    part = np.zeros(len(y), dtype=np.int64)
    for label in range(int(y.max()) + 1):
        nodes = rng.permutation(np.flatnonzero(y.numpy() == label))
        first = train or round(0.6 * len(nodes))
        rest = first + (val or round(0.2 * len(nodes)))
        part[nodes[:first]], part[nodes[first:rest]], part[nodes[rest:]] = 1, 2, 3
    sets = torch.from_numpy(part)
    return Split(sets == 1, sets == 2, sets == 3, f"drawn/{seed}")


def _arms() -> dict[str, dict[str, Any]]:
    """Every arm with the one setting that it is run with here, and ``top-k`` with each option."""
    families: dict[str, Mapping[str, object]] = {name: {"family": name} for name in FAMILIES}
    found = arms_on(families, COMPARED)
    for name, family in families.items():
        (plain,) = arms_on({name: family}, ["top-k"]).values()
        features = {"base": "features", "pretraining": 0}
        found[f"{name}/{ON_FEATURES}"] = plain | {"fixed": features}
        found[f"{name}/{AVERAGED}"] = plain | {"fixed": {**features, "averaging": 2}}
    options = arms_on({FAMILY_OF_OPTIONS: families[FAMILY_OF_OPTIONS]}, ["top-k"])
    (plain,) = options.values()
    for name, changed in OPTIONS.items():
        found[f"{FAMILY_OF_OPTIONS}/{name}"] = plain | {"fixed": {**plain["fixed"], **changed}}
    for arm in found.values():
        arm["grid"] = {"dropout": [0.5]}
        if arm.get("graph") and arm["model"] != "acm-gcn-adjacency":
            arm["fixed"] = {"mix": 0.0, **arm["fixed"]}
    return found


class AdjacencyGenerated(AdjacencyTrials):
    """Accuracy and edges of learners and controls; a run is an arm on one drawn graph."""

    id = "adjacency-generated"
    names = tuple(FAMILIES)
    methods = (*COMPARED, ON_FEATURES, AVERAGED, *OPTIONS)
    arms: ClassVar = _arms()
    seeds = range(10)
    overlap = 0.0
    words = Words(
        title="Learned graphs where the best adjacency is known",
        source="Section 3.6 of the report",
        claim="A learned graph should join nodes of one class.",
        verdict="{verdict}",
        advice="Try the nearest neighbours first.",
        verdict_first=True,
        picture="Each learner minus one other arm, in points of accuracy, with paired 95% intervals over drawn graphs.",
        table="Mean accuracy on test nodes in percent. The lower rows change one option of top-k. Bold: the best of a "
        "family. –: not run.",
        findings=(
            "{edges}",
            "{gains}",
            "{why}",
            "What each option of stability changes, with intervals: docs/networks/adjacency.md.",
            "Harmful heterophily: 500 nodes, five classes, neighbours of all classes alike. Small clusters: five of 50 "
            "nodes tied to one of 150. Few labels: 600 nodes, five classes of six clusters of features each, ten "
            "labels a class, a graph that knows nothing of the classes.",
            "Accuracy of an MLP: {mlp}. The features were made for 60 to 80% on seeds 1000 to 1003, which are not "
            "reported.",
            "Every arm has one setting: dropout 0.5, learning rate 0.02. Learners drop the given graph. Top-k of X "
            "learns weights of the features themselves; it was added when kNN of X had turned out best on few labels. "
            "Averaged top-k of X compares nodes after two averages over near candidates; it was added last, "
            "after a trial on seeds 1000 to 1003.",
            "{missing}",
        ),
    )

    def problem(self, graph: str, seed: int) -> Draw:
        return FAMILIES[graph](seed)

    def facts(self, results: Sequence[Trial]) -> Mapping[str, object]:
        there = [graph for graph in self.names if mean(results, f"{graph}/top-k", "test") is not None]
        edges = {(graph, name): self.edges(results, graph, name) for graph in there for name in BASES}
        edges = {place: (given, base) for place, (given, base) in edges.items() if given and base}
        others = ("GCN", "ACM-GCN", "MLP on base")
        won = [graph for graph in there if any(self.beats(results, graph, name, others) for name in BASES)]
        learnt = [
            graph
            for graph in there
            if any(self.beats(results, graph, name, [base]) for name, base in BASES.items())
        ]
        full = list(
            dict.fromkeys(
                graph
                for (graph, _), (given, base) in edges.items()
                if given and base and given.mean >= GIVEN_GAIN and base.mean >= BASE_GAIN
            )
        )
        shares, gains = [], []
        for graph in there:
            said = [
                f"{name} {_briefly(given, whole=graph in full)} and {_briefly(base, whole=graph in full)}"
                for (place, name), (given, base) in edges.items()
                if place == graph
            ]
            shares += [f"{graph}: {', '.join(said)}"] if said else []
            said = []
            for name in (name for name in BASES if self.gain(results, graph, name, "GCN")):
                against = (self.gain(results, graph, name, other) for other in (*others, BASES[name]))
                said.append(f"{name} {', '.join(_briefly(gain, whole=graph in won) for gain in against)}")
            gains += [f"{graph}: {', '.join(said)}"] if said else []
        return {
            "verdict": _verdict(there, won, learnt, full),
            "edges": "Edges within a class at test nodes, in points over the given graph and its base's neighbours; "
            f"{'; '.join(shares)}.",
            "gains": f"Accuracy minus that of {', '.join(others)}, its base's neighbours; {'; '.join(gains)}.",
            "why": _why(results, there, full),
            "mlp": ", ".join(_percent(results, graph) for graph in self.names),
            "missing": _missing(self, results),
        }

    def edges(
        self, results: Sequence[Trial], graph: str, learner: str
    ) -> tuple[Difference | None, Difference | None]:
        """How many more edges of a learner are within a class, in points: than given ones, and than of its base."""
        ours = values(results, f"{graph}/{learner}", "homophily_test")
        given = values(results, f"{graph}/{learner}", "homophily_test_given")
        return _paired(ours, given), _paired(
            ours, values(results, f"{graph}/{BASES[learner]}", "homophily_test")
        )


def _paired(ours: Mapping[int, float], theirs: Mapping[int, float]) -> Difference | None:
    both = sorted(set(ours) & set(theirs))
    if len(both) < 3:
        return None
    return paired(*([100 * side[seed] for seed in both] for side in (ours, theirs)))


def _verdict(there: Sequence[str], won: Sequence[str], learnt: Sequence[str], full: Sequence[str]) -> str:
    if not there:
        return "Nothing was run yet."
    beaten = f"on {', '.join(won)} of {len(there)} families" if won else f"on none of {len(there)} families"
    own, edges = (", ".join(names) or "none" for names in (learnt, full))
    return (
        f"The learned graph beats GCN, ACM-GCN and an MLP on its base {beaten}; it beats its base's neighbours on "
        f"{own}. Its edges within a class are {GIVEN_GAIN} points above the given graph and {BASE_GAIN} "
        f"above those neighbours on {edges}."
    )


def _why(results: Sequence[Trial], there: Sequence[str], full: Sequence[str]) -> str:
    left = [graph for graph in there if graph not in full]
    if not left:
        return "Both margins of edges are reached on every family."
    said = []
    for graph in left:
        before, after = (_shares(results, f"{graph}/{arm}") for arm in ("kNN of base", "top-k"))
        said.append(f"{graph} {before}, then {after}")
    faster = _shares(results, f"{FAMILY_OF_OPTIONS}/{FASTER}")
    return (
        "Where the margin over the base is missed, training with the network changes the graph of the pretrained base "
        "too little. Edges within a class at test nodes and between training nodes, before and after it: "
        f"{'; '.join(said)}. With the {FASTER} on {FAMILY_OF_OPTIONS}: {faster}."
    )


def _shares(results: Sequence[Trial], arm: str) -> str:
    found = (mean(results, arm, name) for name in ("homophily_test", "homophily_train"))
    return " and ".join("–" if value is None else f"{100 * value:.0f}%" for value in found)


def _briefly(gain: Difference | None, *, whole: bool) -> str:
    """A gain, with its interval where all of it is to be said."""
    return points(gain) if whole else points(gain).partition(" [")[0]


def _percent(results: Sequence[Trial], graph: str) -> str:
    value = mean(results, f"{graph}/MLP", "test")
    return f"{graph} {'not run' if value is None else f'{100 * value:.0f}%'}"


def _missing(study: AdjacencyGenerated, results: Sequence[Trial]) -> str:
    there = {(one.arm, one.seed) for one in results}
    left = sum((arm, seed) not in there for arm in study.arms for seed in study.seeds)
    return (
        f"{left} of {len(study.arms) * len(study.seeds)} runs are not done yet."
        if left
        else "All runs are done."
    )


STUDY = AdjacencyGenerated()
"""The study of learned graphs on drawn graphs."""
