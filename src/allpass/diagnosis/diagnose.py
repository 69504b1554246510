"""Does a graph's structure help or hurt? All measurements, the findings and a recommendation, as data."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch

from allpass import __version__
from allpass.data import Account, load
from allpass.data.tables.roles import Role
from allpass.diagnosis.chance import Chance, find_chance
from allpass.diagnosis.facts import DegreeHistogram, Facts, degree_histogram, gather_facts
from allpass.diagnosis.filtering import Separation, separate
from allpass.diagnosis.findings import Evidence, Finding, find
from allpass.diagnosis.frequency import Frequencies, find_frequencies
from allpass.diagnosis.numbers import Numbers, find_numbers
from allpass.diagnosis.oversmoothing import Smoothing, find_smoothing
from allpass.diagnosis.recommendation import Recommendation, recommend
from allpass.diagnosis.scaled import scaled
from allpass.diagnosis.summary import brief, summary
from allpass.diagnosis.verdict import BUDGET, Verdict, judge, why_not
from allpass.display import framed, page
from allpass.metrics import METRICS, GraphTest, LabelledGraph, Profile, prepare, profile, run_classifier
from allpass.metrics.homophily import per_class
from allpass.train.job import device_of

STEPS = 6 + sum("numbers" not in metric.needs for metric in METRICS)
"""How many steps :func:`diagnose` has before the verdict, which takes as many as its budget allows."""


@dataclass(frozen=True)
class Mixing:
    """Which classes meet: the share of class k's neighbours that belong to class l, and h_k on the diagonal."""

    class_names: tuple[str, ...]
    shares: tuple[tuple[float, ...], ...]
    homophily: tuple[float, ...]


