"""What every study owes to the driver, whatever it is about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from allpass.errors import InputError, UnknownNameError
from allpass.papers.catalogue import STUDIES
from allpass.papers.study import OfStudy, Plan
from allpass.train.runs.store import Store

QUICK = Plan(quick=True)
every = pytest.mark.parametrize("name", STUDIES)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture
def at_hand(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All datasets can be read."""
    monkeypatch.setenv("ALLPASS_DATA", str(data_dir))


def test_every_file_is_that_of_a_study() -> None:
    folder = resources.files("allpass.papers") / "specs"
    files = {path.name for path in folder.iterdir() if path.is_file()}
    assert files <= {f"{name}.toml" for name in STUDIES}


def test_an_unknown_study_is_answered_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"There is no study 'acm-fixd'\. Did you mean 'acm-fixed'"):
        STUDIES["acm-fixd"]
    assert "acm-fixd" not in STUDIES


@every
def test_it_says_what_it_is(name: str) -> None:
    study = STUDIES[name]
    assert study.id == name
    names = [one.lower() for names in study.axes().values() for one in names]
    assert names
    assert len(set(names)) == len(names)
    assert len(study.words.findings) <= 10
    for name, words in vars(study.words).items():
        assert words or name == "verdict_first"


@every
@pytest.mark.usefixtures("at_hand")
def test_tasks_travel_and_differ(name: str, store: Store) -> None:
    study = STUDIES[name]
    tasks = study.tasks(QUICK, store)
    assert tasks
    assert len({task.title for task in tasks}) == len(tasks)
    for task in tasks:
        keys = study.keys(task)
        assert keys
        assert len(set(keys)) == len(keys)
        assert study.keys(replace(task, about=json.loads(json.dumps(task.about)))) == keys
        assert (task.work, task.left) == (OfStudy(name), ())
        assert 0 <= task.gpu <= 1


@every
@pytest.mark.usefixtures("at_hand")
def test_an_empty_store_has_no_rows(name: str, store: Store) -> None:
    assert STUDIES[name].results(QUICK, store) == []


@every
def test_each_cell_can_be_asked_for_in_any_case(name: str, store: Store) -> None:
    study = STUDIES[name]
    cell = next(iter(study.axes().values()))[0]
    asked = {task.title for task in study.tasks(Plan((cell,), quick=True), store)}
    assert asked == {task.title for task in study.tasks(Plan((cell.swapcase(),), quick=True), store)}


@every
def test_a_cell_that_is_not_there_is_answered(name: str, store: Store) -> None:
    study = STUDIES[name]
    cell = max((one for names in study.axes().values() for one in names), key=len)
    for ask in (study.tasks, study.results):
        with pytest.raises(InputError) as refusal:
            ask(Plan((cell[:-1] + "_",)), store)
        assert repr(cell[:-1] + "_") in refusal.value.problem
        assert cell in refusal.value.cure or "--list" in refusal.value.cure
