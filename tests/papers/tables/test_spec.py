"""The files of the tables: every name in them exists, and cells inherit what rows and columns say."""

from __future__ import annotations

import tomllib

import pytest
from tests.papers.performing import WORDS

from allpass.data import DATASETS, SPLITS
from allpass.models.catalog import resolve
from allpass.models.settings import check_settings
from allpass.papers.tables.spec import TABLES, Cell, Spec, parse_table, read_table, splits_of
from allpass.train.few_labels import STRATEGIES
from allpass.train.job import TRAINING

TEXT = """
runs = 5
[protocol]
splits = { name = "random", count = 3 }
[columns]
A = { dataset = "texas", corrected = { dataset = "texas-4", protocol = { unlabelled = "missing" } } }
B = { dataset = "cora", protocol = { scaling = "none" }, score = "roc_auc" }
[drawn]
splits = { name = "acm-search", count = 10 }
order = { lr = [0.1, 0.2], dropout = [0.0, 0.5, 0.9] }
[seeds]
count = 4
cells = ["GCN/A"]
[rows.GCN]
model = "gcn"
settings = { hidden_channels = 8 }
protocol = { optimizer = "adamw" }
drawn = true
[rows.GCN.cells]
A = { published = [80.0, 1.0], settings = { lr = 0.2, dropout = 0.5 } }
B = { published = [70.0], runs = 100, protocol = { splits = { count = 2 } } }
[variants.Wider.GCN]
model = "gcn"
settings = { hidden_channels = 16 }
"""


def cells(text: str = TEXT) -> dict[str, Cell]:
    spec = parse_table("tiny", WORDS, tomllib.loads(text))
    return {f"{cell.name}/{cell.column.name}": cell for cell in spec.cells}


def test_a_cell_is_run_as_column_row_and_cell_say() -> None:
    found = cells()
    a, b = found["GCN/A"], found["GCN/B"]
    assert a.settings == {"hidden_channels": 8, "lr": 0.2, "dropout": 0.5}
    assert (a.runs, b.runs, b.settings) == (5, 100, None)
    assert dict(a.protocols["same"].splits) == {"name": "acm-search", "count": 10, "skip": 40}
    assert dict(a.protocols["fresh"].splits) == {"name": "random", "count": 3}
    assert (a.protocols["tuned"].unlabelled, a.protocols["tuned"].optimizer) == ("missing", "adamw")
    assert (a.column.tuned.dataset, b.column.tuned.dataset, b.column.score) == ("texas-4", "cora", "roc_auc")
    assert (b.protocols["same"].scaling, b.protocols["same"].splits["count"]) == ("none", 2)
    assert "fresh" not in b.protocols
    assert (a.seeds, b.seeds) == (4, 0)


def test_a_variant_has_the_cells_of_its_row_that_have_settings() -> None:
    found = cells()
    wider = found["Wider: GCN/A"]
    assert "Wider: GCN/B" not in found
    assert wider.settings == {"hidden_channels": 16, "lr": 0.2, "dropout": 0.5}
    assert (wider.variant, wider.row, wider.published) == ("Wider", "GCN", (80.0, 1.0))
    assert not wider.in_source
    assert set(wider.protocols) == {"same"}


def test_the_splits_of_a_setting_follow_its_place_in_the_search() -> None:
    drawn = {
        "splits": {"name": "acm-search", "count": 10},
        "order": {"lr": [0.1, 0.2], "dropout": [0.0, 0.5]},
    }
    skips = [splits_of(drawn, {"lr": lr, "dropout": dropout}) for lr in (0.1, 0.2) for dropout in (0.0, 0.5)]
    assert [found["skip"] for found in skips if found] == [0, 10, 20, 30]
    assert splits_of(drawn, {"lr": 0.3, "dropout": 0.0}) is None


@pytest.fixture(params=TABLES)
def spec(request: pytest.FixtureRequest) -> Spec:
    return read_table(request.param)


def test_every_name_in_the_files_exists(spec: Spec) -> None:
    for cell in spec.cells:
        for column in (cell.column, cell.column.tuned):
            assert column.dataset in DATASETS.names
        for protocol in cell.protocols.values():
            protocol.training("cpu", cell.column.score)
            rule = SPLITS[protocol.splits["name"]]
            assert set(protocol.splits) <= {"name", "count", "seed", *rule.options}
        if cell.strategy:
            assert cell.strategy in STRATEGIES.names
        if cell.model:
            entry = resolve(cell.model)[0]
            for settings in (
                cell.fixed,
                cell.settings or {},
                *({name: v} for name in cell.space for v in cell.space[name]),
            ):
                assert set(settings) <= {*entry.settings, *entry.training, *entry.space, *TRAINING}
                check_settings(settings, entry.settings)
        assert all(0 <= number <= 100 for number in (*cell.published, *cell.beside, *cell.rerun))


def test_stored_splits_come_with_their_dataset(spec: Spec) -> None:
    for cell in spec.cells:
        for kind, protocol in cell.protocols.items():
            column = cell.column.tuned if kind == "tuned" else cell.column
            rule = SPLITS[protocol.splits["name"]]
            assert rule.drawn or rule.name in DATASETS[column.dataset].splits


def test_quick_runs_are_of_rows_and_columns_that_there_are(spec: Spec) -> None:
    assert set(spec.quick) <= {*spec.rows, *(column.name for column in spec.columns)}
    assert set(spec.tuning.columns) <= {column.name for column in spec.columns}
