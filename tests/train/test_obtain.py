"""Runs come from a store, this process or an executor with the same numbers, each once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.errors import AllpassError, InputError
from allpass.testing import learnable_graph
from allpass.train.compare import compare
from allpass.train.config import TrainingConfig
from allpass.train.executors import Local
from allpass.train.fit import job_of
from allpass.train.obtain import Wish, obtain
from allpass.train.rules.stopping import stopping
from allpass.train.runs.store import Store
from allpass.train.sweep import sweep
from allpass.train.travelling import JobWork

RULE = stopping("fixed", max_epochs=5)
MODELS = ["mlp-2", "gcn", "trees"]


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y), name="learnable")


def test_the_numbers_do_not_depend_on_the_executor(data: Data, tmp_path: Path) -> None:
    folds, found, swept = splits(data, "random", count=3), [], []
    space = {"lr": tuple(0.01 * k for k in range(1, 7))}
    for name, workers in {"one": 1, "two": 2}.items():
        with Store(tmp_path / f"{name}.db") as store:
            found.append(compare(MODELS, data, folds, store=store, workers=workers, stop=RULE))
            swept.append(sweep(store, "gcn", data, folds, space, workers=workers, stop=RULE))
            names = Counter(run.key.identity for run in store.runs())
        assert set(names.values()) == {1}
    found.append(compare(MODELS, data, folds, executor=Local(workers=2), stop=RULE))  # without a store
    for one in found[1:]:
        for mine, theirs in zip(one.contenders, found[0].contenders, strict=True):
            assert (mine.scores, mine.validation, mine.epochs) == (
                theirs.scores,
                theirs.validation,
                theirs.epochs,
            )
            assert mine.settings == theirs.settings
    assert swept[0].trials == swept[1].trials


def test_every_run_is_stored_once_in_the_order_of_the_wishes(data: Data, tmp_path: Path) -> None:
    job = job_of(
        "gcn",
        data,
        splits(data, "random", count=2),
        [{"lr": 0.01}, {"lr": 0.1}],
        [0, 1],
        TrainingConfig(stop=RULE),
    )
    numbers, seen = [6, 1, 3], []
    with Store(tmp_path / "runs.db") as store:
        store.add_many(obtain([Wish(job, [3])])[0])
        (runs,) = obtain([Wish(job, numbers)], store=store, executor=Local(), on_progress=seen.append)
        assert [run.key for run in runs] == [job.key(number) for number in numbers]
        assert len(store) == 3
    assert [(reached.ended, reached.runs) for reached in seen] == [(2, 3), (3, 3)]


def test_an_error_of_a_worker_is_told_and_what_had_ended_is_kept(data: Data, tmp_path: Path) -> None:
    folds = splits(data, "random", count=2)
    with Store(tmp_path / "runs.db") as store:
        with pytest.raises(AllpassError, match="class_weight for 'label-propagation'"):
            compare(
                ["gcn", "label-propagation"],
                data,
                folds,
                store=store,
                executor=Local(),
                stop=RULE,
                class_weight="balanced",
            )
        assert len(store) == 2


def test_a_job_travels_once_and_does_what_it_is_asked(data: Data) -> None:
    job = job_of("gcn", data, splits(data, "random", count=3), {}, 0, TrainingConfig(stop=RULE))
    work = JobWork.of(job)
    assert JobWork.of(job) is work
    threads = torch.get_num_threads()
    runs = [run for part in work(work.task("gcn", [2, 0]), "cpu") for run in part]
    assert torch.get_num_threads() == threads
    assert [run.key for run in runs] == [job.key(2), job.key(0)]
    assert len(work.task("gcn", range(640)).left) == 640
    assert work.task("gcn", range(640)).piece == 10


def test_what_cannot_travel_is_refused(data: Data) -> None:
    job = job_of("gcn", data, splits(data, "random", count=1), {}, 0)
    job.wrap = lambda network: network
    with pytest.raises(InputError, match=r"wrap= for an executor.*workers=1"):
        JobWork.of(job)
    with pytest.raises(InputError, match="workers = 2 beside executor="):
        compare(["gcn"], data, splits(data, "random", count=1), workers=2, executor=Local())
    with pytest.raises(InputError, match="workers=0"):
        compare(["gcn"], data, splits(data, "random", count=1), workers=0)
