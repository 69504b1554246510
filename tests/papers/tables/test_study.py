"""Tables as studies: what is asked for, how settings are chosen, and what a row says."""

from __future__ import annotations

import itertools
import json
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student
from tests.papers.performing import WORDS, performed

from allpass.data import load, splits
from allpass.errors import InputError
from allpass.papers.study import OfStudy, Plan
from allpass.papers.tables.result import Accuracy
from allpass.papers.tables.spec import parse_table
from allpass.papers.tables.study import TableStudy
from allpass.papers.tables.verdicts import AGREES, BETTER, INCOMPARABLE
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

OWN = """
quick = ["High"]
[tuned]
trials = 5
space = { lr = [0.01, 0.1], dropout = [0.0, 0.5] }
[protocol]
splits = { name = "random", count = 3, train = 0.4 }
stop = { name = "fixed", max_epochs = 40 }
[columns]
High = { dataset = "example-high-pass" }
[columns.Low]
dataset = "example-bipartite"
corrected = { dataset = "example-limitation", protocol = { deviation = "sample" } }
[rows.GCN]
model = "gcn"
[rows.GCN.cells]
High = { published = [80.0, 5.0], beside = [75.0, 5.0], rerun = [60.0], settings = { lr = 0.05, dropout = 0.2 } }
Low = { published = [60.0] }
[rows."MLP, wide"]
model = "mlp-2"
settings = { hidden_channels = 4 }
protocol = { scaling = "none" }
[rows."MLP, wide".cells]
High = { }
Low = { rerun = [60.0, 1.0], settings = { lr = 0.02 }, protocol = { select = "final" } }
[rows.Elsewhere.cells]
High = { published = [90.0, 1.0] }
"""
OTHERS = """
[tuned]
choose = "others"
trials = 3
splits = 2
space = { lr = [0.01, 0.05, 0.1] }
[protocol]
splits = { name = "random", count = 2, train = 0.4 }
stop = { name = "fixed", max_epochs = 3 }
[columns]
A = { dataset = "example-high-pass" }
B1 = { dataset = "example-limitation" }
B2 = { dataset = "example-limitation", protocol = { splits = { val = 0.3 } } }
C = { dataset = "example-bipartite" }
[rows.GCN]
model = "gcn"
[rows.GCN.cells]
A = { published = [80.0] }
B1 = { }
B2 = { }
C = { }
[rows.MLP]
model = "mlp-2"
[rows.MLP.cells]
A = { }
C = { }
"""
ALL = Plan()
Scores = Callable[[Key], float]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def constant(value: float) -> Scores:
    return lambda _: value


HALF = constant(0.5)


def table(text: str, old: str = "", new: str = "") -> TableStudy:
    """The study of a spec with one thing changed."""
    assert old in text
    return TableStudy(parse_table("tiny", WORDS, tomllib.loads(text.replace(old, new))))


def asked(study: TableStudy, *cells: str, quick: bool = False) -> list[str]:
    return [f"{kind} {cell.row}/{cell.column.name}" for cell, kind in study.asked(Plan(cells, quick))]


def titles(study: TableStudy, store: Store, *cells: str) -> list[str]:
    return [task.title for task in study.tasks(Plan(cells), store)]


def task_of(study: TableStudy, store: Store, title: str, plan: Plan = ALL) -> Task:
    (found,) = [task for task in study.tasks(plan, store) if task.title == title]
    return found


def invent(
    study: TableStudy,
    store: Store,
    title: str,
    val: Scores = HALF,
    test: Scores = HALF,
    status: Mapping[int, str] | None = None,
    without: int | None = None,
) -> None:
    """Runs of a task that nobody trained, ``without`` one of them; ``status`` says which did not end well."""
    for number, key in enumerate(study.keys(task_of(study, store, title))):
        if number == without:
            continue
        scores = {"val_score": val(key), "val_loss": 0.5, "test_score": test(key)}
        store.add(Run(key=key, status=(status or {}).get(number, "done"), scores=scores, epochs=10 + number))


