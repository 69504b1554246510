"""What others report is checked when a spec is read."""

from __future__ import annotations

import pytest

from allpass.errors import InputError
from allpass.papers.tables.elsewhere import Elsewhere

GIVEN = {"source": "Somebody, 2024", "about": "wider", "means": {"Cora": {"GCN": 88, "SAGE": 87.5}}}


def test_means_by_column_and_network() -> None:
    found = Elsewhere.read(GIVEN, ["Cora", "Film"])
    assert (found.source, found.about) == ("Somebody, 2024", "wider")
    assert found.means == {"Cora": {"GCN": 88.0, "SAGE": 87.5}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"means": {"Coral": {"GCN": 88}}}, "no column 'Coral'. Did you mean 'Cora'"),
        ({"means": {"Cora": {"GCN": "88"}}}, "GCN is '88'. Expected a mean in percent"),
        ({"means": {"Cora": {"GCN": 101}}}, "GCN is 101"),
        ({"year": 2024}, "no entry 'year'"),
    ],
)
def test_complaints(change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Elsewhere.read(GIVEN | change, ["Cora", "Film"])


def test_it_has_to_be_a_table() -> None:
    with pytest.raises(InputError, match="Expected a table of source, about, means"):
        Elsewhere.read("Somebody, 2024", ["Cora"])
