"""The adjacency studies: graphs they draw, rows they give, and what their pages say of rows that are made up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tests.papers.performing import results_of

from allpass.metrics import edge_homophily
from allpass.papers.adjacency import generated, study
from allpass.papers.adjacency.trials import AdjacencyTrials, Trial
from allpass.papers.page import page
from allpass.papers.result import csv_text, parse_csv
from allpass.papers.study import Plan
from allpass.train.statistics import paired

ORIGIN = {"seconds": 1.0, "allpass": "", "torch": "", "device": "", "ended": "2026-01-01"}
SAME = {"GCN": 0.5, "ACM-GCN": 0.6, "MLP": 0.7, "shuffled": 0.3}


def row(arm: str, seed: int, test: float, **more: float) -> Trial:
    graph = arm.partition("/")[0]
    return Trial(arm=arm, graph=graph, seed=seed, test=test, val=test, setting=0, epochs=9, **more, **ORIGIN)  # type: ignore[arg-type]


def made_up(of: AdjacencyTrials, graph: str, gain: float) -> list[Trial]:
    """Rows of a graph on which learners are so far above everything else."""
    noise = np.random.default_rng(0)
    found = []
    for arm in of.of_graph(graph):
        name = arm.partition("/")[2]
        learns = (
            name in ("top-k", "sampled", "bandit", "fourth channel", "top-k of X", "averaged top-k of X")
            or name in generated.OPTIONS
        )
        edges = {"homophily_test": 0.6 + 0.2 * learns, "homophily_test_given": 0.2, "homophily_train": 0.9}
        for seed in of.seeds_of(arm):
            test = SAME.get(name, 0.75) + gain * learns + 0.01 * noise.random()
            found.append(row(arm, seed, test, **edges, channel_test=0.3))
    return found


def test_the_verdict_says_where_the_learned_graph_itself_helps() -> None:
    rows = made_up(study.STUDY, "Texas", 0.1) + made_up(study.STUDY, "Film", 0.0)
    rows += made_up(study.STUDY, "Cora", 0.1)[:-1]
    facts = study.STUDY.facts(rows)
    text = page(study.STUDY, rows, facts)
    first = text.split("\n\n")[1]
    assert first.startswith("The learned graph itself helps on Texas; on Film it does not beat")
    assert "Cora" in str(facts["missing"])
    assert "Texas" not in str(facts["missing"])
    assert "80% at test nodes (given graph 20%), 90% between training nodes" in text
    assert text.count("| – |") == 1  # an arm of Cora without one of its seeds
    study.STUDY.picture(rows)
    none = study.STUDY.facts(made_up(study.STUDY, "Film", 0.0))
    assert "helps on no graph that was run" in str(none["verdict"])
    page(study.STUDY, rows[:4], study.STUDY.facts(rows[:4]))


def test_gains_are_paired_by_seed_and_allow_for_shared_nodes() -> None:
    ours, theirs = {0: 0.5, 1: 0.7, 2: 0.6, 3: 0.9}, {1: 0.6, 2: 0.4, 0: 0.5}
    rows = [row("Texas/top-k", seed, value) for seed, value in ours.items()]
    rows += [row("Texas/GCN", seed, value) for seed, value in theirs.items()]
    found = study.STUDY.gain(rows, "Texas", "top-k", "GCN")
    assert found is not None
    known = paired([50, 70, 60], [50, 60, 40], overlap=1 / 3)
    assert (found.mean, found.low) == pytest.approx((known.mean, known.low))
    assert study.STUDY.gain(rows[:4], "Texas", "top-k", "GCN") is None


def test_the_page_of_drawn_graphs_measures_edges_against_both_graphs() -> None:
    rows = [one for name in generated.FAMILIES for one in made_up(generated.STUDY, name, 0.1)]
    facts = generated.STUDY.facts(rows)
    text = page(generated.STUDY, rows, facts)
    assert "few labels: top-k +60.0 [60.0, 60.0] and +20.0 [20.0, 20.0], top-k of X" in text
    assert "on harmful heterophily, small clusters, few labels of 3 families" in text
    assert "Both margins" in str(facts["why"])
    assert facts["missing"] == "All runs are done."
    equal = [one for one in rows if "top-k" not in one.arm] + [
        row(f"{name}/top-k", seed, 0.7, homophily_test=0.6, homophily_test_given=0.2)
        for name in generated.FAMILIES
        for seed in range(10)
    ]
    why = str(generated.STUDY.facts(equal)["why"])
    assert "harmful heterophily 60% and 90%, then 60% and –" in why
    page(generated.STUDY, rows[:5], generated.STUDY.facts(rows[:5]))
    generated.STUDY.picture(rows)


@pytest.mark.parametrize("name", generated.FAMILIES)
def test_drawn_graphs_are_what_the_page_says(name: str) -> None:
    data, split = generated.FAMILIES[name](5)
    again, _ = generated.FAMILIES[name](5)
    assert torch.equal(data.x, again.x)
    assert torch.equal(
        (split.train.int() + split.val.int() + split.test.int()), torch.ones(data.num_nodes).int()
    )
    counts = torch.bincount(data.y[split.train])
    if name == "few labels":
        assert counts.tolist() == [10] * 5
    else:
        assert counts.tolist() == [round(0.6 * size) for size in torch.bincount(data.y).tolist()]
    if name != "small clusters":
        assert edge_homophily(data.edge_index, data.y) == pytest.approx(0.2, abs=0.01)
    else:
        small = data.y > 0
        across = small[data.edge_index[0]] & ~small[data.edge_index[1]]
        assert int(across.sum()) == 10 * int(small.sum())


def test_a_quick_plan_runs_and_its_rows_go_through_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generated.AdjacencyGenerated, "quick_seeds", 1)
    plan = Plan(("few labels", "GCN"), quick=True)
    rows = results_of(generated.STUDY, tmp_path, plan)
    assert [(one.arm, one.seed) for one in rows] == [("few labels/GCN", 0)]
    assert parse_csv(csv_text(rows), Trial) == rows
    assert not generated.STUDY.tasks(plan, None, rows)  # type: ignore[arg-type]
