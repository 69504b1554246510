from __future__ import annotations

from tests.papers.pages.invented import row_of

from allpass.papers.pages.page import Heading, Table, Text
from allpass.papers.pages.tables.accuracy import page
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.changes import change_of, changes, told_changes
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("ablation")
STUDY = TableStudy(SPEC)
ROWS = [
    row_of(SPEC.cell("ACM-GCN: as released", "Texas"), "same", [90.0, 92.0, 94.0]),
    row_of(SPEC.cell("ACM-GCN: factor 1", "Texas"), "same", [80.0, 81.0, 84.0]),
    row_of(SPEC.cell("ACM-GCN: layer norm", "Texas"), "same", [91.0, 92.0, 93.0]),
    row_of(SPEC.cell("ACM-GCN: structure channel", "Texas"), "same", [90.0, 91.0, 94.0]),
    row_of(SPEC.cell("ACM-GCN: LP", "Texas"), "honest", [70.0, 71.0, 72.0]),
]


def test_rows_are_told_against_those_that_they_change() -> None:
    heading, about, published, same = changes(Results(STUDY, ROWS))
    assert heading == Heading("What a change makes")
    assert isinstance(about, Text)
    assert isinstance(published, Table)
    assert isinstance(same, Table)
    assert published.rows[0][0] == "ACM-SGC-1: LP minus ACM-SGC-1: all, mixed"
    assert str(published.rows[0][1]).startswith("−22.79 [−")
    assert not any("factor 1" in str(row[0]) for row in published.rows)  # of ours nothing was published
    assert same.header == ("rows", "Texas")
    assert [row[0] for row in same.rows] == [
        "ACM-GCN: factor 1 minus ACM-GCN: as released",
        "ACM-GCN: layer norm minus ACM-GCN: as released",
        "ACM-GCN: structure channel minus ACM-GCN: factor 1",
    ]
    assert [str(row[1]).split(" ")[0] for row in same.rows] == ["−10.33", "0.00", "+10.00"]


def test_what_waits_is_said_so() -> None:
    there = row_of(SPEC.cell("ACM-GCN: as released", "Film"), "same", [40.0, 41.0])
    changed = row_of(SPEC.cell("ACM-GCN: layer norm", "Film"), "same", [40.0, 41.0])
    *_, same = changes(Results(STUDY, [*ROWS, there, changed]))
    assert isinstance(same, Table)
    assert same.header == ("rows", "Texas", "Film")
    assert same.rows[0][2] == "not run yet"


def test_a_change_is_told_on_splits_that_both_have() -> None:
    """A row of ours is run on the splits of the source alone, the one that it changes on others too."""
    spec = read_spec("acm-random")
    plain, ours = (spec.cell(row, "Chameleon") for row in ("ACM-SGC-2", "Later release: ACM-SGC-2"))
    rows = [
        row_of(plain, "same", [63.0, 64.0, 65.0]),
        row_of(plain, "fresh", [50.0, 51.0, 52.0]),
        row_of(ours, "same", [60.0, 61.0, 63.0]),
    ]
    results = Results(TableStudy(spec), rows)
    change = change_of(results, ours, plain, "same")
    assert change is not None
    assert round(change.ahead.points, 2) == -2.67
    assert results.missing(ours, "fresh") == "not run on others"


def test_where_there_is_nothing_to_run_is_a_dash() -> None:
    spec = read_spec("acm-random")
    rows = [
        row_of(spec.cell(row, column), "same", [60.0, 61.0])
        for row, columns in {"APPNP": ["Wisconsin"], "GAT+JK": ["Wisconsin", "Texas"]}.items()
        for column in columns
    ]
    rows += [
        row_of(spec.cell(row, column), "same", [70.0, 72.0])
        for row, column in (("Alpha 0.9: APPNP", "Wisconsin"), ("No batch norm: GAT+JK", "Texas"))
    ]
    *_, same = changes(Results(TableStudy(spec), rows))
    assert isinstance(same, Table)
    assert same.header == ("rows", "Wisconsin", "Texas")
    appnp, gat = same.rows
    assert appnp[2] == "–"  # no settings were published
    assert gat[1] == "not run yet"


