from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train.config import TrainingConfig
from allpass.train.executors import Local, cores
from allpass.train.executors.cores import chosen, one_thread, seconds, threads_for
from allpass.train.fit import job_of
from allpass.train.job import Job


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setattr(cores, "cpu_count", lambda: 8)
    x, A, y, _ = learnable_graph()
    data = Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y))
    return job_of("gcn", data, splits(data, "random", count=1), {}, 0, TrainingConfig(device="cpu"))


def test_all_cores_for_what_takes_long_and_this_process_for_what_does_not(job: Job) -> None:
    assert chosen([(job, 10)]) is None
    assert chosen([(job, 1000)]) == Local("cpu", 8)
    assert chosen([(job, 500), (job, 500)]) == Local("cpu", 8)
    assert chosen([]) is None


def test_what_is_asked_for_is_taken(job: Job) -> None:
    assert chosen([(job, 10)], workers=3) == Local("cpu", 3)
    assert chosen([(job, 1000)], workers=1) is None
    mine = Local("cpu", 5)
    assert chosen([(job, 1000)], executor=mine) is mine


def test_no_more_workers_than_fit_into_memory(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"SC_AVPHYS_PAGES": 10**6, "SC_PAGE_SIZE": 1500}
    monkeypatch.setattr(cores.os, "sysconf", pages.__getitem__)
    found = chosen([(job, 1000)])
    assert isinstance(found, Local)
    assert found.workers == 2  # 1.5 GB, and torch alone takes 0.4 of it
    pages["SC_AVPHYS_PAGES"] = 10
    assert chosen([(job, 1000)]) is None


def test_one_thread_unless_the_graph_fills_the_memory(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with threads_for(job):
            assert torch.get_num_threads() == 1
        monkeypatch.setattr(cores.os, "sysconf", lambda name: 10)
        with threads_for(job):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_more_runs_more_epochs_and_a_larger_graph_take_longer(job: Job) -> None:
    assert seconds([(job, 20)]) == pytest.approx(2 * seconds([(job, 10)]))
    short = job_of("gcn", job.data, [job.wanted[0].split], {}, 0, TrainingConfig(epochs=5))
    assert seconds([(short, 10)]) < seconds([(job, 10)])
    wide = job.data.clone()
    wide.x = torch.ones(120, 500)
    assert seconds([(job_of("gcn", wide, [job.wanted[0].split], {}, 0), 10)]) > seconds([(job, 10)])
