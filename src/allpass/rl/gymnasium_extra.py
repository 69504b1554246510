"""Gymnasium and stable-baselines3, or an error that says how to install them."""

from __future__ import annotations

from allpass.errors import MissingExtraError


def require_gymnasium(purpose: str) -> None:
    """Raise where Gymnasium is not installed.

    Args:
        purpose: What needs it, as the subject of a sentence.
    """
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        raise MissingExtraError("gymnasium", purpose, "rl") from None
