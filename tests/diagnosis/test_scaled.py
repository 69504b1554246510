"""What a column's unit must not change, and what bags of words keep."""

import pytest
import torch
from tests.diagnosis.planted import planted

from allpass.data import load
from allpass.diagnosis import diagnose
from allpass.diagnosis.scaled import scaled
from allpass.metrics import feature_smoothness
from allpass.train.scaling import Scaler


def test_a_column_of_millions_weighs_no_more_than_the_others():
    """Before scaling, such a column made DD 0 and the smoothness of features 1e14."""
    plain = planted(0.9)
    wild = planted(0.9)
    wild.x[:, 1:] = 1e6 * plain.x[:, 1:] + 3e6
    measured = [diagnose(data, verdict=False).profile.to_dict() for data in (plain, wild)]
    for name, value in measured[0].items():
        assert measured[1][name] == pytest.approx(value, abs=0.05 if "classifier" in name else 2e-3), name
    assert feature_smoothness(wild.edge_index, wild.x) > 1e6  # the metric itself takes features as they are


def test_columns_are_scaled_as_training_does():
    data = planted(0.5)
    same, words = scaled(data)
    assert torch.equal(same.x, Scaler.of(data.x, "auto")(data.x))
    assert "mean 0 and deviation 1" in words
    assert not torch.equal(same.x, data.x)


def test_rows_of_words_are_divided_by_their_sums():
    data = planted(0.5)
    words_of = torch.rand(data.num_nodes, 200, generator=torch.Generator().manual_seed(0)) < 0.03
    for x in (words_of.float(), words_of.float().to_sparse_csr()):
        data.x = x
        same, words = scaled(data)
        rows = same.x if same.x.layout == torch.strided else same.x.to_dense()
        dense = words_of.double()
        torch.testing.assert_close(rows, dense / dense.sum(1, keepdim=True).clamp(min=1))
        assert same.x.layout == torch.strided or x.layout != torch.strided
        assert "divided by its sum" in words


def test_facts_count_the_features_as_they_are():
    data = planted(0.5)
    data.x = torch.zeros(data.num_nodes, 2)
    data.x[0] = 5.0
    facts = diagnose(data, verdict=False).facts
    assert facts.zero_feature_rows == data.num_nodes - 1
    assert facts.feature_density == pytest.approx(1 / data.num_nodes)


def test_the_diagnosis_says_how():
    report = diagnose(planted(0.5), verdict=False)
    assert any("scaled to mean 0" in words for words in report.conventions)
    assert report.to_dict()["conventions"] == list(report.conventions)


def test_no_features_need_no_words():
    data = load("karate")
    assert scaled(data) == (data, "")
    data.x = torch.zeros(data.num_nodes, 0)
    assert scaled(data) == (data, "")


def test_sparse_features_too_many_to_be_dense_stay(monkeypatch):
    monkeypatch.setattr("allpass.diagnosis.scaled._DENSE", 10)
    data = planted(0.5)
    data.x = data.x.to_sparse_csr()
    same, words = scaled(data)
    assert same.x is data.x
    assert "keeps them sparse" in words
