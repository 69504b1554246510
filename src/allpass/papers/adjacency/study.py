"""Learned graphs on eleven datasets, next to the controls that separate the graph from what it is learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from torch_geometric.data import Data

from allpass.data.splits import Split, splits
from allpass.papers.adjacency.arms import GIVEN, LEARNERS
from allpass.papers.adjacency.trials import (
    NUMBER_OF_SETTINGS,
    OVERLAP,
    AdjacencyTrials,
    Trial,
    arms_on,
    mean,
)
from allpass.papers.at_hand import graph_of
from allpass.papers.study import Words

DATASETS: Mapping[str, Mapping[str, Any]] = {
    "Texas": {"dataset": "texas"},
    "Wisconsin": {"dataset": "wisconsin"},
    "Cornell": {"dataset": "cornell"},
    "Cora": {"dataset": "cora"},
    "CiteSeer": {"dataset": "citeseer"},
    "Chameleon": {"dataset": "chameleon-filtered"},
    "Squirrel": {"dataset": "squirrel-filtered"},
    "Film": {"dataset": "film", "splits": 5},
    "Minesweeper": {"dataset": "minesweeper", "splits": 5, "score": "roc_auc"},
    "Tolokers": {"dataset": "tolokers", "splits": 5, "score": "roc_auc"},
    "PubMed": {"dataset": "pubmed", "splits": 5},
}
"""In the order in which they are run."""

SPLITS = 10


class Adjacency(AdjacencyTrials):
    """Accuracy of learners and controls; a run is an arm on one split of a dataset."""

    id = "adjacency"
    names = tuple(DATASETS)
    arms = arms_on(DATASETS)
    seeds = range(SPLITS)
    quick_seeds = 1
    overlap = OVERLAP
    words = Words(
        title="Does a learned adjacency help?",
        source="Section 3.6 of the report; OpenGSL (arXiv:2306.10280); Zheng et al. (arXiv:2411.07672)",
        claim="The report expects it to, by edges that reveal label similarity.",
        verdict="{verdict}",
        verdict_first=True,
        advice="Compare a learned graph with an MLP on its base before you trust it.",
        picture="Each learner minus one other arm, in points, with paired 95% intervals. Right of 0 in all four panels "
        "the learned graph itself deserves the credit.",
        table="Mean score on test nodes in percent: ROC AUC on Minesweeper and Tolokers, accuracy elsewhere. Bold: the "
        "best of a graph. The first three arms have the given graph or none, the next four are controls. –: not run.",
        findings=(
            "{base}",
            "{homophily}",
            "{kinds}",
            "{channel}",
            "{shuffled}",
            "MLP on base is an MLP on the features and the embedding of a base that was pretrained on the training "
            "labels. kNN of base is the graph of that base, not learned further, and also the report's pretrained "
            "learner. Shuffled is the same graph with its nodes permuted.",
            "Every arm chooses among {settings} settings on validation nodes: dropout 0.2 or 0.6, and weight decay "
            "0.0005 or 0.005. Arms with a graph of their own choose its share (all or half) in place of weight decay. "
            "Learning rate 0.02, at most 200 epochs, patience 30.",
            "Splits are stratified, 60/20/20. Intervals allow for the nodes that splits share (Nadeau and Bengio); "
            "they are not corrected for the number of comparisons.",
            "{missing}",
        ),
    )

    def seeds_of(self, arm: str) -> Sequence[int]:
        return self.seeds[: self.arms[arm].get("splits", SPLITS)]

    def problem(self, graph: str, seed: int) -> tuple[Data, Split]:
        return _problem(DATASETS[graph]["dataset"], seed)

    def facts(self, results: Sequence[Trial]) -> Mapping[str, object]:
        there = self.shown(results)
        others = (*GIVEN, "MLP", "MLP on base", "kNN of X", "kNN of base")
        helped = {
            graph: learner
            for graph in there
            for learner in LEARNERS
            if self.beats(results, graph, learner, others)
        }
        not_helped = [graph for graph in there if graph not in helped]
        return {
            "verdict": _verdict(helped, not_helped),
            "base": self._base(results, there),
            "homophily": _homophily(results, there),
            "kinds": self._kinds(results, there),
            "channel": _channel(results, there),
            "shuffled": self._shuffled(results, there),
            "settings": NUMBER_OF_SETTINGS,
            "missing": _missing(there),
        }

    def _base(self, results: Sequence[Trial], graphs: Sequence[str]) -> str:
        """How often the best learner is above the given graph, and above the controls."""
        if not graphs:
            return "Learners are compared on graphs on which every arm was run."
        counts = {}
        for other in ("GCN", "ACM-GCN", "MLP on base", "kNN of base"):
            above = [
                graph
                for graph in graphs
                if any(self.beats(results, graph, learner, [other]) for learner in LEARNERS)
            ]
            counts[other] = len(above)
        said = ", ".join(f"{other} on {count}" for other, count in counts.items())
        return f"Of {len(graphs)} complete graphs, some learner is clearly above {said}."

    def _kinds(self, results: Sequence[Trial], graphs: Sequence[str]) -> str:
        """Whether the ways to choose candidates differ."""
        if not graphs:
            return "Ways to choose candidates were not compared yet."
        differ = []
        for graph in graphs:
            for kind in ("sampled", "bandit"):
                gain = self.gain(results, graph, kind, "top-k")
                if gain is not None and (gain.low > 0 or gain.high < 0):
                    differ.append(f"{kind} is {'above' if gain.low > 0 else 'below'} top-k on {graph}")
        return (
            f"Candidates: {'; '.join(differ)}."
            if differ
            else "Sampled and bandit candidates do not differ from top-k."
        )

    def _shuffled(self, results: Sequence[Trial], graphs: Sequence[str]) -> str:
        lost = [
            gain.mean for graph in graphs if (gain := self.gain(results, graph, "kNN of base", "shuffled"))
        ]
        if not lost:
            return "The shuffled graph was not run."
        return (
            f"Shuffling the graph of the base costs {_range(lost)} points: which nodes it joins does matter."
        )


@lru_cache(maxsize=2)
def _splits(dataset: str) -> tuple[Data, list[Split]]:
    data = graph_of(dataset)
    return data, splits(data, "stratified", count=SPLITS)


def _problem(dataset: str, seed: int) -> tuple[Data, Split]:
    data, parts = _splits(dataset)
    return data, parts[seed]


def _verdict(helped: Mapping[str, str], not_helped: Sequence[str]) -> str:
    if not (helped or not_helped):
        return "No graph is complete yet."
    no = f"on {_listed(not_helped)} it does not beat the given graph and all controls"
    if not helped:
        return f"The learned graph itself helps on no graph that was run: {no}."
    return f"The learned graph itself helps on {_listed(list(helped))}" + (f"; {no}." if not_helped else ".")


def _homophily(results: Sequence[Trial], graphs: Sequence[str]) -> str:
    names = ("homophily_test_given", "homophily_test", "homophily_train")
    found = [[mean(results, f"{graph}/top-k", name) or np.nan for graph in graphs] for name in names]
    if not graphs:
        return "Homophily was not measured."
    given, test, train = ([100 * value for value in values] for values in found)
    return (
        f"Edges within a class, of top-k: {_range(test)}% at test nodes (given graph {_range(given)}%), "
        f"{_range(train)}% between training nodes. The difference between the two is memorised."
    )


def _channel(results: Sequence[Trial], graphs: Sequence[str]) -> str:
    weights = {graph: mean(results, f"{graph}/fourth channel", "channel_test") for graph in graphs}
    said = ", ".join(f"{graph} {value:.2f}" for graph, value in weights.items() if value is not None)
    return f"Mean weight of the learned channel at test nodes (0.25 if all four weigh the same): {said or 'not run'}."


def _missing(there: Sequence[str]) -> str:
    left = [name for name in DATASETS if name not in there]
    if not left:
        return "All graphs were run."
    return f"Not complete yet: {_listed(left)}."


def _range(found: Sequence[float]) -> str:
    low, high = (f"{value:.0f}".replace("-", "−") for value in (min(found), max(found)))
    return low if low == high else f"{low} to {high}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


STUDY = Adjacency()
"""The study of learned graphs on datasets."""
