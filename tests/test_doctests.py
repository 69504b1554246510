"""Every example in a docstring of the library and of its tools runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import allpass
import tools


def modules() -> list[str]:
    found = [
        part.name
        for package in (allpass, tools)
        for part in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return [name for name in found if name != "tools.docs_site"]  # MkDocs loads it, with the extra "docs"


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
