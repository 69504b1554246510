"""What was derived of sizes is judged by what is measured."""

from __future__ import annotations

from tests.papers.pages.depth.invented import ROWS, findings, row

from allpass.papers.pages.depth.predictions import predictions, told_predictions
from allpass.papers.pages.page import Table

BROKEN = row(8, 20.0, "energy", start_variance="1.00 20.00 inf nan nan nan nan nan")


def test_how_far_both_derivations_are_off() -> None:
    """Measured are -0.5 a layer, derived -1 and 0."""
    _, _, judged, *_ = predictions(findings([*ROWS, BROKEN]))
    assert isinstance(judged, Table)
    assert judged.rows == (
        ("forward variance, ReLU", "4", "1", "3.16", "3.16", "4"),
        ("gradient variance, ReLU", "5", "0", "3.16", "–", "–"),
        ("energy, ReLU", "5", "0", "3.16", "3.16", "5"),
    )
    (told,) = told_predictions(findings(ROWS))
    assert told.endswith(": ReLU 3.16 and 3.16.")


def test_what_lies_outside_is_not_between() -> None:
    steep = " ".join(f"{-1.5 * layer}" for layer in range(4))
    _, _, judged, *_ = predictions(findings([row(4, 80.0, start_variance=steep)]))
    assert isinstance(judged, Table)
    assert judged.rows[0] == ("forward variance, ReLU", "1", "0", "3.16", "31.6", "0")


def test_which_initialisations_keep_a_size() -> None:
    elsewhere = {**row(8, 80.0, start_variance=" ".join(["0.00"] * 8)), "dataset": "citeseer"}
    _, _, _, variance, gradient, _ = predictions(findings([*ROWS, elsewhere, BROKEN]))
    assert isinstance(variance, Table)
    assert isinstance(gradient, Table)
    assert variance.rows == (("glorot", "0.658 (0.316 to 1)"), ("he", "0.316"), ("energy", "–"))
    assert gradient.rows[-1] == ("energy", "0.316")


def test_shallow_networks_have_no_layers_to_compare() -> None:
    assert predictions(findings([row(2, 80.0)])) == ()
    assert told_predictions(findings([row(2, 80.0)])) == ()
