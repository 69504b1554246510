"""Costs as a study: real trainings in turns on the smallest graphs, ratios by round, and files that are refused."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.papers.performing import performed

from allpass.data import load
from allpass.papers.complexity import STUDY, WARM_UP, ComplexityStudy, Trained, timed
from allpass.papers.specs import read_spec
from allpass.papers.study import Plan
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store

TWO = Plan(("example", "GCN", "ACM-GCN"), quick=True)


def small() -> ComplexityStudy:
    """On a graph of seven nodes in place of Cora."""
    words, content = read_spec("complexity")
    names = {"example" if name == "Cora" else name: data for name, data in content["datasets"].items()}
    datasets = {**names, "example": "example-high-pass"}
    quick = {**content["quick"], "datasets": ["example"]}
    return ComplexityStudy(words, {**content, "datasets": datasets, "quick": quick, "hidden": 5})


def test_models_are_counted_and_timed_together(tmp_path: Path) -> None:
    study = small()
    with Store(tmp_path / "runs.db") as store:
        made = performed(study, store, TWO)
        rows = study.results(TWO, store)
        assert performed(study, store, TWO) == []
    assert [row.model for row in rows] == ["GCN", "ACM-GCN"]
    gcn, acm = rows
    assert (gcn.nodes, gcn.features, gcn.classes, gcn.entries) == (7, 2, 2, 2 * 10 + 7)
    assert gcn.parameters_counted == gcn.parameters_formula == gcn.parameters_printed == 2 * 5 + 5 * 2
    assert acm.parameters_counted == acm.parameters_formula == 3 * 5 * 3 + 9 + 3 * 2 * 6 + 9
    assert acm.parameters_printed == 3 * 2 * 6 + 9 + 3 * 5 * 3 + 9  # the same: the widths only change places
    assert gcn.flops_counted == gcn.flops_formula == 4 * 7 * 2 * 5 + 2 * (2 + 2) * 27
    assert (gcn.base, gcn.ratio, acm.base) == ("", None, "GCN")
    assert (gcn.published_ms, acm.published_ms, acm.published_ratio) == (4.24, 8.84, 2.0849)
    times = [run.curves["epoch_ms"] for run in made]
    assert [len(mine) for mine in times] == [5, 5]
    ratios = times[1] / times[0]
    for name, share in (("ratio", 0.5), ("ratio_low", 0.25), ("ratio_high", 0.75)):
        assert getattr(acm, name) == pytest.approx(np.quantile(ratios, share), abs=1e-4)
    assert gcn.epoch_ms == pytest.approx(np.median(times[0]), abs=1e-4)
    assert gcn.seconds == pytest.approx(times[0].sum() / 1000, abs=1e-3)


def test_only_what_is_wanted_is_timed() -> None:
    study = small()
    (task,) = study.tasks(TWO, None)  # type: ignore[arg-type]
    keys = study.keys(task)
    runs: list[Run] = [run for runs in study.perform(task.only(keys[1:]), "cpu") for run in runs]
    assert [run.key for run in runs] == keys[1:]


def test_a_model_without_its_base_has_no_ratio(tmp_path: Path) -> None:
    study, plan = small(), Plan(("example", "ACM-SGC-1"), quick=True)
    with Store(tmp_path / "runs.db") as store:
        performed(study, store, plan)
        (row,) = study.results(plan, store)
    assert (row.model, row.base, row.ratio, row.published_ratio) == (
        "ACM-SGC-1",
        "SGC-1",
        None,
        round(6.00 / 3.47, 4),
    )


def test_networks_take_turns_and_the_first_rounds_are_left_out() -> None:
    called: list[str] = []

    class Called:
        def __init__(self, name: str) -> None:
            self.name = name

        def epoch(self) -> float:
            called.append(self.name)
            return float(len(called))

    times = timed([Called("base"), Called("other")], rounds=2)  # type: ignore[list-item]
    assert called == ["base", "other"] * (WARM_UP + 2)
    first = 2 * WARM_UP + 1
    assert [mine.tolist() for mine in times] == [[first, first + 2], [first + 1, first + 3]]
    assert timed([], rounds=2) == []


def test_an_epoch_trains_and_says_how_long_it_took() -> None:
    study = small()
    (task,) = study.tasks(TWO, None)  # type: ignore[arg-type]
    one = Trained(study.keys(task)[0], load("example-high-pass"), "cpu")
    before = [parameter.clone() for parameter in one.network.parameters()]
    begin = time.perf_counter()
    taken = one.epoch()
    assert 0 < taken <= 1000 * (time.perf_counter() - begin)
    assert not any(map(torch.equal, before, one.network.parameters()))


def test_the_study_is_that_of_the_paper() -> None:
    assert (len(STUDY.models), len(STUDY.datasets), STUDY.hidden) == (10, 9, 64)
    squirrel = list(STUDY.datasets).index("Squirrel")
    published = {title: model.published[squirrel] for title, model in STUDY.models.items() if model.published}
    assert published["GCN"] == 6.41
    assert published["ACM-GCN"] == 11.9
    assert published["ACMII-GCN"] == 10
    assert published["ACM-SGC-1"] == 6.96
    assert "truncated Krylov" not in published
    full, quick = (STUDY.tasks(Plan(quick=quick), None) for quick in (False, True))  # type: ignore[arg-type]
    assert len({task.title for task in full}) == len(full) == 9
    assert [task.about["dataset"] for task in quick] == ["Cora"]  # which is embedded
