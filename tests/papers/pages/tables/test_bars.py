from __future__ import annotations

import numpy as np
from scipy.stats import ttest_rel
from tests.papers.pages.invented import row_of

from allpass.papers.pages.html import html
from allpass.papers.pages.page import Picture, Table, Text
from allpass.papers.pages.tables.bars import page
from allpass.papers.pages.tables.cells import Results, signed
from allpass.papers.pages.tables.gains import chart_of, gain_of
from allpass.papers.tables.bars import CHARTS, STUDY

SPEC = STUDY.spec


def tables(rows) -> list[Table]:
    return [block for block in page(STUDY, rows).blocks if isinstance(block, Table)]


def test_our_gain_is_that_of_the_best_on_each_side_with_its_interval() -> None:
    run = {cell.row for cell in SPEC.cells if cell.column.name == "Cornell" and cell.settings is not None}
    rivals = [row for row in CHARTS.rivals if row in run]
    assert 1 < len(rivals) < len(CHARTS.rivals)  # of the others no settings were published
    cornell = {row: [30.0, 31.0, 32.0] for row in rivals} | {
        "H2GCN": [33.0, 34.0, 36.0],
        "ACM-GCN": [39.0, 41.0, 41.5],
        "GCN": [80.0] * 3,
    }
    rows = [
        row_of(SPEC.cell(row, "Cornell"), "fresh" if SPEC.cell(row, "Cornell").has_fresh else "same", scores)
        for row, scores in cornell.items()
    ]
    assert {row["kind"] for row in rows} == {"same", "fresh"}  # on the same splits
    column = next(column for column in SPEC.columns if column.name == "Cornell")
    gain = gain_of(chart_of(Results(STUDY, rows), column, "same"))
    assert gain is not None
    assert (gain.best.row, gain.rival.row, gain.rivals) == ("ACM-GCN", "H2GCN", len(rivals))
    middle = np.mean(cornell["ACM-GCN"]) - np.mean(cornell["H2GCN"])
    wider = np.sqrt(1 + 0.25 * len(cornell["GCN"]))  # rows have an overlap of 0.25
    margin = wider * (ttest_rel(cornell["ACM-GCN"], cornell["H2GCN"]).confidence_interval().high - middle)
    expected = (
        f"+{middle:.2f} [+{middle - margin:.2f}, +{middle + margin:.2f}] (ACM-GCN over H2GCN), "
        f"{len(rivals)} of 11 rivals; {signed(40.5 - 91.80)} over the published APPNP, not among them"
    )
    told = next(line for line in tables(rows)[0].rows if line[0] == "Cornell")
    assert told[1:4] == ("+4.10", "+4.10 [+2.63, +5.57] (ACMII-GCN over APPNP)", expected)
    assert told[4] == "11 of 11 rivals not run yet"
    fewer = [row for row in rows if row["row"] != rivals[0]]
    assert gain_of(chart_of(Results(STUDY, fewer), column, "same")) is None  # the best of a few is no rival
    told = next(line for line in tables(fewer)[0].rows if line[0] == "Cornell")
    assert told[3] == "1 of 11 rivals not run yet"


def test_the_finding_counts_the_graphs_whose_rivals_are_run() -> None:
    gcn = row_of(SPEC.cell("GCN", "Film"), "fresh", [35.0, 36.0])
    first, left_out = page(STUDY, [gcn]).findings
    assert (
        first
        == "Graphs on which the best ACM or ACMII network is ahead of the best rival: published, on 6 of 6 (by 95% "
        "intervals on 5)."
    )
    assert left_out.endswith("the best published rival of all on 6 of 6 graphs as published.")
    film = [cell for cell in SPEC.cells if cell.column.name == "Film" and cell.settings is not None]
    low, high = (
        [
            row_of(
                cell,
                "fresh" if cell.has_fresh else "same",
                [mean if cell.row in CHARTS.augmented else 50.0] * 3,
            )
            for cell in film
        ]
        for mean in (40.0, 60.0)
    )
    for rows, ahead, over in ((low, 0, "−1.79"), (high, 1, "+18.21")):  # BernNet has 41.79
        _, _, table, *_ = (block for block in page(STUDY, rows).blocks if not isinstance(block, Picture))
        assert isinstance(table, Table)
        lines = {str(line[0]): line[1:] for line in table.rows}
        assert lines["Film"] == ("BernNet", "41.79", "+0.05", over)
        assert lines["Squirrel"] == ("GCN+JK", "53.40", "+4.62", "not run yet")
        first, left_out = page(STUDY, rows).findings
        assert first.endswith(
            f"; ours, same settings, on {ahead} of 1 (by 95% intervals on {ahead}) over 6 of 11 rivals (5 not "
            "known yet)."
        )
        assert left_out.endswith(
            f"on 6 of 6 graphs as published, with ours at the same settings on {ahead} of 1."
        )


