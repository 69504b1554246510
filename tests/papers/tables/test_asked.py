"""Names of a table's parts, and what is said where none of them can be run."""

from __future__ import annotations

import pytest

from allpass.errors import InputError
from allpass.papers.catalogue import STUDIES
from allpass.papers.study import Plan
from allpass.papers.tables.asked import graphs_of
from allpass.papers.tables.spec import parse_spec
from allpass.papers.tables.study import TableStudy

TEXT = """
id = "tiny"
title = "A tiny table"
source = "nowhere"
quick = ["Left 1%", "GCN"]
[drawn]
splits = { name = "acm-search", count = 2, seed = 42 }
order = { lr = [0.05] }
[again]
seeds = 2
cells = ["GCN/Left 2%"]
[protocol]
splits = { name = "random", count = 3, train = 0.4 }
[columns]
"Left 1%" = { dataset = "example-high-pass" }
"Left 2%" = { dataset = "example-high-pass" }
"Other names" = { dataset = "example-limitation" }
"Names that differ" = { dataset = "example-limitation" }
Bipartite = { dataset = "example-bipartite" }
"Bipartite again" = { dataset = "example-bipartite" }
[rows.GCN]
model = "gcn"
drawn = true
[rows.GCN.cells]
"Left 1%" = { settings = { lr = 0.05 } }
"Left 2%" = { settings = { lr = 0.05 } }
Bipartite = { }
[rows.MLP]
model = "mlp-2"
[rows.MLP.cells]
"Left 1%" = { published = [50.0], settings = { lr = 0.05 } }
[rows."MLP, other"]
model = "mlp-2"
settings = { hidden_channels = 4 }
against = "MLP"
searched = false
[rows.Elsewhere.cells]
"Left 1%" = { published = [90.0, 1.25] }
"Left 2%" = { published = [91.5] }
"Other names" = { }
Bipartite = { published = [92.0] }
"Bipartite again" = { published = [93.0] }
"""
STUDY = TableStudy(parse_spec(TEXT, "tiny"))


def places(*cells: str, study: TableStudy = STUDY, quick: bool = False) -> set[str]:
    return {f"{cell.row}/{cell.column.name}" for cell, _ in study.asked(Plan(cells, quick))}


def test_a_graph_is_what_its_columns_begin_with() -> None:
    assert graphs_of(STUDY.spec) == {"Left": ("Left 1%", "Left 2%")}
    axes = STUDY.axes()
    assert axes["graph"] == ["Left"]
    assert axes["part"] == ["GCN/Left", "MLP/Left", "MLP, other/Left", "Elsewhere/Left"]
    assert list(STUDY.cells()) == [name for names in axes.values() for name in names]


def test_a_graph_stands_for_all_of_its_columns() -> None:
    both = {"GCN/Left 1%", "GCN/Left 2%"}
    assert places("left", "GCN") == places("GCN/Left") == both
    assert places("Left") == both | {"MLP/Left 1%", "MLP, other/Left 1%"}
    assert places("Left", "Bipartite", "GCN") == both | {"GCN/Bipartite"}
    assert places("GCN/Left", "MLP") == both | {"MLP/Left 1%"}
    assert places("Left", quick=True) == both


def test_the_few_labels_of_a_graph_are_named_by_it() -> None:
    study = STUDIES["table1"]
    assert isinstance(study, TableStudy)
    assert study.axes()["graph"] == ["Cora", "CiteSeer", "PubMed"]
    assert places("Cora", "GCN", study=study) == {f"GCN/Cora {share}%" for share in ("0.5", *"12345")}
    with pytest.raises(InputError, match="Did you mean 'Cora'"):
        places("Coar", study=study)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            ("Elsewhere/Left 1%",),
            "allpass has no network for Elsewhere on Left 1% (published: 90.00 ± 1.25)",
        ),
        (
            ("Elsewhere", "Left", "Other names"),
            "allpass has no network for Elsewhere on Left 1% (published: 90.00 ± 1.25), Elsewhere on Left 2% "
            "(published: 91.50), Elsewhere on Other names",
        ),
        (
            ("Elsewhere", "same"),
            "allpass has no network for Elsewhere on Left 1% (published: 90.00 ± 1.25), Elsewhere on Left 2% "
            "(published: 91.50), Elsewhere on Other names and 2 more",
        ),
        (
            ("fresh", "MLP"),
            "the splits of the source are not known for MLP on Left 1%, so that none can be called fresh",
        ),
        (
            ("again", "MLP"),
            "other seeds are run of some cells that do not agree, and not of MLP on Left 1%",
        ),
        (("again", "GCN/Bipartite"), "no settings were published of GCN on Bipartite"),
        (("fresh", "GCN/Bipartite"), "no settings were published of GCN on Bipartite"),
        (("same", "GCN/Bipartite"), "no settings were published of GCN on Bipartite"),
        (
            ("honest", "MLP, other"),
            "only the published settings on the published splits are run of MLP, other on Left 1%",
        ),
        (("MLP", "Bipartite"), "the table has no number where these rows and columns meet"),
        (
            ("Bipartite", "same"),
            "no settings were published of GCN on Bipartite; allpass has no network for Elsewhere on Bipartite "
            "(published: 92.00)",
        ),
    ],
)
@pytest.mark.parametrize("quick", [False, True])
def test_the_reason_is_that_of_what_was_named(cells: tuple[str, ...], message: str, quick: bool) -> None:
    assert places(*cells, quick=quick) == set()
    assert STUDY.refusal(Plan(cells, quick)) == message


@pytest.mark.parametrize(
    "cells", [("fresh",), ("again",), ("fresh", "GCN"), ("MLP", "Left 2%", "GCN/Left 1%", "fresh")]
)
def test_only_a_quick_plan_that_leaves_something_out_is_told_so(cells: tuple[str, ...]) -> None:
    assert places(*cells)
    assert places(*cells, quick=True) == set()
    assert STUDY.refusal(Plan(cells, quick=True)) == "a quick run leaves it out"
