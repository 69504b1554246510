"""Basis functions of states: how many of them a value function needs, by where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from allpass.papers.measuring import Measured
from allpass.papers.result import Result, made
from allpass.papers.rewards.intervals import mean
from allpass.papers.seeded import SeededStudy
from allpass.papers.study import Words
from allpass.report.canvas import in_style, legend, name_outer, panels
from allpass.report.theme import light
from allpass.rl.basis_catalog import create_basis, fit_errors
from allpass.rl.mdp import TabularMDP
from allpass.train.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

DISCOUNT = 0.95
GRIDS = {"four-rooms": "FourRooms", "four-rooms-22": "22 x 22 grid"}
TARGETS = {"uniform": "V of the uniform policy", "optimal": "V*"}
SIZES = (4, 8, 16, 32, 64)
FLOOR = 1e-3
"""Errors below are drawn here: a logarithmic axis has no 0."""
STYLES = {
    "combinatorial": ("low", "-"),
    "normalized": ("low", "--"),
    "random-walk": ("low", ":"),
    "directed": ("good", "-"),
    "successor": ("bad", "-"),
    "krylov": ("high", "-"),
    "deepwalk": ("both", "-"),
    "random": ("muted", "--"),
}
"""The bases, and how each is drawn."""

RANDOM = ("deepwalk", "random")


@dataclass(frozen=True, kw_only=True)
class Fitted(Result):
    """The errors of least squares with one basis, relative to the error of the mean, by number of functions.

    Args:
        arm: Grid and basis.
        grid: The grid.
        basis: The basis.
        seed: Of what is random.
        uniform_4: Error with 4 functions, for the values of the uniform policy; the others are alike.
    """

    place: ClassVar[tuple[str, ...]] = ("arm", "seed")

    arm: str
    grid: str
    basis: str
    seed: int
    uniform_4: float
    uniform_8: float
    uniform_16: float
    uniform_32: float
    uniform_64: float
    optimal_4: float
    optimal_8: float
    optimal_16: float
    optimal_32: float
    optimal_64: float


class RlBases(SeededStudy[Fitted]):
    """Errors of the fit; a run is a basis on a grid with one seed."""

    id = "rl-bases"
    result = Fitted
    arms: ClassVar = {
        f"{grid}/{basis}": {"grid": grid, "basis": basis, "discount": DISCOUNT, "sizes": list(SIZES)}
        for grid in GRIDS
        for basis in STYLES
    }
    seeds = range(5)
    words = Words(
        title="Basis functions of values",
        source="Section 4.2 of the report; Mahadevan, ICML 2005; Petrik, IJCAI 2007; Perozzi et al., KDD 2014",
        claim="A few smooth functions of the graph of states should carry a value function.",
        verdict="{verdict}",
        advice="Use Krylov functions to evaluate a policy whose rewards are known, proto-value functions otherwise.",
        picture="Error of least squares against the number of functions; 1 is the error of the mean, 0 an exact fit.",
        table="Error with 32 functions; for DeepWalk and random functions the mean over 5 seeds with its 95% interval.",
        findings=(
            "With 32 functions the proto-value functions have {shares} of the error of random ones: at most "
            "half in {halved} of 4 cases (with 64 in {halved_64}).",
            "Krylov functions start from the reward. For the uniform policy 16 of them leave an error of {krylov} on "
            "the 22 x 22 grid. For V* they beat proto-value functions in {krylov_optimal} of {compared} comparisons.",
            "DeepWalk beats proto-value functions in {deepwalk} of {all_compared} comparisons. It is trained once "
            "for each number of functions, untuned.",
            "Do all errors fall with the number of functions? {monotone}",
            "Every basis is that of the uniform policy, also for V*: the optimal policy is what one looks for.",
            "Without a goal L = 4(I − P) under the uniform policy, so combinatorial, directed and successor functions "
            "are the same (the tests check it to 1e-10). The goal makes them differ: the successor representation "
            "falls near it, and its functions have no constant one.",
        ),
    )

    def seeds_of(self, arm: str) -> Sequence[int]:
        """Bases that nothing random decides have one seed."""
        return self.seeds if self.arms[arm]["basis"] in RANDOM else self.seeds[:1]

    def measure(self, arm: str, seed: int) -> Measured:
        settings = self.arms[arm]
        mdp = TabularMDP.from_grid(settings["grid"], DISCOUNT)
        values = {"uniform": mdp.values("uniform"), "optimal": mdp.optimal().values}
        bases = {SIZES[-1]: create_basis(settings["basis"], mdp, SIZES[-1], seed=seed)}
        if settings["basis"] == "deepwalk":  # its columns have no order, so each size is trained
            bases |= {size: create_basis("deepwalk", mdp, size, seed=seed) for size in SIZES[:-1]}
        return Measured(
            {
                f"{target}_{size}": fit_errors(mdp, bases.get(size, bases[SIZES[-1]]), V, [size])[0]
                for target, V in values.items()
                for size in SIZES
            }
        )

    def row(self, arm: str, run: Run) -> Fitted:
        settings = self.arms[arm]
        errors = {name: float(f"{value:.6g}") for name, value in run.scores.items()}
        return Fitted(
            arm=arm,
            grid=settings["grid"],
            basis=settings["basis"],
            seed=run.key.seed,
            **errors,
            **made([run]),
        )

    def facts(self, results: Sequence[Fitted]) -> Mapping[str, object]:
        cases = [(grid, target) for grid in GRIDS for target in TARGETS]
        mine, none = (
            {case: _curve(results, *case, basis) for case in cases} for basis in ("combinatorial", "random")
        )
        half = {size: sum(_at(mine[c], size) <= _at(none[c], size) / 2 for c in cases) for size in (32, 64)}
        shares = [_at(mine[case], 32) / _at(none[case], 32) for case in cases]
        won = {
            (basis, *case): int((_curve(results, *case, basis) < mine[case]).sum())
            for basis in ("krylov", "deepwalk")
            for case in cases
        }
        curves = {basis: [_curve(results, *case, basis) for case in cases] for basis in STYLES}
        rising = [
            basis for basis, found in curves.items() if any((np.diff(one) > 1e-6).any() for one in found)
        ]
        return {
            "verdict": f"They do: 32 proto-value functions have at most half of the error of random ones in {half[32]} "
            f"of {len(cases)} cases. Where the reward is known, Krylov functions need fewer."
            if half[32] > len(cases) / 2
            else f"Proto-value functions halve the error of random ones in only {half[32]} of {len(cases)} cases.",
            "shares": f"{100 * min(shares):.0f}–{100 * max(shares):.0f}%",
            "halved": half[32],
            "halved_64": half[64],
            "krylov": f"{_at(_curve(results, 'four-rooms-22', 'uniform', 'krylov'), 16):.3f}",
            "krylov_optimal": sum(won["krylov", grid, "optimal"] for grid in GRIDS),
            "compared": len(GRIDS) * len(SIZES),
            "deepwalk": sum(won["deepwalk", *case] for case in cases),
            "all_compared": len(cases) * len(SIZES),
            "monotone": f"Not those of {', '.join(rising)}." if rising else "Yes, for every basis.",
        }

    def matrix(self, results: Sequence[Fitted]) -> DataFrame:
        from pandas import DataFrame, Index

        lines = {
            f"{GRIDS[grid]}, {title}": [_cell(results, grid, target, basis) for basis in STYLES]
            for grid in GRIDS
            for target, title in TARGETS.items()
        }
        return DataFrame(lines, index=Index(list(STYLES), name="basis"))

    @in_style
    def picture(self, results: Sequence[Fitted]) -> Figure:
        figure, grid = panels(len(GRIDS), len(TARGETS), 6.2, sharex=True, sharey=True)
        for line, (name, grid_title) in zip(grid, GRIDS.items(), strict=True):
            for panel, (target, title) in zip(line, TARGETS.items(), strict=True):
                for basis, (role, style) in STYLES.items():
                    errors = _curve(results, name, target, basis)
                    if len(errors):
                        drawn = np.maximum(errors, FLOOR)
                        panel.plot(
                            SIZES, drawn, style, color=light(role), label=basis, linewidth=1.4, marker="."
                        )
                panel.set_title(f"{grid_title}: {title}")
                panel.set(xscale="log", yscale="log", ylim=(0.8 * FLOOR, 2))
                panel.set_xticks(SIZES, [str(size) for size in SIZES])
                panel.set_yticks([1, 0.1, 0.01, FLOOR], ["1", "0.1", "0.01", "≤0.001"])
                panel.minorticks_off()
                panel.grid(axis="y")
        name_outer(grid, "number of functions", ["error", "error"])
        legend(figure, grid)
        return figure


def _values(results: Sequence[Fitted], grid: str, target: str, basis: str, size: int) -> list[float]:
    return [getattr(one, f"{target}_{size}") for one in results if (one.grid, one.basis) == (grid, basis)]


def _curve(results: Sequence[Fitted], grid: str, target: str, basis: str) -> np.ndarray:
    """The mean error by number of functions; empty where there are no rows."""
    found = [_values(results, grid, target, basis, size) for size in SIZES]
    return np.array([np.mean(values) for values in found if values])


def _at(curve: np.ndarray, size: int) -> float:
    return float(curve[SIZES.index(size)])


def _cell(results: Sequence[Fitted], grid: str, target: str, basis: str) -> str:
    values = _values(results, grid, target, basis, 32)
    if len(values) < 2:
        return f"{values[0]:.3f}" if values else "–"
    found = mean(values)
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


STUDY = RlBases()
"""The study of basis functions."""
