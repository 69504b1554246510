from __future__ import annotations

import pytest

from allpass.data import contextual_sbm
from allpass.diagnosis import diagnose


@pytest.fixture(scope="module")
def judged():
    data = contextual_sbm([40, 40], [[0.8, 0.2], [0.2, 0.8]], num_features=4)
    return diagnose(data, candidates=["feature-trees", "structure-trees"])


@pytest.fixture(scope="module")
def measured():
    return diagnose("karate", verdict=False)


def test_a_repr_fits_into_five_lines(judged, measured):
    for diagnosis in (judged, measured):
        lines = repr(diagnosis).splitlines()
        assert 3 <= len(lines) <= 5
        assert max(map(len, lines)) <= 100
        assert lines[0].startswith(f"Diagnosis of {diagnosis.name}: {diagnosis.facts.nodes} nodes")
        assert diagnosis.recommendation.summary.split(":")[0] in lines[1]


def test_the_summary_has_the_best_model_of_each_kind(judged):
    said = judged.summary()
    assert judged.recommendation.summary in said
    assert "majority class" in said
    for model in judged.verdict.squares.values():
        assert f"{judged.verdict.comparison[model].estimate.mean:.1%}" in said
    for finding in judged.findings:
        assert said.count(finding.title) == 1


def test_without_a_verdict_the_summary_has_the_findings(measured):
    assert "majority class" not in measured.summary()
    assert all(finding.title in measured.summary() for finding in measured.findings)


def test_a_notebook_shows_the_page(measured):
    page = measured.to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert measured.recommendation.summary in page
    assert measured._repr_html_().startswith("<iframe sandbox srcdoc=")
    assert "&lt;!DOCTYPE html&gt;" in measured._repr_html_()
