"""Conclusions on planted graphs whose truth is known."""

from itertools import chain, combinations
from types import SimpleNamespace

import pytest
import torch
from tests.train.contenders import comparison
from torch_geometric.data import Data

from allpass.diagnosis import diagnose
from allpass.diagnosis.advice import find, recommend
from allpass.diagnosis.verdict import conclude
from allpass.models import resolve


def planted(h: float, *, informative: float = 1.5, n: int = 150, classes: int = 3, seed: int = 0) -> Data:
    """Each node draws six neighbours, a share h of them from its own class; features point to the class."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % classes
    own = torch.rand(n, 6, generator=generator) < h
    step = torch.randint(1, classes, (n, 6), generator=generator)
    wanted = torch.where(own, y.unsqueeze(1), (y.unsqueeze(1) + step) % classes)
    pick = torch.randint(0, n // classes, (n, 6), generator=generator)
    target = pick * classes + wanted
    x = torch.randn(n, 8, generator=generator)
    x[:, :classes] += informative * torch.nn.functional.one_hot(y, classes)
    return Data(
        edge_index=torch.stack([torch.arange(n).repeat_interleave(6), target.flatten()]),
        x=x,
        y=y,
        num_nodes=n,
    )


def codes(data: Data) -> set[str]:
    return {finding.code for finding in diagnose(data, verdict=False).findings}


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


def test_two_opposite_classes_are_heterophilous_but_informative():
    assert {"heterophilous", "informative-heterophily", "labels-high"} <= codes(planted(0.02, classes=2))


def test_one_class_gives_no_verdict():
    data = planted(0.9)
    data.y = torch.zeros_like(data.y)
    report = diagnose(data, verdict=False)
    assert report.recommendation.models == ()
    assert "two classes" in report.recommendation.summary


def test_tiny_class_is_said():
    data = planted(0.9)
    data.y[0] = 3
    assert "tiny-class" in codes(data)


@pytest.mark.parametrize("h", [0.05, 1 / 3, 0.9])
def test_every_finding_reads_as_sentences(h):
    for finding in diagnose(planted(h), verdict=False).findings:
        assert finding.title.endswith(".")
        assert finding.text.endswith(".")
        assert finding.evidence


def test_equal_features_leave_nothing_to_smooth():
    data = Data(edge_index=torch.tensor([[0], [1]]), x=torch.ones(2, 2), y=torch.tensor([0, 0]), num_nodes=2)
    assert codes(data) == {"nothing-to-smooth"}


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
    facts = SimpleNamespace(edges=edges, features=features, classes=2)
    evidence = SimpleNamespace(facts=facts, tests=tests, verdict=None)
    for found in chain.from_iterable(combinations(codes, size) for size in range(len(codes) + 1)):
        recommended = recommend(evidence, tuple(SimpleNamespace(code=code) for code in found))
        assert recommended.models
        for name in recommended.models:
            resolve(name)


def judged(codes: tuple[str, ...], verdict, classes: int = 2):
    facts = SimpleNamespace(edges=9, features=3, classes=classes)
    evidence = SimpleNamespace(facts=facts, tests={"linear": None}, verdict=verdict)
    return recommend(evidence, tuple(SimpleNamespace(code=code) for code in codes))


LOW, HIGH = (0.60, 0.61, 0.62), (0.80, 0.81, 0.80)


def test_a_trained_verdict_beats_what_was_measured_and_both_are_said():
    verdict = conclude(comparison({"mlp-2": LOW, "gcn": LOW, "acm-gcn": HIGH, "gcn-8": LOW}))
    found = judged(("averaging-hurts",), verdict)
    assert found.structure == "helps"
    assert found.summary == verdict.summary
    assert found.models == ("acm-gcn", "mlp-2", "linkx")
    assert "The measurements alone had said otherwise: The structure hurts" in " ".join(found.reasons)
    assert "lr 0.05, weight decay 0.0005 and dropout 0.5" in " ".join(found.reasons)
    assert "otherwise" not in " ".join(judged(("averaging-helps", "homophilous"), verdict).reasons)


def test_a_verdict_on_numbers_stands_alone():
    verdict = conclude(comparison({"mlp-2": HIGH, "gcn": LOW, "acm-gcn": LOW, "gcn-8": LOW}, score="r2"))
    found = judged((), verdict, classes=0)
    assert (found.structure, found.models) == ("hurts", ("mlp-2",))
    assert not any("measurements" in reason for reason in found.reasons)


def test_answers_come_first_among_the_findings():
    verdict = conclude(comparison({"mlp-2": LOW, "gcn": LOW, "acm-gcn": HIGH, "gcn-8": LOW}))
    facts = SimpleNamespace(edges=0)
    first, *_, last = find(SimpleNamespace(facts=facts, verdict=verdict))
    assert (first.code, first.kind, last.code) == ("structure-ahead", "good", "no-edges")
    assert first.evidence["difference"] == pytest.approx(0.19333, abs=1e-4)
    assert first.evidence["at_least"] > 0
