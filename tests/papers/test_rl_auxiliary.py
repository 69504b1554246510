"""The study of auxiliary tasks: its arms, and what follows from rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from tests.tools.test_reproduced import prose

from allpass.papers import rl_auxiliary
from allpass.papers.auxiliary.measure import EVERY, learned
from allpass.papers.page import page
from allpass.papers.result import csv_text, parse_csv

ORIGIN = {"seconds": 1.0, "allpass": "", "torch": "", "device": "", "ended": "2026-01-01"}


def test_curves_are_values_of_the_greedy_policy() -> None:
    settings = {**rl_auxiliary.STUDY.arms["forward"], "steps": 2 * EVERY}
    curves = learned(settings, 0)
    assert {name: len(curve) for name, curve in curves.items()} == {"first": 2, "new": 1}
    assert all(((curve >= 0) & (curve <= 1)).all() for curve in curves.values())
    again = learned(settings, 0)
    np.testing.assert_array_equal(again["first"], curves["first"])
    assert set(learned({**settings, "first": False}, 0)) == {"new"}


def rows_of(arms: Iterable[str], gain: float, seeds: Sequence[int]) -> list[rl_auxiliary.Helped]:
    draw = np.random.default_rng(0)
    rows = []
    for arm in arms:
        for seed in seeds:
            value = float(0.5 + 0.02 * draw.normal() + gain * (arm == "transe"))
            first = value if rl_auxiliary.STUDY.arms[arm]["first"] else None
            curve = f"{value} {value}"
            scores = {"auc": first, "final": first, "new_auc": value}
            curves = {"curve": curve if first else None, "new_curve": curve}
            rows.append(rl_auxiliary.Helped(arm=arm, seed=seed, **scores, **curves, **ORIGIN))  # type: ignore[arg-type]
    return rows


@pytest.mark.parametrize(("gain", "words"), [(0.1, "It holds"), (0.0, "does not hold")])
def test_the_verdict_follows_the_rows(gain: float, words: str) -> None:
    rows = rows_of(rl_auxiliary.STUDY.arms, gain, rl_auxiliary.STUDY.seeds)
    facts = rl_auxiliary.STUDY.facts(rows)
    text = page(rl_auxiliary.STUDY, rows, facts)
    assert words in str(facts["verdict"])
    assert facts["seeds"] == "40"
    assert "not measured" not in text
    assert len(prose(text).split()) <= 600
    assert len(text.split("\n\n")[1].split()) <= 60
    assert parse_csv(csv_text(rows), rl_auxiliary.Helped) == rows
    rl_auxiliary.STUDY.picture(rows)


@pytest.mark.parametrize(
    ("arms", "name", "said"),
    [
        (("none", "scratch"), "verdict", "no model of triplets has been measured"),
        (("transe", "forward"), "verdict", "no model of triplets has been measured"),
        (("none", "rotate"), "verdict", "RotatE changes"),
        (("none", "transe"), "verdict", "an MLP forward model by not measured"),
        (("none", "forward"), "new", "TransE not measured"),
        (("scratch",), "final", "not measured"),
    ],
)
def test_what_is_missing_is_said(arms: tuple[str, ...], name: str, said: str) -> None:
    rows = rows_of(arms, 0.1, range(100, 103)) + rows_of(["scratch"], 0, [103])
    facts = rl_auxiliary.STUDY.facts(rows)
    assert said in str(facts[name])
    text = page(rl_auxiliary.STUDY, rows, facts)
    assert "nan" not in text
    rl_auxiliary.STUDY.picture(rows)
