"""One hash that names a description: the same content gives the same hash, in whatever types it is written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from allpass.canonical import canonical


def identity(value: object) -> str:
    """The first 128 bits of the sha256 of the canonical text of plain content, in hex."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()[:32]


def holds(content: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether plain ``content`` has every entry of plain ``wanted``."""
    return all(
        name in content and canonical(content[name]) == canonical(value) for name, value in wanted.items()
    )