def the_row(study: TableStudy, store: Store, *cells: str) -> Accuracy:
    (found,) = study.results(Plan(cells), store)
    return found


def place(key: Key) -> int:
    return int(key.split.split("/")[1])


def by(name: str, scores: Mapping[float, float]) -> Scores:
    return lambda key: scores[key.settings[name]]


EVERYTHING = [
    "same GCN/High",
    "same MLP, wide/Low",
    *("tuned GCN/High", "tuned GCN/Low", "tuned MLP, wide/High", "tuned MLP, wide/Low"),
]


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ((), lambda name: True),
        (("GCN",), lambda name: "GCN" in name),
        (("gcn", "mlp, WIDE"), lambda name: True),
        (("low",), lambda name: "Low" in name),
        (("GCN", "Low"), lambda name: "GCN/Low" in name),
        (("Same",), lambda name: "same" in name),
        (("tuned", "High"), lambda name: "tuned" in name and "High" in name),
        (("gcn/high",), lambda name: "GCN/High" in name),
        (("GCN/High", "MLP, wide"), lambda name: "GCN/High" in name or "MLP" in name),
        (("GCN/High", "Low", "same"), lambda name: name in EVERYTHING[:2]),
        (("same", "tuned"), lambda name: True),
    ],
)
def test_what_a_plan_asks_for(cells: tuple[str, ...], wanted: Callable[[str], bool]) -> None:
    assert asked(table(OWN), *cells) == [name for name in EVERYTHING if wanted(name)]


@pytest.mark.parametrize("cells", [("Elsewhere",), ("GCN", "Elsewhere/High")])
def test_a_name_that_gives_no_number_is_an_error(cells: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"^Nothing to run for 'Elsewhere(/High)?' in 'tiny': no such model"):
        asked(table(OWN), *cells)


def test_a_quick_plan_is_of_a_few_columns_unless_it_names_some() -> None:
    study = table(OWN)
    high = [name for name in EVERYTHING if "High" in name]
    assert asked(study, quick=True) == high
    assert asked(study, "GCN", quick=True) == [name for name in high if "GCN" in name]
    assert asked(study, "Low", "GCN", quick=True) == ["tuned GCN/Low"]
    assert asked(study, "GCN/Low", quick=True) == ["tuned GCN/Low"]
    assert asked(study, "GCN/Low", "MLP, wide", quick=True) == ["tuned GCN/Low", "tuned MLP, wide/High"]
    assert asked(table(OWN, 'quick = ["High"]\n'), quick=True) == EVERYTHING
    rows = table(OWN, 'quick = ["High"]', 'quick = ["High", "GCN"]')
    assert asked(rows, quick=True) == [name for name in high if "GCN" in name]
    assert asked(rows, "MLP, wide", quick=True) == [name for name in high if "MLP" in name]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("GCM", r"There is no cell 'GCM' in 'tiny'\. Did you mean 'GCN'"),
        ("tund", r"Did you mean 'tuned'"),
        ("GCN/Hihg", r"Did you mean 'GCN/High'"),
        ("GCM/Low", r"There is no cell 'GCM/Low' in 'tiny'\. Did you mean 'GCN'"),
        ("Elsewhere/Low", r"There is no cell 'Elsewhere/Low' in 'tiny'\. Did you mean 'Elsewhere/High'"),
        ("0/1", r"There is no cell '0/1' in 'tiny'\. Known names: [^/]*$"),
    ],
)
def test_a_cell_that_is_not_there(store: Store, cell: str, message: str) -> None:
    study = table(OWN)
    for asking in (study.tasks, study.results):
        with pytest.raises(InputError, match=message):
            asking(Plan((cell,)), store)


