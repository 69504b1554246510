"""The verdict benchmark: what is measured, on which splits, and what a second call does again."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
import torch
from benchmarks.verdict import Results, Unit
from torch_geometric.data import Data

from allpass.data import load, planted_partition
from allpass.errors import AllpassError
from allpass.train.statistics import overlap_of
from benchmarks import verdict


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Two small graphs in place of the real ones, three splits, few epochs."""
    graphs = {
        "blocks": lambda: planted_partition(150, 3, average_degree=8, homophily=0.9, num_features=4, seed=1),
        "bare": lambda: planted_partition(120, 2, average_degree=8, homophily=0.9, seed=2),
    }
    monkeypatch.setattr(verdict, "GRAPHS", graphs)
    monkeypatch.setattr(verdict, "SPLITS", 3)
    monkeypatch.setattr(verdict, "STOP", verdict.stopping("fixed", max_epochs=20))
    verdict.loaded.cache_clear()
    yield
    verdict.loaded.cache_clear()


def test_ten_models_are_named_once():
    assert len(set(verdict.MODELS)) == 10


def test_the_score_is_that_of_the_labels():
    few = torch.zeros(100, dtype=torch.int64)
    few[:20] = 1
    assert verdict.score_of(Data(y=few)) == "accuracy"  # 80% is not above 80%
    few[0] = -1
    assert verdict.score_of(Data(y=few)) == "roc_auc"
    few[1] = 2
    assert verdict.score_of(Data(y=few)) == "accuracy"
    assert verdict.score_of(Data(y=torch.rand(5))) == "r2"


def test_nodes_without_features_get_a_unit_vector_each():
    data, _ = verdict.loaded("bare")
    given = verdict.with_features(data)
    assert torch.equal(given.x.to_dense(), torch.eye(120))
    assert data.x is None
    with_some, _ = verdict.loaded("blocks")
    assert verdict.with_features(with_some) is with_some


def test_a_unit_is_measured_on_its_own_splits():
    one_by_one = [verdict.measure(Unit("blocks", "gcn", "", "accuracy", (k,), "cpu"))[0] for k in range(3)]
    together, seconds = verdict.measure(Unit("blocks", "gcn", "", "accuracy", (0, 1, 2), "cpu"))
    assert [score for (score,) in one_by_one] == together
    assert seconds > 0
    slow, _ = verdict.measure(Unit("blocks", "gcn", '{"lr": 1e-9}', "accuracy", (0, 1, 2), "cpu"))
    assert slow != together  # the settings arrive
    bare, _ = verdict.measure(Unit("bare", "gcn", "", "accuracy", (0,), "cpu"))
    assert 0 <= bare[0] <= 1


def test_settings_travel_as_what_differs_from_the_defaults():
    entry, _ = verdict.resolve("acm-gcn")
    default = {**entry.training, **entry.settings}
    assert verdict._different("acm-gcn", default) == ""
    changed = {**default, "lr": 0.05, "channels": ("low", "identity")}
    written = verdict._different("acm-gcn", changed)
    assert verdict._settings(written) == {"lr": 0.05, "channels": ("low", "identity")}
    assert verdict._different("gcn-8", {**verdict.resolve("gcn-8")[0].settings, "num_layers": 8}) == ""
    assert verdict._settings("") == {}


def test_a_second_call_goes_on_where_the_first_ended(tmp_path):
    path = tmp_path / "verdict.csv"
    first = Results(path)
    found = list(verdict.units(first, ["blocks"], ["mlp-2", "gcn"], "cpu"))
    assert [(unit.model, unit.splits) for unit in found] == [
        (model, (k,)) for model in ("mlp-2", "gcn") for k in range(3)
    ]
    first.add(found[1], [0.5], 2.0)
    again = Results(path)
    left = list(verdict.units(again, ["blocks"], ["mlp-2", "gcn"], "cuda"))
    assert [(unit.model, unit.splits) for unit in left] == [("mlp-2", (0, 2)), ("gcn", (0, 1, 2))]
    assert again.rows["blocks", "mlp-2", ""].seconds == 2.0


def test_scores_of_other_splits_are_measured_again(tmp_path, monkeypatch):
    results = Results(tmp_path / "verdict.csv")
    unit = next(verdict.units(results, ["blocks"], ["gcn"], "cuda"))
    results.add(unit, [0.1, 0.2, 0.3], 1.0)
    assert list(verdict.units(Results(results.path), ["blocks"], ["gcn"], "cuda")) == []
    monkeypatch.setattr(verdict, "SEED", 7)
    verdict.loaded.cache_clear()
    assert list(verdict.units(Results(results.path), ["blocks"], ["gcn"], "cuda")) == [unit]


