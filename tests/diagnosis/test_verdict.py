"""The verdict: what follows from given scores, when there is none, and one that is really trained."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
import torch
from tests.train.contenders import comparison
from torch_geometric.data import Data

from allpass.data import load
from allpass.diagnosis.facts import gather_facts
from allpass.diagnosis.verdict import LARGEST, MODELS, SETTINGS, conclude, judge, why_not
from allpass.metrics import prepare
from allpass.models import resolve

pytestmark = pytest.mark.usefixtures("unrecorded")
LOW, MIDDLE, HIGH = (
    (0.50, 0.51, 0.49, 0.50, 0.52),
    (0.70, 0.71, 0.69, 0.71, 0.70),
    (0.90, 0.91, 0.89, 0.9, 0.92),
)
WILD = (0.3, 0.9, 0.6, 0.7, 0.5)


def concluded(*scores, **options):
    return conclude(comparison(dict(zip(MODELS, scores, strict=True)), **options))


def graph(n: int = 90, *, seed: int = 0) -> Data:
    """Three classes whose neighbours agree, and features that hardly tell them apart."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % 3
    source = torch.arange(n).repeat_interleave(6)
    target = torch.randint(0, n // 3, (6 * n,), generator=generator) * 3 + y[source]
    x = torch.randn(n, 6, generator=generator)
    x[:, :3] += torch.nn.functional.one_hot(y, 3)
    both = torch.stack([torch.cat([source, target]), torch.cat([target, source])])
    return load(Data(edge_index=both, x=x, y=y, num_nodes=n))


def said(data: Data, **changes) -> str:
    return why_not(data, replace(gather_facts(data, prepare(data)), **changes))


def test_helps_smoothing_and_depth_hurt():
    verdict = concluded(LOW, MIDDLE, HIGH, LOW)
    assert verdict.structure == "helps"
    assert verdict.summary == "The structure helps: acm-gcn gains 40.0 points over the features alone."
    assert [answer.code for answer in verdict.answers] == [
        "structure-ahead",
        "smoothing-ahead",
        "depth-behind",
    ]
    assert [answer.kind for answer in verdict.answers] == ["good", "bad", "bad"]
    assert "acm-gcn reaches 90.4% and mlp-2 50.4%" in verdict.answers[0].text
    assert verdict.model == "acm-gcn"


def test_hurts_and_smoothing_is_right():
    verdict = concluded(HIGH, MIDDLE, LOW, HIGH)
    assert verdict.structure == "open"  # the deep one is as good as the features
    verdict = concluded(HIGH, MIDDLE, LOW, LOW)
    assert verdict.structure == "hurts"
    assert [answer.kind for answer in verdict.answers] == ["bad", "good", "bad"]
    assert verdict.model == "mlp-2"


def test_what_is_within_the_noise_stays_open():
    verdict = concluded(MIDDLE, WILD, WILD, WILD)
    assert verdict.structure == "open"
    assert {answer.kind for answer in verdict.answers} == {"note"}
    assert all(answer.difference.low <= 0 <= answer.difference.high for answer in verdict.answers)


def test_the_network_against_the_features_is_chosen_on_validation():
    validation = dict(zip(MODELS, (LOW, HIGH, MIDDLE, LOW), strict=True))
    verdict = concluded(LOW, MIDDLE, HIGH, LOW, validation=validation)
    assert verdict.answers[0].model == verdict.model == "gcn"


def test_numbers_speak_of_r2():
    verdict = concluded(LOW, MIDDLE, HIGH, LOW, score="r2")
    assert "gains 0.40 of R²" in verdict.summary
    assert "R² 0.90" in verdict.answers[0].text


def test_a_model_that_diverged_wins_nothing():
    verdict = concluded(LOW, MIDDLE, (math.nan,) * 5, LOW)
    assert verdict.model == "gcn"
    assert verdict.answers[1].kind == "note"
    json.dumps(verdict.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"edges": 0}, "without edges"),
        ({"classes": 1}, "two classes"),
        ({"features": 0}, "without features"),
        ({"classes": 19}, "90 labelled nodes are too few to train and test on; 95 are the fewest"),
        ({"stored_entries": LARGEST}, "too large"),
    ],
)
def test_why_there_is_no_verdict(change, words):
    assert said(graph()) == ""
    assert words in said(graph(), **change)


def test_few_labels_and_no_labels():
    data = graph()
    data.y[40:] = -1
    assert "40 labelled nodes are too few" in said(data)
    data.y = None
    assert "no labels" in said(data)


def test_settings_are_those_of_the_models():
    for model in MODELS:
        entry, _ = resolve(model)
        assert set(SETTINGS[model]) <= {*entry.training, *entry.settings}


@pytest.fixture(scope="module")
def trained():
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("allpass.diagnosis.verdict.EPOCHS", 20)  # enough for a graph this easy
        yield judge(graph(), progress=said.append), said


def test_trained_networks_find_the_planted_answer(trained):
    verdict, said = trained
    assert verdict.structure == "helps"
    assert said == [f"training {model}" for model in MODELS]
    assert len(verdict.comparison.splits) == 5
    assert all(one.epochs <= 20 for one in verdict.comparison.contenders)
    assert verdict.settings["lr"] == SETTINGS[verdict.model]["lr"]


def test_the_same_data_gives_the_same_verdict_and_gaps_between_classes_do_not_matter(trained):
    data = graph()
    data.y = torch.tensor([1, 4, 9])[data.y]
    again = judge(data).comparison
    assert [one.scores for one in again.contenders] == [
        one.scores for one in trained[0].comparison.contenders
    ]


def test_numbers_are_judged_too(monkeypatch):
    monkeypatch.setattr("allpass.diagnosis.verdict.EPOCHS", 20)
    data = graph(60)
    A = torch.zeros(60, 60).index_put((data.edge_index[1], data.edge_index[0]), torch.ones(()))
    data.y = 100 + 7 * (A @ data.x[:, 5]) / A.sum(1)
    assert said(data) == ""
    verdict = judge(data)
    assert verdict.comparison.score == "r2"
    assert verdict.answers[0].difference.mean > 0