def test_changes_are_counted_by_their_side() -> None:
    told = told_changes(Results(STUDY, ROWS))
    assert told[0] == (
        "“LP” minus “all, mixed”: published −8.1 points in the mean over graphs and networks (lowers the mean in 15 "
        "of 18 by 95% intervals and raises it in 1)."
    )
    assert told[-4:-1] == (
        "“factor 1” minus “as released”: ours, same settings −10.3 points in the middle (lowers the mean in 1 of 1 by "
        "95% intervals).",
        "“layer norm” minus “as released”: ours, same settings 0.0 points in the middle (lowers the mean in 0 of 1 by "
        "95% intervals).",
        "“structure channel” minus “factor 1”: ours, same settings +10.0 points in the middle (lowers the mean in 0 of "
        "1 by 95% intervals and raises it in 1).",
    )
    assert told[-1].startswith("Nothing was tuned anew")
    assert page(STUDY, ROWS).findings == told


def test_published_changes_are_told_on_the_graphs_of_honest_ones_too() -> None:
    honest = [
        row_of(SPEC.cell(f"ACM-GCN: {name}", "Texas"), "honest", scores)
        for name, scores in (("all, mixed", [80.0, 82.0, 84.0]), ("LP", [70.0, 72.0, 74.0]))
    ]
    published = [SPEC.cell(f"ACM-GCN: {name}", "Texas").published[0] for name in ("LP", "all, mixed")]
    first, second, *_, unlike, _ = told_changes(Results(STUDY, [*ROWS, *honest]))
    assert "published −8.1 points in the mean over graphs and networks (lowers the mean in 15 of 18" in first
    shared = (
        f"−{published[1] - published[0]:.1f} on the 1 where ours can be judged, without Cornell, Wisconsin, "
    )
    assert shared in first
    assert "ours, honest −10.0 points" in first
    assert "in 13 of 27 by 95% intervals" in second  # of which nothing honest is known
    assert unlike.startswith("Honest changes are of corrected data")


def test_networks_that_learn_nothing_are_marked_and_not_counted() -> None:
    idle = [{**row, "majority": 95.0} for row in ROWS]
    *_, same = changes(Results(STUDY, idle))
    assert isinstance(same, Table)
    assert all(str(row[1]).endswith(" ○") for row in same.rows)
    assert not any("ours" in told for told in told_changes(Results(STUDY, idle)))
    half = [{**row, "majority": 90.0} for row in ROWS]  # of the pairs, one network does better
    assert told_changes(Results(STUDY, half))[-4] == (
        "“factor 1” minus “as released”: ours, same settings one of the two does no better than the most frequent "
        "class on 1 of 1."
    )
    *_, same = changes(Results(STUDY, half))
    assert isinstance(same, Table)
    assert [str(row[1])[-1] for row in same.rows] == ["◐", "]", "◐"]


def test_a_network_that_nearly_fails_does_not_decide_what_is_told() -> None:
    columns = {"Texas": [80.0, 82.0], "Film": [79.0, 81.0], "Cora": [20.0, 22.0], "PubMed": [10.0, 12.0]}
    rows = []
    for column, scores in columns.items():
        rows.append(row_of(SPEC.cell("ACM-GCN: as released", column), "same", [81.0, 83.0]))
        rows.append({**row_of(SPEC.cell("ACM-GCN: factor 1", column), "same", scores), "majority": 15.0})
    told = next(line for line in told_changes(Results(STUDY, rows)) if line.startswith("“factor 1”"))
    assert "−2.0 points in the middle (−61.0 to −1.0; lowers the mean in " in told
    assert told.endswith("one of the two does no better than the most frequent class on 1 of 4.")


def test_a_table_without_such_rows_has_no_section() -> None:
    plain = TableStudy(read_spec("acm-deezer"))
    assert changes(Results(plain, [])) == ()
    assert told_changes(Results(plain, [])) == ()