def test_rows_know_their_test_nodes_and_overlap():
    row = verdict._empty("blocks", "gcn")
    _, folds = verdict.loaded("blocks")
    assert row.test_nodes == 30
    assert row.overlap == overlap_of(folds)
    assert row.scores == [None] * 3


def recommending(model, settings, score="accuracy"):
    """A diagnosis that recommends this model."""

    def diagnose(data, *, budget):
        assert budget == 60
        return SimpleNamespace(
            verdict=SimpleNamespace(advised=settings, comparison=SimpleNamespace(score=score)),
            recommendation=SimpleNamespace(models=(model, "mlp-2"), summary="Use it."),
        )

    return diagnose


def test_the_recommended_model_is_measured_at_its_own_settings(tmp_path, monkeypatch):
    results = Results(tmp_path / "verdict.csv")
    monkeypatch.setattr(
        verdict, "diagnose", recommending("gcn", {**verdict.resolve("gcn")[0].settings, "lr": 0.05})
    )
    verdict.ask(results, ["blocks"], math.inf)
    (row,) = Results(results.path).of("blocks")
    assert (row.model, row.settings, row.recommended, row.verdict) == ("gcn", '{"lr": 0.05}', True, "Use it.")
    found = list(verdict.units(results, ["blocks"], ["gcn", "mlp-2"], "cuda"))
    assert [(unit.model, unit.settings) for unit in found] == [
        ("gcn", '{"lr": 0.05}'),
        ("gcn", ""),
        ("mlp-2", ""),
    ]


def test_a_recommendation_at_default_settings_is_not_trained_twice(tmp_path, monkeypatch):
    results = Results(tmp_path / "verdict.csv")
    results.add(next(verdict.units(results, ["blocks"], ["gcn"], "cuda")), [0.1, 0.2, 0.3], 1.0)
    entry, _ = verdict.resolve("gcn")
    monkeypatch.setattr(verdict, "diagnose", recommending("gcn", {**entry.training, **entry.settings}))
    verdict.ask(results, ["blocks"], math.inf)
    (row,) = results.of("blocks")
    assert row.recommended
    assert row.known == [0.1, 0.2, 0.3]
    results.forget(["blocks"])
    (row,) = results.of("blocks")
    assert not row.recommended
    assert row.known == [0.1, 0.2, 0.3]


def test_a_graph_with_a_recommendation_is_not_diagnosed_again_and_none_after_the_time_limit(
    tmp_path, monkeypatch
):
    results = Results(tmp_path / "verdict.csv")
    monkeypatch.setattr(verdict, "diagnose", recommending("gcn", {}))
    verdict.ask(results, ["blocks"], -math.inf)
    assert results.rows == {}
    verdict.ask(results, ["blocks"], math.inf)
    monkeypatch.setattr(verdict, "diagnose", None)
    verdict.ask(results, ["blocks"], math.inf)


def test_a_verdict_in_another_score_is_an_error(monkeypatch):
    monkeypatch.setattr(verdict, "diagnose", recommending("gcn", {}, score="roc_auc"))
    with pytest.raises(AllpassError, match="the verdict is in roc_auc, the benchmark in accuracy"):
        verdict.recommend("blocks")


@pytest.mark.parametrize("name", ["structure-only", "fraud", "house-prices", "wild-scales", "ids-only"])
def test_drawn_graphs_pass_the_checks_of_any_graph(name):
    from benchmarks.verdict_graphs import GRAPHS

    data = GRAPHS[name]()
    assert load(data) is data
    assert data.fingerprint == GRAPHS[name]().fingerprint


@pytest.mark.slow
def test_the_whole_benchmark_on_one_graph(tmp_path, monkeypatch, capsys):
    from benchmarks.verdict_graphs import GRAPHS

    monkeypatch.setattr(verdict, "GRAPHS", GRAPHS)
    monkeypatch.setattr(verdict, "SPLITS", 20)
    path = tmp_path / "verdict.csv"
    options = ["--truth", "--graphs", "structure-only", "--models", "mlp-2", "label-propagation"]
    monkeypatch.setattr("sys.argv", ["verdict", *options, "--processes", "2", "--out", str(path)])
    verdict.main()
    assert "structure-only  not finished" in capsys.readouterr().out
    features, structure = (
        Results(path).rows["structure-only", model, ""] for model in ("mlp-2", "label-propagation")
    )
    assert features.mean < 0.25  # one of five classes
    assert structure.mean > 0.98
