from __future__ import annotations

from tests.papers.pages.invented import row_of

from allpass.papers.pages.page import Text
from allpass.papers.pages.tables.agreement import (
    Count,
    agreement,
    count,
    finding,
    told_missed,
    told_shortfall,
)
from allpass.papers.pages.tables.cells import Results
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)
FILM = SPEC.cell("ACM-GCN", "Film")  # published 41.62 ± 1.15, the authors' code 40.98 ± 0.89
SGC = SPEC.cell("ACM-SGC-1", "Film")  # published 39.33 ± 1.25, no rerun


def around(mean: float) -> list[float]:
    return [mean - 1, mean + 1] * 5


def counted(rows) -> list[str]:
    text = agreement(Results(STUDY, rows))[1]
    assert isinstance(text, Text)
    (lines,) = text.parts()
    return list(lines)


def test_the_count_is_over_acm_cells_and_over_all() -> None:
    gcn = SPEC.cell("GCN", "Film")
    rows = [
        row_of(FILM, "same", around(41)),
        row_of(SGC, "same", around(30)),
        row_of(gcn, "same", around(36)),
    ]
    acm, everything, why, _ = counted(rows)
    assert why == "Of the ACM cells 1 do not agree, 1 without any reason."
    assert acm.startswith(
        "1 of 2 ACM cells (50%) agree with or exceed the published mean within two standard errors"
    )
    assert everything.startswith("2 of 3 cells (67%) agree")
    published = sum(cell.settings is not None and cell.searched for cell in SPEC.cells)
    assert everything.endswith(f"{published - 3} more are not run yet.")


def test_splits_that_nobody_chose_by_are_counted_apart() -> None:
    rows = [
        row_of(FILM, "same", around(41)),
        row_of(FILM, "fresh", around(30)),
        row_of(SGC, "fresh", around(41)),
    ]
    _, _, acm, everything, _, both = counted(rows)
    assert acm.startswith("1 of 2 ACM cells on new splits (50%) agree")
    assert everything.startswith("1 of 2 cells on new splits (50%) agree")
    assert both == (
        "Of 1 ACM means that were run on both, 1 agree on the splits by which the source chose its settings, and 0 on "
        "new ones (0 if these are granted the error of as few splits as the source has)."
    )
    first = (
        "At the published settings 1 of 1 ACM means (100%) agree with the source or exceed it. Ours is the lower mean "
        "in 1 of 1; on average the difference is −0.62 points."
    )
    assert finding(Results(STUDY, rows)) == (first, both)
    assert finding(Results(STUDY, rows[:1])) == (first,)


def test_a_row_of_ours_that_changes_another_does_not_count() -> None:
    study = TableStudy(read_spec("acm-fixed"))
    ours = study.spec.cell("One layer more: ACM-Snowball-2", "Film")
    theirs = study.spec.cell("ACM-Snowball-2", "Film")
    rows = [row_of(cell, "same", around(cell.published[0])) for cell in (ours, theirs)]
    assert (count(Results(study, rows)).agree, count(Results(study, rows)).judged) == (1, 1)


def test_before_anything_was_run() -> None:
    assert counted([])[0].startswith("0 of 0 ACM cells agree")
    assert told_missed([Results(STUDY, [])]) == ""


def test_reasons_are_counted_over_all_tables() -> None:
    low = [row_of(cell, "same", around(30)) for cell in (FILM, SPEC.cell("ACM-GCNII", "Film"))]
    lift = row_of(
        SGC, "honest", around(37), lift=20.0
    )  # explains what is on other splits than those of the source
    tables = [Results(STUDY, low), Results(STUDY, [*low, lift])]
    assert told_missed(tables) == (
        "4 do not agree, for which there may be a reason: beyond two errors a choice on test nodes is worth as much "
        "(1); 3 without any reason"
    )
    (first,) = finding(tables[0])
    assert " agree with the source or exceed it; 2 do not agree, 2 without any reason. Ours" in first


def test_a_lean_that_chance_would_not_have_is_told() -> None:
    assert (
        Count(6, 6, 0, (-1.0,) * 6)
        .leaning()
        .startswith(" Ours is the lower mean in 6 of 6, more often than chance would have it; on average")
    )
    assert Count(5, 5, 0, (-1.0,) * 5).leaning().startswith(" Ours is the lower mean in 5 of 5; on average")
    assert ", less often than chance" in Count(6, 6, 0, (1.0,) * 6).leaning()
    assert Count(1, 1, 0, (0.0,)).leaning().startswith(" Ours is the lower mean in 0 of 1; on average")


def test_the_authors_own_code_may_fall_short_too() -> None:
    said = told_shortfall([Results(STUDY, [])])
    assert said.startswith("The authors' own code, run again at its published settings, gives the lower mean")
    assert " in 9 of 9 cells; on average the difference is −0.85 points." in said
    assert told_shortfall([Results(TableStudy(read_spec("acm-fixed")), [])]) == ""
