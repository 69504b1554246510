"""`allpass metrics`: what is measured."""

from __future__ import annotations


def metrics() -> None:
    """List the metrics: symbol, range, meaning, what a high value says, and where it was defined."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from allpass.metrics import METRICS

    out = Console()
    for metric in METRICS:
        scope = f"{metric.symbol}, {metric.low:g} to {metric.high:g}".replace("inf", "∞")
        out.print(Text.assemble((metric.name, "bold"), f"  {scope}"))
        direction = metric.direction[0].upper() + metric.direction[1:]
        for line, style in ((f"{metric.meaning} {direction}.", ""), (metric.citation, "dim")):
            out.print(Padding(Text(line, style=style), (0, 0, 0, 2)))
