from __future__ import annotations

from tests.report.results.invented import row_of

from allpass.experiments.tables.spec import read_spec
from allpass.experiments.tables.study import TableStudy
from allpass.report.results.page import Table, Text
from allpass.report.results.tables.agreement import accepted, agreement, below, count, finding, reasons
from allpass.report.results.tables.cells import Results, allowed

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


def test_within_two_standard_errors_of_the_published_mean() -> None:
    margin = allowed(SGC, row_of(SGC, "same", around(39)))
    assert accepted(SGC, row_of(SGC, "same", around(39.33 - margin + 0.01))) is True
    assert accepted(SGC, row_of(SGC, "same", around(39.33 - margin - 0.01))) is False
    assert accepted(SGC, row_of(SGC, "same", around(60))) is True


def test_or_as_good_as_the_authors_own_code() -> None:
    row = row_of(FILM, "same", around(40.4))
    assert row["published_verdict"] == "worse"
    assert row["rerun_verdict"] == "agrees"
    assert accepted(FILM, row) is True
    assert accepted(FILM, row_of(FILM, "same", around(39.0))) is False


def test_nothing_to_compare_with_is_not_judged() -> None:
    minesweeper = SPEC.cell("ACM-GCN", "Minesweeper")
    assert accepted(minesweeper, row_of(minesweeper, "same", around(80))) is None
    geom = SPEC.cell("Geom-GCN*", "Film")
    assert accepted(geom, row_of(geom, "same", around(10))) is None


def test_the_count_is_over_acm_cells_and_over_all() -> None:
    gcn = SPEC.cell("GCN", "Film")
    rows = [
        row_of(FILM, "same", around(41)),
        row_of(SGC, "same", around(30)),
        row_of(gcn, "same", around(36)),
    ]
    acm, everything = counted(rows)
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
    _, _, acm, everything, both = counted(rows)
    assert acm.startswith("1 of 2 ACM cells on new splits (50%) agree")
    assert everything.startswith("1 of 2 cells on new splits (50%) agree")
    assert both == (
        "Of 1 ACM means that were run on both, 1 agree on the splits by which the source chose its settings, and 0 on "
        "new ones (0 if these are granted the error of as few splits as the source has)."
    )
    first = (
        "At the published settings 1 of 1 ACM means agree with the source or exceed it. Ours is the lower mean in 1 of "
        "1; on average the difference is −0.62 points."
    )
    assert finding(Results(STUDY, rows)) == (first, both)
    assert finding(Results(STUDY, rows[:1])) == (first,)


def test_many_runs_leave_less_to_chance_than_the_ten_of_the_source() -> None:
    margin = allowed(SGC, row_of(SGC, "fresh", around(39)))
    scores = around(SGC.published[0] - margin + 0.05) * 5
    row = row_of(SGC, "fresh", scores)
    assert allowed(SGC, row) < allowed(SGC, row, as_many=True)
    assert accepted(SGC, row) is False
    assert accepted(SGC, row, as_many=True) is True


def test_a_change_that_agrees_is_a_reason() -> None:
    study = TableStudy(read_spec("acm-fixed"))
    theirs, ours = (
        study.spec.cell(row, "Film") for row in ("ACM-Snowball-2", "Three layers: ACM-Snowball-2")
    )
    low, right = row_of(theirs, "same", around(30.0)), row_of(ours, "same", around(theirs.published[0]))

    def known(rows) -> str:
        _, table = below(Results(study, rows))
        assert isinstance(table, Table)
        return str(table.rows[0][4])

    assert known([low]).endswith("No reason is known that explains it.")
    assert known([low, right]).endswith("“Three layers: ACM-Snowball-2” agrees with it.")
    assert known([low, row_of(ours, "same", around(31.0))]).endswith("No reason is known that explains it.")


def test_a_row_of_ours_that_changes_another_does_not_count() -> None:
    study = TableStudy(read_spec("acm-fixed"))
    ours = study.spec.cell("Three layers: ACM-Snowball-2", "Film")
    theirs = study.spec.cell("ACM-Snowball-2", "Film")
    rows = [row_of(cell, "same", around(cell.published[0])) for cell in (ours, theirs)]
    assert (count(Results(study, rows)).agree, count(Results(study, rows)).judged) == (1, 1)


def test_before_anything_was_run() -> None:
    assert counted([])[0].startswith("0 of 0 ACM cells agree")
    assert below(Results(STUDY, [])) == ()


def test_every_other_cell_has_what_is_known_of_it() -> None:
    rows = [
        row_of(FILM, "same", around(38)),
        row_of(FILM, "honest", around(37), lift=0.75),
        row_of(SGC, "same", around(39)),
    ]
    _, table = below(Results(STUDY, rows))
    assert isinstance(table, Table)
    (line,) = table.rows
    assert line[0] == "ACM-GCN, Film"
    assert line[1] == "38.00 ± 1.00 (n = 10)"
    assert line[2] == "41.62 ± 1.15"
    known = str(line[4])
    assert "The authors' own code gives 40.98 ± 0.89; ours minus that: −2.98" in known
    assert "Honest: 37.00 ± 1.00 (n = 10, 60 tried) on film." in known
    assert "lift means on film by 0.75 points (0.75 to 0.75, 1 model)" in known


def test_notes_and_diverged_runs_are_reasons_and_nothing_is_said_so() -> None:
    plus = SPEC.cell("ACMII-GCN+", "Film")
    row = {**row_of(plus, "same", around(30)), "diverged": 3}
    found = reasons(Results(STUDY, [row]), plus, row)
    assert found == [plus.note, "3 of 10 runs diverged."]
    _, table = below(Results(STUDY, [row_of(SGC, "same", around(30))]))
    assert isinstance(table, Table)
    assert table.rows[0][4] == "No reason is known that explains it."


def test_a_choice_on_test_nodes_that_is_worth_enough_is_a_reason() -> None:
    def known(lift: float) -> str:
        rows = [row_of(SGC, "same", around(36)), row_of(SGC, "honest", around(37), lift=lift)]
        table = below(Results(STUDY, rows))[1]
        assert isinstance(table, Table)
        return str(table.rows[0][4])

    missing = SGC.published[0] - 36 - allowed(SGC, row_of(SGC, "same", around(36)))
    assert known(missing - 0.1).endswith("No reason is known that explains it.")
    assert "No reason" not in known(missing + 0.1)
