"""What given scores support, in sentences."""

from __future__ import annotations

import json
import math

import pytest
from tests.diagnosis.verdicts import verdict_on

LOW, MIDDLE, HIGH = (
    (0.50, 0.51, 0.49, 0.50, 0.52),
    (0.70, 0.71, 0.69, 0.71, 0.70),
    (0.90, 0.91, 0.89, 0.9, 0.92),
)
WILD = (0.3, 0.9, 0.6, 0.7, 0.5)
NOTHING = (0.30, 0.31, 0.29, 0.30, 0.30)


@pytest.mark.parametrize(
    ("scores", "structure", "words"),
    [
        (
            {"mlp-2": LOW, "trees": HIGH, "label-propagation": MIDDLE},
            "helps",
            "The structure helps: trees reaches 90.4%",
        ),
        ({"mlp-2": LOW, "trees": HIGH, "label-propagation": HIGH}, "helps", "Structure alone predicts 90.4%"),
        ({"mlp-2": HIGH, "gcn": MIDDLE}, "hurts", "The structure hurts: gcn reaches 70.2%"),
        (
            {"mlp-2": HIGH, "gcn": MIDDLE, "label-propagation": LOW},
            "hurts",
            "The structure hurts: gcn reaches 70.2%",
        ),
        (
            {"mlp-2": HIGH, "gcn": MIDDLE, "label-propagation": NOTHING},
            "hurts",
            "The features hold the signal: mlp-2 reaches 90.4%. Structure alone predicts nothing (label-propagation "
            "30.0%, the majority class 30.0%), and models that read it lose 20.2 points.",
        ),
        (
            {"mlp-2": HIGH, "gcn": HIGH},
            "open",
            "The features hold the signal, and the structure adds nothing",
        ),
        ({"mlp-2": MIDDLE, "gcn": (0.6, 0.9, 0.7, 0.8, 0.65)}, "open", "Inconclusive"),
        ({"mlp-2": MIDDLE, "gcn": WILD}, "open", "The features hold the signal"),
        ({"mlp-2": NOTHING, "gcn": NOTHING}, "open", "No signal found"),
        (
            {"label-propagation": HIGH},
            "helps",
            "The structure predicts 90.4% (label-propagation); the majority class 30.0%",
        ),
    ],
)
def test_the_sentence_names_the_square_that_holds_the_signal(scores, structure, words):
    verdict = verdict_on(scores)
    assert verdict.structure == structure
    assert words in verdict.summary
    json.dumps(verdict.to_dict(), allow_nan=False)


def test_without_features_the_structure_is_compared_with_guessing():
    (answer,) = verdict_on({"label-propagation": HIGH, "linkx-structure": LOW}).answers
    assert (answer.code, answer.kind, answer.other) == ("structure-ahead", "good", "majority class")
    assert "label-propagation minus majority class: +60.4 points" in answer.text
    flat = verdict_on({"label-propagation": NOTHING})
    assert (flat.structure, [answer.code for answer in flat.answers]) == ("open", ["structure-even"])
    assert flat.summary.startswith("No signal found")


def test_models_of_both_alone_do_not_say_which_of_the_two_helps():
    verdict = verdict_on({"gcn": HIGH, "sage": MIDDLE})
    assert (verdict.structure, verdict.answers) == ("open", ())
    assert verdict.summary == "gcn reaches 90.4%, the majority class 30.0%."


def test_every_square_has_its_best_model():
    verdict = verdict_on({"mlp-2": LOW, "feature-trees": MIDDLE, "gcn": HIGH, "linkx-structure": LOW})
    assert verdict.squares == {"features": "feature-trees", "structure": "linkx-structure", "both": "gcn"}
    assert verdict.model == "gcn"
    assert "features alone 70.2% (feature-trees)" in verdict.summary


def test_validation_chooses_and_test_scores_are_reported():
    scores = {"mlp-2": LOW, "gcn": MIDDLE, "acm-gcn": HIGH}
    verdict = verdict_on(scores, validation={"mlp-2": LOW, "gcn": HIGH, "acm-gcn": MIDDLE})
    assert verdict.model == "gcn"
    assert "gcn reaches 70.2%" in verdict.summary


def test_smoothing_is_judged_where_both_networks_ran():
    codes = [answer.code for answer in verdict_on({"mlp-2": LOW, "gcn": MIDDLE, "acm-gcn": HIGH}).answers]
    assert codes == ["structure-ahead", "smoothing-ahead"]
    assert [answer.code for answer in verdict_on({"mlp-2": LOW, "gcn": MIDDLE}).answers] == [
        "structure-ahead"
    ]


def test_features_that_add_less_than_a_point_add_nothing():
    nearly = tuple(score + 0.005 for score in HIGH)
    verdict = verdict_on({"mlp-2": LOW, "trees": nearly, "label-propagation": HIGH})
    assert verdict.answers[1].code == "features-even"
    assert verdict.summary.startswith("Structure alone predicts")


