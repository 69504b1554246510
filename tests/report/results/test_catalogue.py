from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from allpass.experiments.catalogue import STUDIES
from allpass.experiments.tables.study import TableStudy
from allpass.report import results
from allpass.report.results.catalogue import PAGES


def test_every_table_has_its_page() -> None:
    tables = {name for name, study in STUDIES.items() if isinstance(study, TableStudy)}
    assert tables <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_where_there_are_no_rows_nothing_came_of_it(name: str) -> None:
    assert PAGES[name](STUDIES[name], []).findings == ()


@pytest.mark.parametrize("name", [part.name for part in pkgutil.iter_modules(results.__path__)])
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"allpass.report.results.{name}")).failed == 0
