"""The metrics of a diagnosis as the rows of its page: everything but the drawing."""

from __future__ import annotations

import math
from dataclasses import dataclass

from allpass.diagnosis import Diagnosis
from allpass.metrics import Metric
from allpass.report.wording import number, percent, words

_TESTS = {
    "classifier_linear": "linear",
    "classifier_arc_cosine": "arc-cosine",
    "classifier_naive_bayes": "naive-bayes",
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
        remark: The accuracies behind a test; empty for other metrics.
    """

    metric: Metric
    title: str
    value: str
    reason: str
    bar: tuple[float, float] | None
    range: str
    remark: str = ""


def metric_table(diagnosis: Diagnosis) -> tuple[MetricRow, ...]:
    """Every measured metric, in the order people read them."""
    return tuple(
        MetricRow(
            metric=row.metric,
            title=words(row.metric.name),
            value=number(row.value),
            reason=row.reason,
            bar=_bar(row.value, row.metric.low, row.metric.high),
            range=f"{number_end(row.metric.low)} to {number_end(row.metric.high)}",
            remark=_remark(diagnosis, row.metric.name),
        )
        for row in diagnosis.profile.rows
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


def _remark(diagnosis: Diagnosis, metric: str) -> str:
    test = diagnosis.tests.get(_TESTS.get(metric, ""))
    if test is None:
        return ""
    return (
        f"Accuracy {percent(test.with_graph)} with averaging, {percent(test.without_graph)} without "
        f"({test.repeats} samples)."
    )