def test_features_are_not_said_to_distract_where_no_model_reads_both():
    behind = verdict_on({"feature-trees": LOW, "label-propagation": HIGH})
    assert [answer.code for answer in behind.answers] == ["structure-ahead"]
    assert behind.summary.startswith("The structure helps: label-propagation reaches 90.4%")
    ahead = verdict_on({"feature-trees": HIGH, "label-propagation": LOW})
    assert [answer.code for answer in ahead.answers] == ["structure-behind", "features-ahead"]


def test_features_that_may_help_are_not_said_to_add_nothing():
    few = verdict_on({"mlp-2": (0.5,), "trees": (0.875,), "label-propagation": (0.75,)}, test_nodes=24)
    title = few.answers[1].title
    assert title.startswith("Inconclusive whether the features help: label-propagation reaches 75.0%")
    unsure = verdict_on({"mlp-2": LOW, "acm-gcn": (0.6, 0.9, 0.7, 0.8, 0.65), "gcn": MIDDLE})
    assert unsure.answers[-1].title.startswith("Inconclusive whether smoothing hurts: acm-gcn and gcn are")


def test_numbers_speak_of_r2():
    verdict = verdict_on({"mlp-2": LOW, "gcn": HIGH}, score="r2")
    assert "gcn reaches R² 0.90, the features alone R² 0.50" in verdict.summary
    alone = verdict_on({"mlp-2": LOW, "gcn": HIGH, "label-propagation": HIGH}, score="r2").summary
    assert alone.startswith("Structure alone reaches R² 0.90 (label-propagation); the features add nothing")


def test_one_split_gives_no_interval():
    verdict = verdict_on({"mlp-2": (0.5,), "gcn": (0.9,)})
    assert verdict.structure == "helps"
    assert "On 1 split, too few for an interval" in verdict.answers[0].text


def test_a_model_that_diverged_wins_nothing():
    verdict = verdict_on({"mlp-2": LOW, "gcn": HIGH, "acm-gcn": (math.nan,) * 5})
    assert verdict.model == "gcn"
    json.dumps(verdict.to_dict(), allow_nan=False)


def test_with_one_split_the_test_nodes_decide_how_sure_it_is():
    """Three points apart: certain on ten thousand test nodes, not on a hundred."""
    scores = {"mlp-2": (0.87,), "gcn": (0.90,)}
    assert verdict_on(scores, test_nodes=10_000).structure == "helps"
    few = verdict_on(scores, test_nodes=100)
    assert few.structure == "open"
    assert few.summary.startswith("Inconclusive whether the structure helps: gcn reaches 90.0%")


def test_without_signal_nothing_helps_and_nothing_is_compared():
    """The network of the graph is ahead of the features, and still no better than guessing."""
    worse = (0.20, 0.21, 0.19, 0.20, 0.20)
    verdict = verdict_on({"mlp-2": worse, "gcn": NOTHING, "acm-gcn": NOTHING, "label-propagation": NOTHING})
    assert verdict.summary.startswith("No signal found")
    assert [answer.code for answer in verdict.answers] == ["structure-even"]
    assert verdict.answers[0].title.startswith("Neither features nor structure predict the label")
    assert verdict.predicts == ()


def test_models_that_certainly_beat_the_baseline():
    verdict = verdict_on({"mlp-2": NOTHING, "gcn": MIDDLE, "acm-gcn": HIGH})
    assert verdict.predicts == ("gcn", "acm-gcn")


def test_a_lead_is_at_most_what_is_left_to_100_percent():
    verdict = verdict_on({"mlp-2": (0.97, 0.97, 0.98), "gcn": (0.97, 0.99, 0.98)})
    (answer,) = verdict.answers
    assert answer.difference.high > 1 - verdict.comparison["mlp-2"].estimate.mean
    assert answer.interval == (answer.difference.low, 1 - verdict.comparison["mlp-2"].estimate.mean)
    assert "to +2.7." in answer.text


def test_splits_that_differ_too_much_have_no_interval():
    verdict = verdict_on({"mlp-2": MIDDLE, "gcn": (0.95, 0.31, 0.96, 0.30, 0.94)})
    (answer,) = verdict.answers
    assert answer.interval is None
    assert "gcn collapsed on 2 of 5 splits" in answer.text
    assert "by split: +25.0, -40.0, +27.0, -41.0, +24.0" in answer.text
    assert "interval +" not in answer.text
    assert "interval -" not in answer.text


def test_a_difference_that_rounds_to_nothing_has_no_sign():
    nearly = tuple(score - 0.0001 for score in HIGH)
    verdict = verdict_on({"mlp-2": HIGH, "gcn": nearly})
    assert "gcn minus mlp-2: 0.0 points" in verdict.answers[0].text