def test_a_column_may_choose_on_its_first_splits_and_report_on_more(store: Store) -> None:
    study = table(OWN, "trials = 5\n", "trials = 5\nsplits = 2\nreported = 3\n")
    search, final = "GCN, searched on High", "GCN on High, tuned"
    assert titles(study, store, "tuned", "GCN/High") == [search]
    keys = study.keys(task_of(study, store, search))
    assert sorted({place(key) for key in keys}) == [0, 1]
    invent(
        study,
        store,
        search,
        val=by("dropout", {0.0: 0.4, 0.5: 0.6}),
        test=by("dropout", {0.0: 0.9, 0.5: 0.1}),
    )
    assert titles(study, store, "tuned", "GCN/High") == [search, final]
    chosen = study.keys(task_of(study, store, final))
    assert [place(key) for key in chosen] == [0, 1, 2]
    assert {key.settings["dropout"] for key in chosen} == {0.5}  # not what the test nodes would have chosen
    assert len(store.missing(chosen)) == 1  # the first splits are those of the search
    assert study.results(Plan(("tuned", "GCN/High")), store) == []
    (left,) = store.missing(chosen)
    store.add(
        Run(key=left, status="done", scores={"val_score": 0.6, "val_loss": 0.5, "test_score": 0.4}, epochs=9)
    )
    row = the_row(study, store, "tuned", "GCN/High")
    assert (row.runs, row.mean, row.tried) == (3, 20.0, 4)
    assert row.best_on_test is None


def test_models_without_published_settings_may_run_with_their_own(store: Store) -> None:
    study = table(OWN, "[tuned]", "defaults = true\n[tuned]")
    everywhere = ["same GCN/High", "same GCN/Low", "same MLP, wide/High", "same MLP, wide/Low"]
    assert asked(study, "same") == everywhere
    assert task_of(study, store, "GCN on Low, same").about["settings"] == ({},)
    invent(study, store, "GCN on Low, same", HALF, lambda key: 0.9 + place(key) / 100)
    (row,) = study.results(Plan(("GCN/Low", "same")), store)
    assert (row.published.mean, row.published.verdict) == (60.0, INCOMPARABLE)


def test_a_cell_without_published_settings_may_run_with_the_defaults(store: Store) -> None:
    study = table(OWN.replace("published = [60.0]", "published = [60.0], defaults = true"))
    assert "same GCN/Low" in asked(study, "same")


def test_its_names_by_what_they_name() -> None:
    axes = table(OWN).axes()
    assert axes["rows"] == ["GCN", "MLP, wide", "Elsewhere"]
    assert axes["columns"] == ["High", "Low"]
    assert axes["kinds"] == ["same", "tuned"]
    assert {"GCN/High", "MLP, wide/Low"} <= set(axes["cells"])


def test_what_an_earlier_run_found_is_not_run_again(store: Store) -> None:
    study = table(OTHERS)
    for title in titles(study, store):
        invent(study, store, title)
    for title in titles(study, store):
        invent(study, store, title)
    whole = study.results(ALL, store)
    with Store(store.path.parent / "empty.db") as empty:
        assert study.tasks(ALL, empty, whole) == []
        left = study.tasks(ALL, empty, [one for one in whole if one.row != "MLP" or one.column != "A"])
        assert [task.title for task in left] == ["MLP, searched on C"]


@pytest.mark.parametrize("text", [OWN, OTHERS])
@pytest.mark.parametrize("quick", [False, True])
def test_tasks_are_the_same_after_they_travelled(store: Store, text: str, quick: bool) -> None:
    study = table(text)
    tasks = study.tasks(Plan(quick=quick), store)
    assert len({task.title for task in tasks}) == len(tasks) > 1
    for task in tasks:
        there = Task(task.work, task.title, json.loads(json.dumps(task.about)))
        assert study.keys(there) == study.keys(task)
        assert task.work == OfStudy("tiny")


