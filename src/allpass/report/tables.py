"""The metrics of a diagnosis as the rows of its page: everything but the drawing."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from allpass.diagnosis import Diagnosis
from allpass.metrics import GraphTest, Metric, Row
from allpass.report.wording import number, words
from allpass.train.written import small

_TESTS = {
    "classifier_linear": ("linear", "kernel regression (linear kernel)"),
    "classifier_arc_cosine": ("arc-cosine", "kernel regression (arc-cosine kernel)"),
    "classifier_naive_bayes": ("naive-bayes", "Gaussian naive Bayes"),
}


@dataclass(frozen=True)
class MetricRow:
    """One metric as it is shown.

    Args:
        metric: What it is.
        title: Its name in words.
        value: The number as text, or ``"undefined"``.
        reason: Why it is undefined; empty otherwise.
        bar: Where the bar begins and ends within the range, in percent; nothing without a value or a finite range.
        range: The least and greatest possible value as text.
        meaning: What it says.
        direction: What high and low values say.
        remark: The accuracies behind a test; empty for other metrics.
    """

    metric: Metric
    title: str
    value: str
    reason: str
    bar: tuple[float, float] | None
    range: str
    meaning: str
    direction: str
    remark: str = ""


def metric_table(diagnosis: Diagnosis, digits: int = 3) -> tuple[MetricRow, ...]:
    """Every measured metric, in the order people read them.

    Published classifier tests are one-sided p-values that are near 1 where averaging helps. Here they are shown as
    two-sided ones, which are small where averaging makes a difference.

    Args:
        diagnosis: What was measured.
        digits: Decimals of the values.
    """
    return tuple(_row(diagnosis, row, digits) for row in diagnosis.profile.rows)


def _row(diagnosis: Diagnosis, row: Row, digits: int) -> MetricRow:
    metric = row.metric
    found = MetricRow(
        metric=metric,
        title=words(metric.name),
        value=number(row.value, digits),
        reason=row.reason,
        bar=_bar(row.value, metric.low, metric.high),
        range=f"{number_end(metric.low)} to {number_end(metric.high)}",
        meaning=metric.meaning,
        direction=metric.direction,
    )
    if metric.name not in _TESTS:
        return found
    name, learner = _TESTS[metric.name]
    test = diagnosis.tests.get(name)
    return replace(
        found,
        value=found.value if math.isnan(row.value) else _two_sided(row.value),
        bar=None,
        range="",
        meaning=f"Does averaging neighbours change the accuracy of {learner}? Two-sided p-value.",
        direction=f"One-sided, as published: {number(row.value)}; near 1 averaging helps, near 0 it hurts",
        remark="" if test is None else _accuracies(test),
    )


def number_end(value: float) -> str:
    """An end of a range: whole numbers without decimals."""
    return number(value) if math.isinf(value) or value % 1 else f"{value:.0f}".replace("-", "−")


def _bar(value: float, low: float, high: float) -> tuple[float, float] | None:
    """From zero, or the range's end nearest to it, to the value."""
    if not all(map(math.isfinite, (value, low, high))):
        return None
    ends = (100 * (min(max(point, low), high) - low) / (high - low) for point in (0.0, value))
    start, stop = sorted(ends)
    return round(start, 2), round(stop, 2)


def _two_sided(one_sided: float) -> str:
    text = small(2 * min(one_sided, 1 - one_sided))
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _accuracies(test: GraphTest) -> str:
    gain = test.with_graph - test.without_graph
    verb = (
        "Averaging is ahead" if gain > 0 else "Averaging is behind" if gain < 0 else "There is no difference"
    )
    return (
        f"{verb}: {test.with_graph:.1%} with averaging, {test.without_graph:.1%} without "
        f"({test.repeats} samples)."
    )
