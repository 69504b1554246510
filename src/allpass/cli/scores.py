"""Which score a verb reports where the user names none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_geometric.data import Data


def score_for(data: Data, named: str | None) -> str | None:
    """The named score; without one that of the task, or of rare classes, which is said on the error stream.

    Args:
        data: The graph.
        named: What the user asks for.
    """
    import typer

    from allpass.train.rare import default_score, shares_of

    if named is not None or data.y is None:
        return named
    score = default_score(data.y)
    if score in ("accuracy", "r2"):
        return None
    shares = shares_of(data.y)
    number = int(shares.argmax())
    names = data.get("class_names")
    typer.echo(
        f"{float(shares[number]):.0%} of the labels are of class {names[number] if names else number}, so always "
        f"predicting it has a high accuracy; the score is {score}. --score accuracy reports accuracy.",
        err=True,
    )
    return score