def test_the_published_settings_are_run_by_the_published_protocol(store: Store) -> None:
    study = table(OWN)
    about = task_of(study, store, "MLP, wide on Low, same").about
    assert (about["dataset"], about["model"]) == ("example-bipartite", "mlp-2")
    assert about["settings"] == ({"hidden_channels": 4, "lr": 0.02},)
    assert (about["protocol"]["select"], about["protocol"]["scaling"]) == ("final", "none")
    assert dict(about["protocol"]["splits"]) == {"name": "random", "count": 3, "train": 0.4}
    assert dict(about["protocol"]["stop"]) == {"name": "fixed", "max_epochs": 40}


def test_an_honest_number_is_of_the_corrected_data_and_keeps_what_its_row_changes(store: Store) -> None:
    about = task_of(table(OWN), store, "MLP, wide on Low, tuned").about
    assert about["dataset"] == "example-limitation"
    assert (about["protocol"]["select"], about["protocol"]["scaling"]) == ("lowest-val-loss", "none")
    assert about["protocol"]["deviation"] == "sample"
    assert len(about["settings"]) == 4  # the whole space
    assert all(settings["hidden_channels"] == 4 for settings in about["settings"])


def test_an_honest_number_may_be_of_fewer_splits(store: Store) -> None:
    study = table(OWN, "trials = 5", "trials = 5\nsplits = 2")
    assert task_of(study, store, "GCN on High, same").about["protocol"]["splits"]["count"] == 3
    tuned = task_of(study, store, "GCN on High, tuned").about["protocol"]["splits"]
    assert dict(tuned) == {"name": "random", "count": 2, "train": 0.4}


def test_the_printed_mean_is_of_as_many_runs_as_is_said(store: Store) -> None:
    widths = []
    for runs in (10, 1000):
        study = table(OWN, "quick =", f"runs = {runs}\nquick =")
        invent(study, store, "GCN on High, same", test=lambda key: 0.7 + place(key) / 1000)
        row = the_row(study, store, "same")
        widths.append(float(row.published.high or 0) - float(row.published.low or 0))
    assert widths[0] > 5 * widths[1] > 0


def test_a_quick_plan_has_fewer_splits_epochs_and_settings(store: Store) -> None:
    study = table(OWN)
    about = task_of(study, store, "GCN on High, tuned", Plan(quick=True)).about
    assert dict(about["protocol"]["splits"]) == {"name": "random", "count": 2, "train": 0.4}
    assert dict(about["protocol"]["stop"]) == {"name": "fixed", "max_epochs": 30}
    assert len(about["settings"]) == 3
    short = table(OWN.replace("count = 3", "count = 1"), "max_epochs = 40", "max_epochs = 7")
    protocol = task_of(short, store, "GCN on High, same", Plan(quick=True)).about["protocol"]
    assert (protocol["splits"]["count"], protocol["stop"]["max_epochs"]) == (1, 7)


def test_a_quick_network_is_narrow(store: Store) -> None:
    for width, quick in ((4, 4), (4096, 16)):
        study = table(OWN, "hidden_channels = 4", f"hidden_channels = {width}")
        for plan, wanted in ((Plan(), width), (Plan(quick=True), quick)):
            about = task_of(study, store, "MLP, wide on High, tuned", plan).about
            assert {settings["hidden_channels"] for settings in about["settings"]} == {wanted}


def test_a_search_fills_a_gpu_and_one_setting_does_not(store: Store) -> None:
    study = table(OWN)
    assert task_of(study, store, "GCN on High, tuned").gpu == 1
    assert task_of(study, store, "GCN on High, same").gpu < 1


