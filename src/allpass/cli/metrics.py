"""`allpass metrics`: what is measured."""

from __future__ import annotations


def metrics() -> None:
    """List the metrics: symbol, range, meaning, what a high value says, and where it was defined."""
    from rich.console import Console

    from allpass.cli.plain import plain_table
    from allpass.metrics import METRICS

    table = plain_table()
    for heading in ("name", "symbol", "range", "meaning", "direction", "citation"):
        table.add_column(heading, no_wrap=heading == "name")
    for metric in METRICS:
        scope = f"{metric.low:g} to {metric.high:g}"
        table.add_row(metric.name, metric.symbol, scope, metric.meaning, metric.direction, metric.citation)
    Console().print(table)
