"""The verdict: what follows from given scores, when there is none, and what training finds on known graphs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch_geometric.data import Data

from allpass.data import load, splits
from allpass.diagnosis.candidates import Candidate
from allpass.diagnosis.facts import gather_facts
from allpass.diagnosis.verdict import doubts, judge, limits, why_not
from allpass.metrics import prepare
from allpass.train.rare import default_score

CHEAP = ("label-propagation", "feature-trees", "trees", "structure-trees")


def blocks(n: int, *, classes: int = 3, homophily: float = 0.9, strength: float = 0.0, seed: int = 0) -> Data:
    """Classes whose members link to each other in a given share; features point to the class with some strength."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.randint(0, classes, (n,), generator=generator)
    source = torch.arange(n).repeat_interleave(4)
    alike = torch.rand(4 * n, generator=generator) < homophily
    target = torch.empty_like(source)
    for c in range(classes):
        own, others = (y == c).nonzero().flatten(), (y != c).nonzero().flatten()
        for mask, pool in ((alike, own), (~alike, others)):
            here = mask & (y[source] == c)
            target[here] = pool[torch.randint(0, len(pool), (int(here.sum()),), generator=generator)]
    x = torch.randn(n, 4, generator=generator)
    x[:, :classes] += strength * torch.nn.functional.one_hot(y, classes)[:, :4]
    edges = torch.cat([torch.stack([source, target]), torch.stack([target, source])], 1)
    return load(Data(edge_index=edges, x=x, y=y, num_nodes=n))


def said(data: Data, **changes) -> str:
    return why_not(data, replace(gather_facts(data, prepare(data)), **changes))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"edges": 0}, "without edges"),
        ({"classes": 1}, "two classes"),
        ({"classes": 19}, "90 labelled nodes are too few to train and test on; it takes 95"),
    ],
)
def test_why_there_is_no_verdict(change, words):
    assert said(blocks(90)) == ""
    assert words in said(blocks(90), **change)


def test_few_labels_and_no_labels():
    data = blocks(90)
    data.y[40:] = -1
    assert "40 labelled nodes are too few" in said(data)
    data.y = None
    assert "no labels" in said(data)


def test_the_score_follows_the_labels():
    assert default_score(torch.tensor([0, 1, 1, -1])) == "accuracy"
    assert default_score(torch.tensor([0] * 9 + [1])) == "roc_auc"
    assert default_score(torch.tensor([0] * 9 + [1, 2])) == "balanced_accuracy"
    assert default_score(torch.tensor([0.5, 1.5])) == "r2"


def test_what_a_model_cannot_do_is_said():
    assert limits("linkx") == "cannot predict new nodes"
    assert "label_input=False" in limits("trees")
    assert limits("gcn") == limits("feature-trees") == ""


@pytest.mark.parametrize(
    ("homophily", "strength", "words", "best"),
    [
        (0.95, 0.0, "Structure alone predicts", "structure"),
        (1 / 3, 4.0, "The features hold the signal, and the structure adds nothing", "features"),
        (1 / 3, 0.0, "No signal found", None),
    ],
)
def test_it_finds_the_planted_truth(homophily, strength, words, best):
    verdict = judge(blocks(600, homophily=homophily, strength=strength), candidates=CHEAP, count=3)
    assert words in verdict.summary
    if best is not None:
        alone = verdict.comparison[verdict.squares[best]].estimate.mean
        assert alone > 0.9
        assert all(
            verdict.comparison[model].estimate.mean < alone + 0.02 for model in verdict.squares.values()
        )


def test_both_squares_are_better_than_each():
    verdict = judge(blocks(1000, homophily=0.6, strength=1.2), candidates=CHEAP, count=3)
    assert verdict.summary.startswith("The structure helps")
    scores = {square: verdict.comparison[model].estimate.mean for square, model in verdict.squares.items()}
    assert scores["both"] > max(scores["features"], scores["structure"]) + 0.02
    lines = repr(verdict).splitlines()
    assert lines[0] == f"Verdict: use {verdict.model}"
    assert f"features alone: {verdict.squares['features']}" in lines[1]
    assert len(lines) <= 5
    assert verdict._repr_html_().count("<tr>") == len(CHEAP) + 1


def test_a_graph_without_features_gets_a_verdict():
    data = blocks(300)
    data.x = None
    verdict = judge(data, count=3, candidates=["label-propagation", "structure-trees", "gcn"])
    assert verdict.summary.startswith("The structure predicts")
    assert set(verdict.squares) == {"structure"}
    assert verdict.comparison["label-propagation"].estimate.mean > 0.9