def test_gains_over_the_network_itself() -> None:
    rows = [
        row_of(SPEC.cell("GCN", "Texas"), "honest", [70.0, 72.0]),
        row_of(SPEC.cell("ACM-GCN", "Texas"), "honest", [80.0, 82.0]),
    ]
    _, published, honest = tables(rows)[1:]
    assert published.rows[0][:2] == ("ACM-GCN minus GCN", "+12.29 [+8.84, +15.74]")
    assert honest.header[3] == "Texas (texas-4)"
    assert honest.rows[0][3] == "+10.00 [+10.00, +10.00]"
    assert honest.rows[1][3] == "not run yet"


def test_what_the_rivals_are_worth_is_told() -> None:
    h2gcn, gat = (SPEC.cell(row, "Film") for row in ("H2GCN", "GAT+JK"))
    rows = [
        {**row_of(h2gcn, "same", [h2gcn.published[0] - 1, h2gcn.published[0] + 1]), "majority": 25.0},
        {**row_of(gat, "same", [20.0, 21.0]), "majority": 25.0},
    ]
    texts = [block.text for block in page(STUDY, rows).blocks if isinstance(block, Text)]
    (told,) = [text for text in texts if "rivals agree" in text]
    assert told.startswith("With the same settings 1 of 2 rivals agree with or exceed")
    assert told.endswith("No better than the most frequent class: GAT+JK on Film.")


def test_a_rival_that_is_ahead_already_is_told() -> None:
    rows = [
        row_of(SPEC.cell("MLP-2", "Film"), "honest", [41.0, 42.0]),
        row_of(SPEC.cell("ACM-GCN", "Film"), "honest", [40.0, 41.5]),
        row_of(SPEC.cell("MLP-2", "Texas"), "honest", [80.0, 81.0]),
        row_of(SPEC.cell("ACM-GCN", "Texas"), "honest", [90.0, 91.0]),
    ]
    texts = [block.text for block in page(STUDY, rows).blocks if isinstance(block, Text)]
    (told,) = [text for text in texts if "has a higher mean than all" in text]
    assert "networks on: Film (MLP-2 over ACM-GCN: +0.75 [" in told
    assert "Texas" not in told


def test_without_rows_there_are_the_published_charts_alone() -> None:
    found = page(STUDY, [])
    assert [block.name for block in found.blocks if isinstance(block, Picture)] == ["acm-bars-published"]
    text = html(found)
    assert "not run yet" in text
    assert "None" not in text


def test_the_caption_tells_the_splits_of_the_protocol() -> None:
    (count,) = {column.protocol.splits["count"] for column in SPEC.columns}
    picture = next(block for block in page(STUDY, []).blocks if isinstance(block, Picture))
    assert (
        f"on the same {count} splits for all networks, by which the source did not choose" in picture.caption
    )


def test_the_caption_tells_which_dots_are_on_the_splits_of_the_source() -> None:
    cell = SPEC.cell("ACM-GCN", "Film")
    same, fresh = row_of(cell, "same", [40.0, 42.0]), row_of(cell, "fresh", [39.0, 41.0])
    alone, both = (
        next(block.caption for block in page(STUDY, rows).blocks if isinstance(block, Picture))
        for rows in ([same], [same, fresh])
    )
    assert "Dots that are still on the splits by which it did: 1." in alone
    assert "by which it did:" not in both


def test_every_caption_says_where_axes_begin() -> None:
    rows = [row_of(SPEC.cell("MLP-2", "Film"), "honest", [40.0, 42.0])]
    pictures = [block for block in page(STUDY, rows).blocks if isinstance(block, Picture)]
    assert len(pictures) == 2
    assert all("The axes do not begin at 0." in picture.caption for picture in pictures)
