"""Transitions of pairs that were never tried: how well embeddings, back-off and a mined rule predict them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from allpass.papers.measuring import Measured
from allpass.papers.result import Result, made
from allpass.papers.rewards.intervals import Interval, mean
from allpass.papers.seeded import SeededStudy
from allpass.papers.study import Words
from allpass.papers.transitions.facts import (
    average,
    by_seed,
    deterministic,
    gain,
    interval,
    listed,
    number,
    smallest,
    stochastic,
)
from allpass.papers.transitions.measure import OWN, PER_POLICY, POLICIES, measured
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light
from allpass.train.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

WORLDS = {
    "four-rooms": "FourRooms",
    "four-rooms-22": "22 x 22 grid",
    "Taxi-v4": "Taxi",
    "one-way-doors": "one-way doors",
}
SHARES = (0.2, 0.5)
SAMPLES = (2_000, 8_000, 32_000)
TRIPLETS = ("transe", "rotate", "quate", "dihedral")
SKIPGRAMS = ("line-1", "line-2", "deepwalk", "node2vec", "struc2vec")
HELD_OUT = ("back-off", "neighbours", "inverse-rule", *TRIPLETS, "hybrid")
SAMPLED = ("smoothing", "back-off", "neighbours", *TRIPLETS)
HISTORY = ("own", "smoothing", "back-off", "rotate")
STYLES = {
    "own": ("muted", "--"),
    "smoothing": ("muted", ":"),
    "back-off": ("low", "-"),
    "neighbours": ("low", "--"),
    "inverse-rule": ("good", "-"),
    "rotate": ("high", "-"),
    "hybrid": ("both", "-"),
}
"""How the drawn models are drawn."""


@dataclass(frozen=True, kw_only=True)
class Predicted(Result):
    """How well one model predicts transitions with one seed.

    Args:
        arm: Part and model.
        part: ``"held-out"`` pairs of a deterministic world, ``"samples"`` of the slippery lake, or the next of several
            ``"policies"``.
        world: The world.
        share: Share of the pairs that are held out.
        samples: Number of steps.
        model: The model.
        seed: Decides pairs, steps and training.
        mrr: Mean reciprocal rank of the true next state, realistic on ties.
        moved: The same for pairs that change the state.
        blocked: The same for pairs that do not.
        hits: Share of true next states of rank 1.
        chance: Mean probability of the true next state.
        tv: Mean total variation from the true probabilities.
        value_error: Relative error of the values of the uniform policy.
        regret: What the best policy of the learned process loses, as a share of the best value.
        curve: Total variation by number of steps, for ``"policies"``.
    """

    place: ClassVar[tuple[str, ...]] = ("arm", "seed")

    arm: str
    part: str
    world: str | None
    share: float | None
    samples: int | None
    model: str
    seed: int
    mrr: float | None
    moved: float | None
    blocked: float | None
    hits: float | None
    chance: float | None
    tv: float | None
    value_error: float | None
    regret: float | None
    curve: str | None


def _arms() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for world in WORLDS:
        for share in SHARES:
            models = HELD_OUT + (SKIPGRAMS if (world, share) == ("four-rooms", 0.2) else ())
            for model in models:
                settings = {"part": "held-out", "world": world, "share": share, "model": model, "prior": 0.1}
                found[f"{world}-{share:.0%}/{model}"] = settings
    for samples in SAMPLES:
        for model in SAMPLED:
            found[f"lake-{samples}/{model}"] = {
                "part": "samples",
                "samples": samples,
                "model": model,
                "prior": 3.0,
            }
    for model in HISTORY:
        found[f"policies/{model}"] = {"part": "policies", "model": model, "prior": 3.0}
    return found


class RlTransitions(SeededStudy[Predicted]):
    """Ranks, probabilities, values; a run is a model in a world with one seed."""

    id = "rl-transitions"
    result = Predicted
    arms: ClassVar = _arms()
    seeds = range(5)
    words = Words(
        title="Transitions that were never tried",
        source="Section 4.3.1 of the report; Tang et al., WWW 2015; Sun et al., ICLR 2019",
        claim="Graph embeddings should infer unobserved transitions from the steps of all policies.",
        verdict="{verdict}",
        advice="{advice}",
        picture="Left: mean reciprocal rank of the next state of held-out pairs; bars are 95% intervals over seeds. "
        "Right: total variation of the chain of a new policy, from its own steps or from those of earlier policies.",
        table="Mean reciprocal rank with 20% and 50% of the pairs held out, mean over 5 seeds; on the lake total "
        "variation (lower is better).",
        findings=(
            "Hybrid less neighbours left to explain, 20% of the pairs held out: {gain_20}. 50%: {gain_50}.",
            "Hybrid less mined inverse rule, 20% held out: {rule}. One-way doors, 50%: {doors}.",
            "Mean over worlds, 20% held out: {models}. The hybrid is made for probabilities: the true next state has "
            "{chances}.",
            "Policies that collected no data. Regret of the best one in the learned lake, 8,000 steps: {regret}. Error "
            "of the values of the uniform one, 50% held out in FourRooms: {value_error}.",
            "The chain of a new policy, total variation: {history} from {policies} earlier policies by back-off, "
            "{history_rotate} with RotatE, {own} from {own_steps} steps of its own.",
            "Sizes and weight decay of the embeddings were chosen on two other seeds of FourRooms, from 5 settings.",
        ),
    )

    def measure(self, arm: str, seed: int) -> Measured:
        return Measured(*measured(self.arms[arm], seed))

    def row(self, arm: str, run: Run) -> Predicted:
        settings = self.arms[arm]
        about = {name: settings.get(name) for name in ("part", "world", "share", "samples", "model")}
        names = ("mrr", "moved", "blocked", "hits", "chance", "tv", "value_error", "regret")
        scores = {name: float(f"{run.scores[name]:.5g}") if name in run.scores else None for name in names}
        curve = " ".join(f"{value:.4g}" for value in run.curves["tv"]) if "tv" in run.curves else None
        return Predicted(arm=arm, seed=run.key.seed, curve=curve, **about, **scores, **made([run]))  # type: ignore[arg-type]

    def facts(self, results: Sequence[Predicted]) -> Mapping[str, object]:
        def against(share: float, other: str) -> dict[str, Interval | None]:
            arms = {title: f"{world}-{share:.0%}" for world, title in WORLDS.items()}
            return {title: gain(results, f"{at}/hybrid", f"{at}/{other}") for title, at in arms.items()}

        def of(arm: str, name: str, models: Sequence[str]) -> dict[str, float | None]:
            return {model: average(results, f"{arm}/{model}", name) for model in models}

        def over_worlds(model: str, name: str) -> float | None:
            found = [average(results, f"{world}-20%/{model}", name) for world in there]
            values = [one for one in found if one is not None]
            return float(np.mean(values)) if values and len(values) == len(there) else None

        there = [world for world in WORLDS if any((row.world, row.share) == (world, 0.2) for row in results)]
        rule = against(0.2, "inverse-rule")
        lake = {samples: of(f"lake-{samples}", "tv", SAMPLED) for samples in SAMPLES}
        few = ("hybrid", "rotate", "inverse-rule")
        means = {model: over_worlds(model, "mrr") for model in HELD_OUT}
        return {
            "verdict": deterministic(against(0.2, "neighbours").values(), rule.values())
            + " "
            + stochastic(lake, TRIPLETS),
            "advice": _advice(means),
            **{f"gain_{100 * share:.0f}": smallest(against(share, "neighbours")) for share in SHARES},
            "rule": ", ".join(f"{title} {interval(one)}" for title, one in rule.items()),
            "doors": interval(against(0.5, "inverse-rule")[WORLDS["one-way-doors"]]),
            "models": listed(means),
            "chances": listed({model: over_worlds(model, "chance") for model in few}),
            "regret": listed(of("lake-8000", "regret", SAMPLED)),
            "value_error": listed(of("four-rooms-50%", "value_error", HELD_OUT)),
            "history": number(average(results, "policies/back-off", "tv"), 3),
            "history_rotate": number(average(results, "policies/rotate", "tv"), 3),
            "policies": POLICIES,
            "own": number(average(results, "policies/own", "tv"), 3),
            "own_steps": f"{OWN[-1]:,}",
        }

    def matrix(self, results: Sequence[Predicted]) -> DataFrame:
        from pandas import DataFrame, Index

        models = list(dict.fromkeys((*SAMPLED[:1], *HELD_OUT, *SKIPGRAMS)))
        columns = {
            f"{title}, {share:.0%}": [_cell(results, f"{world}-{share:.0%}/{m}", "mrr") for m in models]
            for world, title in WORLDS.items()
            for share in SHARES
        }
        columns |= {
            f"lake, {samples:,}": [_cell(results, f"lake-{samples}/{m}", "tv") for m in models]
            for samples in SAMPLES
        }
        return DataFrame(columns, index=Index(models, name="model"))

    @in_style
    def picture(self, results: Sequence[Predicted]) -> Figure:
        figure, grid = panels(1, 2, 3.6)
        left, right = grid[0]
        shown, labelled = ("neighbours", "inverse-rule", "rotate", "hybrid"), set[str]()
        for place, model in enumerate(shown):
            for at, world in enumerate(WORLDS):
                values = list(by_seed(results, f"{world}-20%/{model}", "mrr").values())
                if not values:
                    continue
                found = mean(values)
                left.bar(
                    at + 0.2 * (place - 1.5),
                    found.value,
                    0.18,
                    yerr=[[found.value - found.low], [found.high - found.value]],
                    color=light(STYLES[model][0]),
                    label="_" if model in labelled else model,
                    error_kw={"linewidth": 0.8},
                )
                labelled.add(model)
        left.set_xticks(range(len(WORLDS)), [title.replace(" ", "\n", 1) for title in WORLDS.values()])
        left.set(ylabel="MRR, 20% held out", ylim=(0, 1))
        for model in HISTORY:
            curves = [row.curve for row in results if row.arm == f"policies/{model}" and row.curve]
            if curves:
                steps = OWN if model == "own" else PER_POLICY * np.arange(1, POLICIES + 1)
                values = np.mean([np.array(curve.split(), dtype=float) for curve in curves], axis=0)
                role, style = STYLES[model]
                label = "own steps" if model == "own" else f"history, {model}"
                right.plot(steps, values, style, color=light(role), label=label, linewidth=1.4, marker=".")
        right.set(xlabel="recorded steps", ylabel="total variation", ylim=(0, None))
        legend(figure, grid, 4)
        return figure


def _advice(means: Mapping[str, float | None]) -> str:
    """What to use, by the mean reciprocal rank over deterministic worlds."""
    there = {model: mrr for model, mrr in means.items() if mrr is not None}
    if not there:
        return "No model can be recommended yet."
    best = max(there, key=lambda model: there[model])
    return f"Use {best} in deterministic worlds, back-off in stochastic ones."


def _cell(results: Sequence[Predicted], arm: str, name: str) -> str:
    value = average(results, arm, name)
    return "–" if value is None else f"{value:.2f}"


STUDY = RlTransitions()
"""The study of transitions."""
