"""The section of settings: how runs are made, and what every number was made with."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.papers.pages.invented import row_of, rows_of
from tests.papers.pages.tables.few_labels import line

from allpass.papers.catalogue import STUDIES
from allpass.papers.pages.page import Heading, Table, Text
from allpass.papers.pages.tables import accuracy, few_labels
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.settings import settings, settings_of, short
from allpass.papers.study import Row
from allpass.papers.tables.spec import Spec, read_spec
from allpass.papers.tables.study import TableStudy

SCORES = [90.0, 92.0] * 5


def tables(spec: Spec, rows: list[Row] | None = None) -> list[Table]:
    return [block for block in settings(Results(TableStudy(spec), rows or [])) if isinstance(block, Table)]


def made(spec: Spec) -> list[str]:
    block = settings(Results(TableStudy(spec), []))[2]
    assert isinstance(block, Text)
    (entries,) = block.parts()
    return list(entries)


def honest_row(spec: Spec, row: str, column: str, chosen: dict[str, object]) -> Row:
    cell = spec.cell(row, column)
    return row_of(cell, "honest", SCORES) | {"settings": json.dumps({**cell.fixed, **chosen})}


def test_the_short_form() -> None:
    given = {
        "structure": True,
        "channels": ["low", "high"],
        "norm": None,
        "weight_decay:conv": 1.0,
        "dropout": 0.0,
    }
    assert short({**given, "lr": 4.4438e-05, "weight_decay": 0.017409}) == (
        "lr 4.4438e-05, wd 0.017409, dropout 0, structure, channels low+high, norm none, wd:conv 1"
    )
    assert short({}) == ""
    assert settings_of({"settings": "{}"}) == "our defaults"
    assert settings_of({"settings": '{"bias": false, "lr": 0.1}'}) == "lr 0.1, no bias"


def test_published_settings_with_what_their_row_fixes() -> None:
    (table,) = tables(read_spec("acm-fixed"))
    assert line(table, "FAGCN (hidden_channels 64)") == [
        "FAGCN (hidden_channels 64)", "Cornell", "lr 0.01, wd 0.0001, dropout 0.6", "",
    ]  # fmt: skip
    assert line(table, "FAGCN", "Texas")[2] == "lr 0.01, wd 1e-05, dropout 0"


def test_columns_with_the_same_settings_share_a_line() -> None:
    (table,) = tables(read_spec("acm-random"))
    assert line(table, "MixHop", "Texas, Squirrel")[2].endswith("hidden_channels 32, num_layers 2")


def test_a_row_that_changes_another_has_its_settings() -> None:
    (table,) = tables(read_spec("ablation"))
    name = "ACM-GCN: features as they are (hidden_channels 64, num_layers 2)"
    assert line(table, name) == [name, "all", "those of ACM-GCN: as released", "scaling none"]


def test_what_cells_and_the_source_change_of_runs() -> None:
    (random,), (few,) = tables(read_spec("acm-random")), tables(read_spec("table1"))
    assert line(random, "SGC-1", "Cornell")[3] == "splits acm-search, count 10, seed 42"
    assert line(random, "GPRGNN", "Cornell")[3] == "max_epochs 1000"
    assert line(few, "linear Snowball", "Cora 2%")[3] == "optimizer adam, count 3, tf32"
    assert line(few, "LP (output scores)")[2:] == ["our defaults", "stop fixed, max_epochs 1"]


@pytest.mark.parametrize("name", ["table1", "acm-random", "acm-fixed", "acm-deezer", "ablation"])
def test_every_number_by_the_same_settings_stands_in_a_line(name: str) -> None:
    spec = read_spec(name)
    (table,) = tables(spec)
    expected = [cell for cell in spec.cells if cell.model and (cell.settings is not None or spec.defaults)]
    everywhere = len(spec.columns)
    columns = [line[1].text for line in table.values()]
    found = sum(everywhere if text == "all" else len(text.split(", ")) for text in columns)
    assert found == len(expected)


def test_honest_settings_are_those_of_the_rows() -> None:
    spec = read_spec("acm-random")
    chosen = {"lr": 0.1, "weight_decay": 0.0, "dropout": 0.3}
    rows = [
        honest_row(spec, "ACM-GCN+", "Film", {**chosen, "structure": True}),
        honest_row(spec, "ACM-GCN+", "Texas", {**chosen, "structure": False}),
        honest_row(spec, "ACM-GCN+", "Cora", {**chosen, "structure": False}),
    ]
    lines = [[value.text for value in values] for values in tables(spec, rows)[1].values()]
    assert [line[1:] for line in lines] == [
        ["Texas, Cora", "lr 0.1, wd 0, dropout 0.3, no structure", ""],
        ["Film", "lr 0.1, wd 0, dropout 0.3, structure", "scaling none"],
    ]
    assert lines[0][0].startswith("ACM-GCN+ (")
    assert lines[1][0] == "ACM-GCN+"


def test_a_quick_run_tells_what_it_narrows() -> None:
    spec = read_spec("acm-random")
    row = honest_row(spec, "ACM-GCN", "Film", {"lr": 0.1, "hidden_channels": 16})
    assert next(tables(spec, [row])[1].values())[2].text == "lr 0.1, hidden_channels 16"


def test_how_runs_are_made() -> None:
    told = made(read_spec("acm-random"))
    assert told[0].startswith("Splits: random (train 0.6, val 0.2, count 50). ")
    assert told[1:3] == [
        "Optimiser: adam.",
        "End of a run: gprgnn (max_epochs 5000, window 200). "
        "Stops where the validation loss exceeds the mean of the 200 before it.",
    ]
    assert "Nodes without a label, where there are some: they count as class 0." in told
    assert "Edges are made to go both ways." in told
    assert (
        "So it is for Cornell; other columns change: Minesweeper, Tolokers: splits stratified, count 10, salt none."
        in told
    )
    assert "Honest numbers on corrected data change: Texas, CiteSeer: unlabelled missing." in told
    assert any("splits of acm-search have those that the source drew" in line for line in told)


def test_how_honest_settings_are_chosen() -> None:
    ends = {
        "acm-random": "over 10 splits is reported on the same.",
        "acm-deezer": "over 5 splits is reported on the same.",
        "ablation": "over 3 splits is reported on 10 splits, those of the search first.",
        "table1": "(Cora 2%, CiteSeer 2%, PubMed 0.1%), over 5 splits of each, is reported on 10 splits, none of which "
        "chose.",
    }
    for name, end in ends.items():
        spec = read_spec(name)
        told = made(spec)[-1]
        assert told.startswith(f"Honest settings: at most {spec.honest.trials} settings of a row are tried; ")
        assert told.endswith(end)


def test_a_protocol_in_other_words() -> None:
    spec = read_spec("acm-deezer")
    (column,) = spec.columns
    protocol = replace(column.protocol, undirected=False, unlabelled="drop", scaling="none")
    told = made(replace(spec, columns=(replace(column, protocol=protocol),)))
    assert "Edges go as they are given." in told
    assert "Nodes without a label, where there are some: they are removed." in told
    assert "Features: Features as they are." in told
    assert not any("columns change" in line for line in told)


def test_pages_have_it_before_the_notes() -> None:
    for name, module in (("acm-fixed", accuracy), ("table1", few_labels)):
        study = STUDIES[name]
        assert isinstance(study, TableStudy)
        page = module.page(study, rows_of(study, share=0.2))
        titles = [block.text for block in page.blocks if isinstance(block, Heading)]
        place = titles.index("Settings")
        assert (titles[place - 1], titles[place + 1]) == (
            "Column by column", "What differs from the source, and why",
        )  # fmt: skip
