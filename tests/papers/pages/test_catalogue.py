from __future__ import annotations

import pytest

from allpass.papers.catalogue import STUDIES
from allpass.papers.pages.catalogue import PAGES


def test_every_study_has_its_page() -> None:
    assert set(PAGES) == set(STUDIES)


@pytest.mark.parametrize("name", PAGES)
def test_where_there_are_no_rows_nothing_came_of_it(name: str) -> None:
    assert PAGES[name](STUDIES[name], []).findings == ()
