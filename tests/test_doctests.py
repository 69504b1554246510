"""Every example in a docstring of the library runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

ROOMS = ("errors", "registry", "graph", "metrics", "data", "nn", "models", "testing", "train", "experiments")


def modules() -> list[str]:
    names = []
    for room in ROOMS:
        names.append(f"allpass.{room}")
        path = getattr(importlib.import_module(f"allpass.{room}"), "__path__", [])
        names += [part.name for part in pkgutil.walk_packages(path, f"allpass.{room}.")]
    return names


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
