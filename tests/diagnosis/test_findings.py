"""Findings on planted graphs whose truth is known."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from tests.diagnosis.planted import planted
from tests.diagnosis.verdicts import verdict_on
from torch_geometric.data import Data

from allpass.diagnosis import diagnose, findings
from allpass.diagnosis.findings import find

LOW, HIGH = (0.60, 0.61, 0.62), (0.80, 0.81, 0.80)


def codes(data: Data) -> set[str]:
    return {finding.code for finding in diagnose(data, verdict=False).findings}


def test_two_opposite_classes_are_heterophilous_but_informative():
    assert {"heterophilous", "informative-heterophily", "labels-high"} <= codes(planted(0.02, classes=2))


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


def test_answers_come_first_among_the_findings():
    verdict = verdict_on({"mlp-2": LOW, "gcn": LOW, "acm-gcn": HIGH})
    facts = SimpleNamespace(edges=0)
    first, *_, last = find(SimpleNamespace(facts=facts, verdict=verdict))
    assert (first.code, first.kind, last.code) == ("structure-ahead", "good", "no-edges")
    assert first.evidence["difference"] == pytest.approx(0.19333, abs=1e-4)
    assert first.evidence["at_least"] > 0


def test_the_one_sided_p_value_of_the_classifier_test_is_no_evidence_of_a_finding():
    found = {finding.code: finding for finding in diagnose(planted(0.9), verdict=False).findings}
    assert set(found["averaging-helps"].evidence) == {"with_graph", "without_graph"}  # near 1 where it helps


def test_notes_on_the_splits_are_one_finding():
    verdict = replace(verdict_on({"mlp-2": LOW, "gcn": HIGH}), notes=tuple(f"Note {k}." for k in range(9)))
    found = find(SimpleNamespace(facts=SimpleNamespace(edges=0), verdict=verdict))
    (note,) = (finding for finding in found if finding.code == "splits")
    assert note.text == "Note 0. Note 1. Note 2. And 6 notes of this kind."


def test_homophily_that_rounds_to_nothing_has_no_sign():
    facts = SimpleNamespace(weighted=False)
    metrics = {"adjusted_homophily": -0.001, "edge_homophily": 0.25}
    finding = findings._alike(SimpleNamespace(facts=facts, metrics=metrics))
    assert "homophily is 0.00 (" in finding.text
