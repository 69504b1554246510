"""What the numbers of an adjacency learner may be."""

from __future__ import annotations

from allpass.errors import InputError


def check_sizes(
    k1: int,
    k2: int,
    every: int,
    warmup: int,
    averaging: int,
    shares: dict[str, float],
    temperatures: tuple[float, float],
) -> None:
    """Refuse the first number that cannot be."""
    counts = (
        ("k1", k1, 1),
        ("k2", k2, 1),
        ("every", every, 1),
        ("warmup", warmup, 0),
        ("averaging", averaging, 0),
    )
    for name, value, least in counts:
        if value < least:
            raise InputError(f"Got {name} = {value}.", f"Expected {least} or more.")
    if k2 > k1:
        raise InputError(
            f"Got k2 = {k2}, more than the k1 = {k1} candidates that each node chooses from.",
            f"Set k2 to {k1} or less, or k1 to {k2} or more.",
        )
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise InputError(f"Got {name} = {share}.", "Expected a share, from 0 to 1.")
    for temperature in temperatures:
        if not temperature > 0:
            raise InputError(f"Got the temperature {temperature}.", "Expected a number above 0.")