def test_settings_are_chosen_by_validation_and_never_by_test(store: Store) -> None:
    study = table(OWN, "dropout = [0.0, 0.5]", "dropout = [0.5]")
    title = "GCN on High, tuned"
    assert study.results(ALL, store) == []
    invent(
        study,
        store,
        title,
        by("lr", {0.01: 0.9, 0.1: 0.8}),
        lambda key: (key.settings["lr"] > 0.05) / 2 + place(key) / 10,
    )
    row = the_row(study, store, "tuned", "GCN/High")
    assert json.loads(str(row.settings)) == {"dropout": 0.5, "lr": 0.01}
    assert (row.validation, row.tried) == (90.0, 2)
    assert row.scores == "0.00 10.00 20.00"
    assert (row.mean, row.deviation) == (10.0, round(100 * float(np.std([0.0, 0.1, 0.2])), 3))
    assert row.best_on_test == 60.0
    assert row.chosen_apart == row.mean  # one setting is the best by the validation nodes of every split
    assert (row.published.mean, row.published.difference) == (80.0, -70.0)


def test_each_split_may_choose_by_its_own_validation_nodes(store: Store) -> None:
    study = table(OWN, "dropout = [0.0, 0.5]", "dropout = [0.5]")

    def validation(key: Key) -> float:
        ahead = key.settings["lr"] < 0.05 if place(key) else key.settings["lr"] > 0.05
        return 0.9 if ahead else 0.5

    invent(study, store, "GCN on High, tuned", validation, by("lr", {0.01: 0.3, 0.1: 0.6}))
    row = the_row(study, store, "tuned", "GCN/High")
    assert json.loads(str(row.settings))["lr"] == 0.01  # two of three splits
    assert (row.mean, row.chosen_apart) == (30.0, 40.0)


def test_equal_scores_are_told_apart_by_the_order_and_not_by_test(store: Store) -> None:
    study = table(OWN)
    title = "GCN on High, tuned"
    first = study.keys(task_of(study, store, title))[0].settings
    invent(study, store, title, constant(0.7), lambda key: 0.1 if key.settings == first else 0.9)
    row = the_row(study, store, "tuned", "GCN/High")
    assert json.loads(str(row.settings)).items() <= first.items()
    assert (row.mean, row.best_on_test) == (10.0, 90.0)


def test_the_row_of_published_settings(store: Store) -> None:
    study = table(OWN)
    invent(
        study,
        store,
        "GCN on High, same",
        HALF,
        lambda key: 0.7 + place(key) / 50,
    )
    row = the_row(study, store, "same")
    assert {
        name: row.cells()[name]
        for name in ("row", "column", "kind", "dataset", "model", "strategy", "splits", "score")
    } == {
        "row": "GCN",
        "column": "High",
        "kind": "same",
        "dataset": "example-high-pass",
        "model": "gcn",
        "strategy": "",
        "splits": "random",
        "score": "accuracy",
    }
    assert json.loads(str(row.settings)) == {"dropout": 0.2, "lr": 0.05}
    assert (row.runs, row.mean, row.scores, row.epochs) == (3, 72.0, "70.00 72.00 74.00", 11.0)
    assert (row.tried, row.best_on_test, row.diverged, row.quick) == (0, None, 0, False)
    data, parts = load("example-high-pass"), splits(load("example-high-pass"), "random", count=3, train=0.4)
    frequent = [data.y[part.val].mode().values for part in parts]
    shares = [(data.y[part.test] == most).double().mean() for part, most in zip(parts, frequent, strict=True)]
    assert row.majority == pytest.approx(100 * float(np.mean(shares)), abs=1e-3)
    assert (row.published.mean, row.published.deviation) == (75.0, 5.0)  # what stood beside the settings
    assert (row.published.difference, row.published.verdict) == (-3.0, AGREES)
    assert (row.rerun.mean, row.rerun.deviation, row.rerun.difference) == (60.0, None, 12.0)
    assert row.rerun.verdict == BETTER
    error = np.std([70, 72, 74], ddof=1) * np.sqrt(1 / 3 + 1 / 10)  # ten runs that differ as ours do
    assert row.rerun.low == pytest.approx(12 - student.ppf(0.975, 2) * error, rel=1e-3)
    assert list(row.cells())[-5:] == ["seconds", "allpass", "torch", "device", "ended"]


