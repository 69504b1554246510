"""The study of basis functions: what it measures, and what follows from rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.papers.performing import results_of

from allpass.papers import rl_bases
from allpass.papers.page import page
from allpass.papers.result import csv_text, parse_csv
from allpass.papers.study import Plan
from allpass.rl import TabularMDP, create_basis
from allpass.rl.basis_catalog import fit_errors
from tools import reproduced

ORIGIN = {"seconds": 1.0, "allpass": "", "torch": "", "device": "", "ended": "2026-01-01"}


def test_rows_of_bases_are_the_errors_of_least_squares(tmp_path: Path) -> None:
    plan = Plan(("four-rooms/combinatorial", "four-rooms/random"), quick=True)
    rows = results_of(rl_bases.STUDY, tmp_path, plan)
    assert [(row.basis, row.seed) for row in rows] == [("combinatorial", 0), ("random", 0), ("random", 1)]
    mdp = TabularMDP.from_grid("four-rooms", rl_bases.DISCOUNT)
    basis = create_basis("combinatorial", mdp, 64)
    (exact,) = fit_errors(mdp, basis, mdp.values(), [32])
    assert rows[0].uniform_32 == pytest.approx(exact, rel=1e-5)
    assert rows[0].uniform_32 <= rows[1].uniform_32 / 2
    assert parse_csv(csv_text(rows), rl_bases.Fitted) == rows
    rl_bases.STUDY.matrix(rows)
    rl_bases.STUDY.picture(rows)


def test_the_verdict_on_bases_follows_the_rows() -> None:
    def row(grid: str, basis: str, seed: int, error: float) -> rl_bases.Fitted:
        errors = {f"{target}_{size}": error / size for target in rl_bases.TARGETS for size in rl_bases.SIZES}
        arm = f"{grid}/{basis}"
        return rl_bases.Fitted(arm=arm, grid=grid, basis=basis, seed=seed, **errors, **ORIGIN)  # type: ignore[arg-type]

    for random, words in ((3.0, "in 4 of 4 cases"), (1.5, "in only 0 of 4 cases")):
        rows = [
            row(grid, basis, seed, random if basis == "random" else 0.5 if basis == "krylov" else 1.0)
            for grid in rl_bases.GRIDS
            for basis in rl_bases.STYLES
            for seed in rl_bases.STUDY.seeds_of(f"{grid}/{basis}")
        ]
        facts = rl_bases.STUDY.facts(rows)
        assert words in str(facts["verdict"])
        assert facts["krylov_optimal"] == 10
        assert facts["deepwalk"] == 0
        page(rl_bases.STUDY, rows, facts)


def test_no_curve_leaves_its_panel() -> None:
    """Krylov functions fit exactly from some number on; their curve ran out of the panel."""
    panels = rl_bases.STUDY.picture(reproduced.kept("rl-bases")).axes
    for panel in panels:
        low, high = panel.get_ylim()
        for line in panel.get_lines():
            assert low <= min(line.get_ydata())
            assert max(line.get_ydata()) <= high
    assert panels[0].get_yticklabels()[-1].get_text() == "≤0.001"