@dataclass(frozen=True)
class Diagnosis:
    """The outcome of :func:`diagnose`: plain data, no drawing.

    ``verdict`` is the trained comparison; where there is none, ``no_verdict`` says why. ``numbers`` is what
    ``mixing``, ``separation`` and ``chance`` are for classes. ``conventions`` says how edges and features were read
    and what was sampled.
    """

    name: str
    source: str
    fingerprint: str
    account: Account
    roles: tuple[Role, ...]
    facts: Facts
    degrees: DegreeHistogram
    profile: Profile
    tests: dict[str, GraphTest]
    mixing: Mixing | None
    frequencies: Frequencies
    separation: Separation | None
    smoothing: Smoothing
    chance: Chance | None
    numbers: Numbers | None
    conventions: tuple[str, ...]
    findings: tuple[Finding, ...]
    recommendation: Recommendation
    verdict: Verdict | None
    no_verdict: str
    seconds: float

    def __repr__(self) -> str:
        return brief(self)

    def _repr_html_(self) -> str:
        return framed(self.to_html())

    def summary(self) -> str:
        """The verdict, the best model of each kind and the findings, a line each."""
        return summary(self)

    def to_html(self) -> str:
        """The page that ``allpass diagnose --html`` writes, as one HTML document."""
        return page(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON types; undefined numbers are null and their reasons stand under ``undefined``."""
        content = {
            "allpass": __version__,
            "name": self.name,
            "source": self.source,
            "fingerprint": self.fingerprint,
            "account": self.account.to_list(),
            "roles": [asdict(role) for role in self.roles],
            "facts": asdict(self.facts),
            "degrees": asdict(self.degrees),
            "metrics": self.profile.to_dict(),
            "undefined": {row.metric.name: row.reason for row in self.profile.rows if row.reason},
            "costs": {
                row.metric.name: {"seconds": row.seconds, "memory_bytes": row.memory}
                for row in self.profile.rows
            },
            "conventions": list(self.conventions),
            "classifier_tests": {name: asdict(test) for name, test in self.tests.items()},
            "mixing": asdict(self.mixing) if self.mixing else None,
            "frequencies": asdict(self.frequencies),
            "separation": asdict(self.separation) if self.separation else None,
            "smoothing": asdict(self.smoothing),
            "shuffled_labels": asdict(self.chance) if self.chance else None,
            "numbers": asdict(self.numbers) if self.numbers else None,
            "findings": [asdict(finding) for finding in self.findings],
            "recommendation": asdict(self.recommendation),
            "verdict": self.verdict.to_dict() if self.verdict else None,
            "no_verdict": self.no_verdict,
            "seconds": self.seconds,
        }
        return {key: _plain(value) for key, value in content.items()}


def diagnose(
    target: Any = None,
    *,
    verdict: bool = True,
    splits: str = "stratified",
    score: str | None = None,
    budget: float | None = BUDGET,
    candidates: Sequence[str] | None = None,
    device: torch.device | str = "auto",
    workers: int | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Diagnosis:
    """Measure whether the structure of a graph helps or hurts a learner.

    Args:
        target: Anything :func:`allpass.load` takes: a dataset's name, a file, a NetworkX graph, PyG's ``Data``, ...;
            ``edges=`` and ``nodes=`` or ``edge_index=`` stand in its place.
        verdict: Train models of the features, of the structure and of both, and compare them.
        splits: How nodes are divided for this, a name of :func:`allpass.data.splits`.
        score: What is compared, a name of ``allpass.train.rules.scores.SCORES``.
        budget: Seconds of training; None for no limit.
        candidates: Models to compare in place of the default ones, without a limit of time.
        device: Where networks are trained: ``"cpu"``, ``"cuda"``, or ``"auto"`` for CUDA where there is one.
        workers: How many processes train; by default one per core, and this process alone for what takes seconds, for a
            GPU, and for large graphs, whose networks use all cores by themselves.
        progress: Called with a few words before each step.
        **options: Passed to :func:`allpass.load`.

    Example:
        >>> report = diagnose("example-bipartite")
        >>> report.profile["edge_homophily"], report.profile["aggregation_homophily"]
        (0.0, 1.0)
    """
    start = time.perf_counter()
    say = progress or (lambda _: None)
    device = device_of(device)
    say("reading the data")
    data = load(target, **options)
    in_scale, scale = scaled(data)
    graph = prepare(in_scale)
    say("counting nodes and edges")
    facts = gather_facts(data, graph)
    measured = profile(graph, on_progress=lambda name: say(name.replace("_", " ")))
    say("finding frequencies")
    frequencies = find_frequencies(graph)
    say("filtering")
    separation = separate(graph)
    say("smoothing")
    smoothing = find_smoothing(graph)
    say("shuffling labels")
    chance = find_chance(graph)
    numbers = find_numbers(graph)
    tests = _tests(graph, measured)
    no_verdict = why_not(data, facts) if verdict else "No verdict: it was not asked for."
    judged = None
    if not no_verdict:
        judged = judge(
            data,
            splits=splits,
            score=score,
            budget=budget,
            candidates=candidates,
            device=device,
            workers=workers,
            progress=say,
        )
    evidence = Evidence(
        facts, measured.to_dict(), tests, frequencies, separation, smoothing, chance, judged, numbers
    )
    findings = find(evidence)
    samples = (part.sample for part in (frequencies, smoothing, chance, numbers) if part is not None)
    return Diagnosis(
        name=data.name,
        source=data.source,
        fingerprint=data.fingerprint,
        account=data.account,
        roles=tuple(data.get("roles") or ()),
        facts=facts,
        degrees=degree_histogram(graph),
        profile=measured,
        tests=tests,
        mixing=_mixing(graph, facts),
        frequencies=frequencies,
        separation=separation,
        smoothing=smoothing,
        chance=chance,
        numbers=numbers,
        conventions=tuple(filter(None, (*measured.notes, scale, *samples))),
        findings=findings,
        recommendation=recommend(evidence, findings),
        verdict=judged,
        no_verdict=no_verdict,
        seconds=time.perf_counter() - start,
    )


def _tests(graph: LabelledGraph, measured: Profile) -> dict[str, GraphTest]:
    """The accuracies behind the p-values of the profile; already computed, so this only looks them up."""
    values = measured.to_dict()
    names = ("linear", "arc-cosine", "naive-bayes")
    defined = [n for n in names if not math.isnan(values.get(f"classifier_{n.replace('-', '_')}", math.nan))]
    return {name: run_classifier(graph, name) for name in defined}  # type: ignore[arg-type]


def _mixing(graph: LabelledGraph, facts: Facts) -> Mixing | None:
    if facts.classes < 1:
        return None
    table = graph.mixing()
    shares = table / table.sum(1, keepdim=True)
    return Mixing(
        facts.class_names, tuple(tuple(row) for row in shares.tolist()), tuple(per_class(graph).tolist())
    )


def _plain(value: Any) -> Any:
    """JSON has no NaN and no infinity: null stands for both."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