def test_the_deviation_is_that_of_the_protocol(store: Store) -> None:
    study = table(OWN)
    for title in ("GCN on High, tuned", "GCN on Low, tuned"):
        invent(study, store, title, HALF, lambda key: place(key) / 10)
    population, sample = study.results(Plan(("GCN", "tuned")), store)
    assert population.deviation == pytest.approx(np.std([0, 10, 20]), abs=1e-3)
    assert sample.deviation == pytest.approx(np.std([0, 10, 20], ddof=1), abs=1e-3)


def test_one_run_has_no_sample_deviation(store: Store) -> None:
    study = table(OWN, "count = 3", "count = 1")
    for title in ("GCN on High, tuned", "GCN on Low, tuned"):
        invent(study, store, title, HALF, constant(0.4))
    population, sample = study.results(Plan(("GCN", "tuned")), store)
    assert (population.runs, population.deviation, sample.deviation) == (1, 0.0, None)
    assert (population.published.low, population.published.verdict) == (None, INCOMPARABLE)
    assert population.published.difference == -40.0


def test_numbers_of_other_data_are_not_compared(store: Store) -> None:
    study = table(
        OWN, "rerun = [60.0, 1.0], settings", "published = [50.0, 1.0], rerun = [60.0, 1.0], settings"
    )
    for kind in ("same", "tuned"):
        invent(study, store, f"MLP, wide on Low, {kind}", HALF, lambda key: 0.6 + place(key) / 1000)
    same, tuned = study.results(Plan(("MLP, wide/Low",)), store)
    assert (same.dataset, same.published.verdict, same.rerun.verdict) == (
        "example-bipartite",
        BETTER,
        AGREES,
    )
    assert tuned.dataset == "example-limitation"
    assert {tuned.published.verdict, tuned.rerun.verdict} == {INCOMPARABLE}
    assert tuned.published.difference == same.published.difference == 10.1


def test_a_printed_number_that_cannot_be_compared_leaves_the_rerun_comparable(store: Store) -> None:
    study = table(OWN, "beside =", 'incomparable = "other splits", beside =')
    invent(
        study,
        store,
        "GCN on High, same",
        HALF,
        lambda key: 0.9 + place(key) / 100,
    )
    row = the_row(study, store, "same")
    assert (row.published.verdict, row.rerun.verdict) == (INCOMPARABLE, BETTER)


def test_a_run_that_diverged_counts_as_the_worst_and_is_told(store: Store) -> None:
    study = table(OWN, "lr = [0.01, 0.1], dropout = [0.0, 0.5]", "lr = [0.01, 0.1]")
    title = "GCN on High, tuned"
    keys = study.keys(task_of(study, store, title))
    best = keys[0].settings["lr"]  # by far, but for the one that diverged
    invent(
        study,
        store,
        title,
        lambda key: 0.9 if key.settings["lr"] == best else 0.7,
        HALF,
        {1: "diverged"},
    )
    row = the_row(study, store, "tuned", "GCN/High")
    assert json.loads(str(row.settings))["lr"] != best
    assert (row.diverged, row.mean) == (0, 50.0)


def test_where_all_diverged_that_is_the_row(store: Store) -> None:
    study = table(OWN)
    invent(
        study,
        store,
        "GCN on High, same",
        constant(math.nan),
        constant(math.nan),
        dict.fromkeys(range(3), "diverged"),
    )
    row = the_row(study, store, "same")
    assert (row.diverged, row.mean, row.validation, row.scores) == (3, 0.0, 0.0, "0.00 0.00 0.00")


def test_a_score_that_is_undefined_leaves_its_numbers_out(store: Store) -> None:
    study = table(OWN)
    invent(study, store, "GCN on High, same", HALF, constant(math.nan))
    row = the_row(study, store, "same")
    assert row.published.verdict == INCOMPARABLE
    assert (row.mean, row.deviation) == (None, None)
    assert (row.published.difference, row.published.low, row.rerun.difference) == (None, None, None)


