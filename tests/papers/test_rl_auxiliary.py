"""The study of auxiliary tasks: its arms, and what follows from rows."""

from __future__ import annotations

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


@pytest.mark.parametrize(("gain", "words"), [(0.1, "It holds"), (0.0, "does not hold")])
def test_the_verdict_follows_the_rows(gain: float, words: str) -> None:
    draw = np.random.default_rng(0)
    rows = []
    for arm, settings in rl_auxiliary.STUDY.arms.items():
        for seed in rl_auxiliary.STUDY.seeds:
            value = float(0.5 + 0.02 * draw.normal() + gain * (arm == "transe"))
            first = value if settings["first"] else None
            curve = f"{value} {value}"
            rows.append(
                rl_auxiliary.Helped(
                    arm=arm,
                    seed=seed,
                    auc=first,
                    final=first,
                    new_auc=value,
                    curve=curve if first else None,
                    new_curve=curve,
                    **ORIGIN,  # type: ignore[arg-type]
                )
            )
    facts = rl_auxiliary.STUDY.facts(rows)
    text = page(rl_auxiliary.STUDY, rows, facts)
    assert words in str(facts["verdict"])
    assert len(prose(text).split()) <= 600
    assert len(text.split("\n\n")[1].split()) <= 60
    assert parse_csv(csv_text(rows), rl_auxiliary.Helped) == rows
    rl_auxiliary.STUDY.picture(rows)
