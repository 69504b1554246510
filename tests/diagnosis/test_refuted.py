"""Measured findings never contradict what training shows."""

from types import SimpleNamespace

import pytest
from tests.diagnosis.planted import planted
from tests.diagnosis.verdicts import verdict_on

from allpass.diagnosis import diagnose
from allpass.diagnosis.findings import find

NOTHING, LOW, HIGH = (0.30, 0.31, 0.29), (0.60, 0.61, 0.62), (0.80, 0.81, 0.80)
GRAPH_HELPS = {"mlp-2": LOW, "gcn": HIGH, "acm-gcn": HIGH, "label-propagation": HIGH}
GRAPH_HURTS = {"mlp-2": HIGH, "gcn": LOW, "acm-gcn": HIGH, "label-propagation": NOTHING}
NO_SIGNAL = dict.fromkeys(GRAPH_HELPS, NOTHING)


@pytest.mark.parametrize(
    ("scores", "refuted", "kept"),
    [
        (
            GRAPH_HELPS,
            {"averaging-hurts", "averaging-neutral", "unpredictable", "uninformative", "aggregation-mixes"},
            {"averaging-helps", "aggregation-keeps", "informative-heterophily"},
        ),
        (
            GRAPH_HURTS,
            {"averaging-helps", "aggregation-keeps", "informative-heterophily", "high-pass-adds-little"},
            {"averaging-hurts", "high-pass-adds", "uninformative", "aggregation-mixes"},
        ),
        (
            NO_SIGNAL,
            {"averaging-helps", "averaging-hurts", "aggregation-keeps", "high-pass-adds"},
            {"unpredictable", "uninformative", "indifferent"},
        ),
    ],
)
def test_what_training_contradicts(scores, refuted, kept):
    found = set(verdict_on(scores).refuted)
    assert refuted <= found
    assert not kept & found


def test_a_high_pass_channel_adds_only_where_the_network_that_has_one_is_ahead():
    even = verdict_on({"mlp-2": LOW, "gcn": HIGH, "acm-gcn": HIGH})
    assert "high-pass-adds" in even.refuted
    assert "high-pass-adds-little" not in even.refuted


def test_findings_follow_the_verdict():
    """The graph is homophilous, but the given scores say that nothing predicts."""
    report = diagnose(planted(0.9), verdict=False)
    measured = {finding.code for finding in report.findings}
    assert {"averaging-helps", "aggregation-keeps", "homophilous"} <= measured
    evidence = {
        name: getattr(report, name)
        for name in ("facts", "tests", "frequencies", "separation", "smoothing", "chance", "numbers")
    }
    evidence["metrics"] = report.profile.to_dict()
    found = find(SimpleNamespace(verdict=verdict_on(NO_SIGNAL), **evidence))
    codes = {finding.code for finding in found}
    assert "homophilous" in codes
    assert not codes & {"averaging-helps", "aggregation-keeps"}
    assert all(finding.kind == "note" for finding in found)