def test_missing_runs_give_no_row(store: Store) -> None:
    study = table(OWN)
    title = "GCN on High, same"
    invent(study, store, title, without=2)
    assert study.results(Plan(("same",)), store) == []
    store.add(
        Run(
            key=study.keys(task_of(study, store, title))[2],
            scores={"val_score": 0.5, "val_loss": 0.5, "test_score": 0.5},
        )
    )
    assert len(study.results(Plan(("same",)), store)) == 1
    part = study.keys(task_of(study, store, "GCN on High, tuned"))
    store.add_many(Run(key=key, scores={"val_score": 1, "val_loss": 0, "test_score": 1}) for key in part[:-1])
    assert len(study.results(ALL, store)) == 1


def test_another_score_takes_the_place_of_accuracy(store: Store) -> None:
    plain, other = table(OWN), table(OWN, '"example-high-pass" }', '"example-high-pass", score = "roc_auc" }')
    titled = "GCN on High, same"
    task = task_of(other, store, titled)
    assert not set(other.keys(task)) & set(plain.keys(task_of(plain, store, titled)))
    invent(other, store, titled, HALF, constant(0.8))
    assert the_row(other, store, "same").score == "roc_auc"


def test_a_strategy_stands_in_task_and_row(store: Store) -> None:
    study = table(OWN, 'model = "gcn"', 'model = "gcn"\nstrategy = "union"')
    assert task_of(study, store, "GCN on High, same").about["strategy"] == "union"
    invent(study, store, "GCN on High, same")
    assert the_row(study, store, "same").strategy == "union"


def test_numbers_of_one_row_share_their_searches(store: Store) -> None:
    study = table(OTHERS)
    tasks = study.tasks(ALL, store)
    assert {task.title for task in tasks} == {
        *(f"GCN, searched on {column}" for column in ("A", "B1", "B2", "C")),
        *(f"MLP, searched on {column}" for column in ("A", "C")),
    }
    wanted = [key.identity for task in tasks for key in study.keys(task)]
    assert len(set(wanted)) == len(wanted)


def test_a_search_is_on_other_datasets_and_other_splits(store: Store) -> None:
    study = table(OTHERS)
    assert titles(study, store, "GCN/A") == [
        "GCN, searched on B1",
        "GCN, searched on B2",
        "GCN, searched on C",
    ]
    assert titles(study, store, "GCN/B1") == ["GCN, searched on A", "GCN, searched on C"]
    about = task_of(study, store, "GCN, searched on B2").about
    assert dict(about["protocol"]["splits"]) == {
        "name": "random",
        "count": 2,
        "train": 0.4,
        "val": 0.3,
        "seed": 1,
    }
    assert len(about["settings"]) == 3


RATES = {"B1": (0.9, 0.6, 0.5), "B2": (0.9, 0.6, 0.5), "C": (0.1, 0.6, 0.5)}
"""Validation scores for three learning rates: the first is the best on most columns, the second on most datasets."""


def test_a_row_may_go_without_a_search() -> None:
    study = table(OTHERS, 'model = "mlp-2"\n', 'model = "mlp-2"\nsearched = false\n')
    assert asked(study, "tuned") == [f"tuned GCN/{column}" for column in ("A", "B1", "B2", "C")]


def test_a_search_may_be_on_some_columns_alone(store: Store) -> None:
    study = table(OTHERS, "splits = 2\n", 'splits = 2\ncolumns = ["A", "B2"]\n')
    assert titles(study, store, "GCN/A") == ["GCN, searched on B2"]
    assert titles(study, store, "GCN/C") == ["GCN, searched on A", "GCN, searched on B2"]


