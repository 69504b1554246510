"""What training makes of the factor of a layer."""

from __future__ import annotations

from tests.papers.pages.depth.invented import ROWS, findings, row

from allpass.papers.pages.depth.trained import training
from allpass.papers.pages.page import Table, Text
from allpass.papers.study import Row

FLAT = " ".join(["0.00"] * 8)


def tables(*rows: Row) -> list[Table]:
    return [block for block in training(findings([*ROWS, *rows])) if isinstance(block, Table)]


def test_the_factor_at_the_end_stands_beside_that_at_the_start() -> None:
    """Half a power of ten less in every layer at both moments; on another graph training keeps the variance."""
    kept = {**row(8, 80.0, end_variance=FLAT), "dataset": "citeseer"}
    variance, gradient, energy = tables(kept)
    assert variance.caption.startswith(
        "By what a hidden layer multiplies the forward variance, with 8 layers: "
    )
    assert "gradient variance" in gradient.caption
    assert "energy" in energy.caption
    assert variance.header == ("initialisation", "ReLU")
    assert variance.rows == (("glorot", "0.316 → 0.658 (0.316 to 1)"), ("he", "0.316 → 0.316"))
    assert gradient.rows[0] == ("glorot", "0.316 → 0.316 (0.316 to 0.316)")


def test_what_diverged_has_no_end_and_is_counted() -> None:
    gone = {f"end_{quantity}": "" for quantity in ("variance", "gradient_variance", "energy")}
    elsewhere = {**row(8, 0.0, "he", **gone), "dataset": "citeseer"}
    variance, *_ = tables(elsewhere, row(8, 0.0, "energy", **gone))
    assert variance.rows[1:] == (("he", "0.316 → 0.316 (1 of 2)"), ("energy", "none"))


def test_networks_that_keep_a_size_better_at_the_end_are_counted() -> None:
    """Six rows, of which those with two layers have no two hidden ones."""
    kept = {**row(8, 80.0, end_variance=FLAT), "dataset": "citeseer"}
    grown = {**row(8, 80.0, end_variance=" ".join(f"{2 * n}" for n in range(8))), "dataset": "pubmed"}
    (text,) = (block for block in training(findings([*ROWS, kept, grown])) if isinstance(block, Text))
    assert "forward variance in 1 of 6, gradient variance in 0 of 6, energy in 0 of 6." in text.text


def test_shallow_networks_have_no_such_section() -> None:
    assert training(findings([row(2, 80.0)])) == ()
