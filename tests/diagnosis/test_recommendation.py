"""Advice on planted graphs whose truth is known, and on whatever may be found."""

from itertools import chain, combinations
from types import SimpleNamespace

import pytest
import torch
from tests.diagnosis.planted import planted
from tests.diagnosis.verdicts import verdict_on

from allpass.diagnosis import diagnose
from allpass.diagnosis.recommendation import recommend
from allpass.models import resolve

LOW, HIGH = (0.60, 0.61, 0.62), (0.80, 0.81, 0.80)


def test_homophilous_graph_helps():
    report = diagnose(planted(0.9), verdict=False)
    found = {finding.code for finding in report.findings}
    assert {"averaging-helps", "homophilous", "aggregation-keeps", "labels-low"} <= found
    assert report.recommendation.models[0] == "gcn"
    assert "helps" in report.recommendation.summary


def test_random_wiring_hurts_good_features():
    report = diagnose(planted(1 / 3, informative=3.0), verdict=False)
    found = {finding.code for finding in report.findings}
    assert {"averaging-hurts", "indifferent", "uninformative"} <= found
    assert report.recommendation.models[0] in {"mlp-2", "acm-gcn"}
    assert "mlp-2" in report.recommendation.models


def test_one_class_gives_no_verdict():
    data = planted(0.9)
    data.y = torch.zeros_like(data.y)
    report = diagnose(data, verdict=False)
    assert report.recommendation.models == ()
    assert "two classes" in report.recommendation.summary


def test_reasons_name_what_was_measured():
    """Without features there is no test, and no reason may claim one."""
    data = planted(0.9)
    data.x = None
    report = diagnose(data, verdict=False)
    assert report.tests == {}
    assert report.recommendation.reasons[0] == "Averaged labels separate the classes."


def test_without_features_no_model_of_features_alone_is_recommended():
    data = planted(0.9)
    data.x = None
    recommended = diagnose(data, verdict=False).recommendation
    assert "mlp-2" not in recommended.models
    assert recommended.models[-1] == "label-propagation"
    assert not any("mlp-2" in reason for reason in recommended.reasons)


@pytest.mark.parametrize(("edges", "features"), [(0, 3), (9, 3), (9, 0)])
@pytest.mark.parametrize("tests", [{}, {"linear": None}])
def test_whatever_is_found_the_models_to_try_exist(edges, features, tests):
    codes = (
        "averaging-helps",
        "averaging-hurts",
        "aggregation-keeps",
        "aggregation-mixes",
        "homophilous",
        "high-pass-adds",
        "informative-heterophily",
        "unpredictable",
        "smooths-fast",
    )
    facts = SimpleNamespace(edges=edges, features=features, classes=2, numbers=None)
    evidence = SimpleNamespace(facts=facts, tests=tests, verdict=None)
    for found in chain.from_iterable(combinations(codes, size) for size in range(len(codes) + 1)):
        recommended = recommend(evidence, tuple(SimpleNamespace(code=code) for code in found))
        assert recommended.models
        for name in recommended.models:
            resolve(name)


def judged(codes: tuple[str, ...], verdict, classes: int = 2):
    facts = SimpleNamespace(edges=9, features=3, classes=classes, numbers=None)
    evidence = SimpleNamespace(facts=facts, tests={"linear": None}, verdict=verdict)
    return recommend(evidence, tuple(SimpleNamespace(code=code) for code in codes))


def test_a_trained_verdict_replaces_what_was_measured():
    verdict = verdict_on({"mlp-2": LOW, "gcn": LOW, "trees": HIGH, "linkx": HIGH})
    found = judged(("averaging-hurts",), verdict)
    assert found.structure == "helps"
    assert found.summary == verdict.summary
    assert found.models == ("trees", "linkx", "mlp-2")  # by validation, the first of equals first
    assert found.limits["linkx"] == "cannot predict new nodes"
    assert "mlp-2" not in found.limits
    assert not any("averag" in reason.lower() for reason in found.reasons)


def test_a_verdict_on_numbers():
    verdict = verdict_on({"mlp-2": HIGH, "gcn": LOW}, score="r2")
    found = judged((), verdict, classes=0)
    assert (found.structure, found.models) == ("hurts", ("mlp-2", "gcn"))


def test_models_that_guess_are_not_recommended():
    """AUC below 0.5 is worse than guessing, and 0.55 is nearer to it than to the best."""
    verdict = verdict_on(
        {"trees": (0.9, 0.91, 0.9), "linkx-structure": (0.44, 0.45, 0.46), "mlp-2": (0.55, 0.56, 0.55)},
        baseline=0.5,
        score="roc_auc",
    )
    assert judged((), verdict).models == ("trees",)
    assert judged((), verdict).heading == "Use, best first"


def test_where_nothing_beats_guessing_no_model_is_recommended():
    flat = (0.30, 0.31, 0.29)
    found = judged((), verdict_on({"mlp-2": flat, "gcn": flat}))
    assert found.heading == "No model to recommend. Best on the validation nodes"
    assert found.models == ("mlp-2",)
    assert any("No model is certainly better than the majority class" in reason for reason in found.reasons)


def test_no_advice_speaks_of_shallow_networks_next_to_deep_ones():
    codes = ("averaging-helps", "homophilous", "smooths-fast")
    facts = SimpleNamespace(edges=9, features=3, classes=2, numbers=None)
    evidence = SimpleNamespace(facts=facts, tests={"linear": None}, verdict=None)
    found = recommend(evidence, tuple(SimpleNamespace(code=code) for code in codes))
    assert "krylov" in found.models
    assert not any("shallow" in reason for reason in found.reasons)