def searched(study: TableStudy, store: Store, columns: Mapping[str, tuple[float, ...]]) -> None:
    for column, scores in columns.items():
        by_rate = dict(zip((0.01, 0.05, 0.1), scores, strict=True))
        title = f"GCN, searched on {column}"
        invent(study, store, title, by("lr", by_rate), by("lr", {0.01: 0.2, 0.05: 0.2, 0.1: 1.0}))


def test_the_setting_of_other_datasets_counts_each_of_them_once(store: Store) -> None:
    study = table(OTHERS)
    searched(study, store, RATES)
    assert task_of(study, store, "GCN on A, tuned").about["settings"] == ({"lr": 0.05},)


def test_the_reported_runs_come_when_all_searches_are_there(store: Store) -> None:
    study, last = table(OTHERS), "GCN on A, tuned"
    for column, scores in RATES.items():
        assert last not in titles(study, store, "GCN/A")
        searched(study, store, {column: scores})
    assert titles(study, store, "GCN/A")[-1] == last
    assert study.results(Plan(("GCN/A",)), store) == []
    invent(study, store, last, constant(0.3), lambda key: 0.7 + place(key) / 10)
    row = the_row(study, store, "GCN/A")
    assert (row.mean, row.tried, row.best_on_test) == (75.0, 3, None)
    assert (row.published.mean, row.published.difference) == (80.0, -5.0)
    assert titles(study, store, "GCN/C") == [
        "GCN, searched on A",
        "GCN, searched on B1",
        "GCN, searched on B2",
    ]


def test_a_search_without_all_of_its_runs_is_not_over(store: Store) -> None:
    study = table(OTHERS)
    searched(study, store, {column: RATES[column] for column in ("B1", "B2")})
    invent(study, store, "GCN, searched on C", without=5)
    assert "GCN on A, tuned" not in titles(study, store)


def test_a_quick_search_is_on_the_quick_columns(store: Store) -> None:
    study = table(OTHERS, "[tuned]", 'quick = ["A", "C"]\n[tuned]')
    found = {task.title: task for task in study.tasks(Plan(quick=True), store)}
    assert set(found) == {
        f"{row}, searched on {column}" for row, column in itertools.product(("GCN", "MLP"), "AC")
    }
    assert dict(found["GCN, searched on A"].about["protocol"]["splits"])["seed"] == 1


def test_a_table_is_done_from_nothing(store: Store) -> None:
    study, plan = table(OTHERS), Plan(("MLP",))
    assert len(performed(study, store, plan)) == 2 * 3 * 2
    assert len(performed(study, store, plan)) == 2 * 2
    assert performed(study, store, plan) == []
    rows = study.results(plan, store)
    assert [(row.column, row.runs, row.epochs) for row in rows] == [("A", 2, 3.0), ("C", 2, 3.0)]
    assert all(0 <= float(row.mean or 0) <= 100 for row in rows)


def test_other_seeds_are_told_by_means_over_splits_that_each_have_another_one(store: Store) -> None:
    """Of three splits and two seeds: 1, 2, 1 and 2, 1, 2. Their spread is no error of a mean: nothing is compared."""
    study = table(OWN, "[protocol]", '[seeds]\ncount = 2\ncells = ["GCN/High"]\n[protocol]')
    assert asked(study, "seeds") == ["seeds GCN/High"]
    assert not any("seeds" in name for name in asked(study, quick=True))
    assert asked(table(OWN)) == [name for name in asked(study) if "seeds" not in name]
    invent(study, store, "GCN on High, seeds", test=lambda key: 0.1 * key.seed + 0.01 * place(key))
    row = the_row(study, store, "seeds")
    assert (row.kind, row.scores, row.runs) == ("seeds", "14.33 17.67", 2)
    assert row.mean == 16.0
    assert {key.seed for key in study.keys(task_of(study, store, "GCN on High, seeds"))} == {1, 2}
    for name in ("published", "rerun"):
        compared = getattr(row, name)
        assert (compared.difference, compared.verdict) == (None, "")