def test_what_was_sampled_is_said(monkeypatch):
    few = {"max_nodes": 100}
    runners = [Candidate("trees", few), Candidate("linear", few), Candidate("feature-trees")]
    monkeypatch.setattr("allpass.diagnosis.verdict.candidates_for", lambda data, names: runners)
    verdict = judge(blocks(300), count=2, budget=None)
    sampled = "100 of 180 training nodes"
    assert verdict.sampled == {"trees": sampled, "linear": sampled}
    assert f" Learnt from {sampled}: trees, linear." in verdict.protocol
    assert json.loads(json.dumps(verdict.to_dict()))["sampled"] == verdict.sampled
    monkeypatch.undo()
    verdict = judge(blocks(300), count=1, candidates=["trees"])
    assert not verdict.sampled
    assert "Learnt from" not in verdict.protocol


def test_numbers_that_are_smooth_over_the_graph():
    data = blocks(600, homophily=0.95)
    noise = torch.randn(600, generator=torch.Generator().manual_seed(1))
    data.y = 100 + 30 * data.y.double() + noise
    verdict = judge(data, candidates=CHEAP, count=3)
    assert verdict.comparison.score == "r2"
    assert verdict.comparison[verdict.squares["structure"]].estimate.mean > 0.9
    assert verdict.comparison[verdict.squares["features"]].estimate.mean < 0.1
    assert verdict.baseline.model == "mean"
    assert abs(verdict.baseline.estimate.mean) < 0.05


def test_a_better_learner_is_not_taken_for_a_structure_that_helps():
    """Numbers that are linear in the features, on a graph that says nothing: linear models beat trees."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(400, 6, generator=generator)
    data = Data(x=x, edge_index=torch.randint(400, (2, 1600), generator=generator), num_nodes=400)
    data.y = (x @ torch.tensor([3.0, -2, 1, 0, 0, 1]) + 0.1 * torch.randn(400, generator=generator)).double()
    verdict = judge(data, candidates=[*CHEAP, "feature-linear", "linear"], count=3)
    found = verdict.comparison
    assert found.difference("linear", "feature-trees").mean > 0.05
    assert verdict.squares["features"] == "feature-linear"
    assert verdict.structure != "helps"
    assert "The features hold the signal" in verdict.summary


def test_rare_classes_are_judged_by_roc_auc_as_scikit_learn_has_it():
    data = blocks(800, classes=20)
    data.y = (data.y == 0).long()
    verdict = judge(data, candidates=["label-propagation"], count=1)
    assert verdict.comparison.score == "roc_auc"
    assert verdict.baseline.scores == (0.5,)
    from allpass.train import fit

    (split,) = splits(data, "stratified", count=1)
    (run,) = fit("label-propagation", data, split, score="roc_auc")
    assert verdict.comparison["label-propagation"].scores == (run.scores["test_score"],)
    from allpass.train import Trained

    outputs = Trained.of(run, data).outputs(data)
    margin = (outputs[:, 1] - outputs[:, 0])[split.test]
    truth = data.y[split.test]
    assert verdict.precision["label-propagation"] == pytest.approx(average_precision_score(truth, margin))
    assert verdict.precision["majority class"] == pytest.approx(float(truth.float().mean()))
    assert run.scores["test_score"] == pytest.approx(roc_auc_score(data.y[split.test], margin))


def test_the_same_data_gives_the_same_verdict_and_gaps_between_classes_do_not_matter():
    data = blocks(200)
    first = judge(data, candidates=CHEAP, count=2)
    data.y = torch.tensor([1, 4, 9])[data.y]
    data.fingerprint = first.comparison.dataset and data.fingerprint
    again = judge(data, candidates=CHEAP, count=2)
    assert [one.scores for one in again.comparison.contenders] == [
        one.scores for one in first.comparison.contenders
    ]


def test_copies_and_leaks_stand_in_the_verdict():
    """Nodes 200 to 399 have the neighbours, the features and the labels of nodes 0 to 199."""
    one = blocks(200)
    source, target = one.edge_index
    edge_index = torch.cat([torch.stack([source + a, target + b]) for a in (0, 200) for b in (0, 200)], 1)
    data = load(Data(edge_index=edge_index, x=torch.cat([one.x] * 2), y=torch.cat([one.y] * 2)))
    verdict = judge(data, count=1, candidates=["label-propagation"])
    assert "But 100% of the nodes share label and all neighbours with another node" in verdict.summary
    x = one.x.clone()
    x[:, 0] = one.y
    leaking = load(Data(edge_index=one.edge_index, x=x, y=one.y))
    assert "1 feature decides the label almost alone" in " ".join(doubts(leaking))
    assert doubts(one) == ()
