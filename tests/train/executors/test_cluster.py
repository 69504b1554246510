from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.train.executors.tiny import Doomed, Tiny, acts, check_events, numbers_of, trains
from torch_geometric.data import Data

import allpass
from allpass.data import splits
from allpass.errors import InputError, MissingExtraError
from allpass.papers.runner import reproduce
from allpass.papers.study import Plan
from allpass.papers.tables.protocol import Protocol
from allpass.papers.tables.trainings import Trainings
from allpass.testing import learnable_graph
from allpass.train.compare import compare
from allpass.train.executors import Event, Local, RayCluster, Task
from allpass.train.executors.cluster import largest_first
from allpass.train.runs.store import Store

MEMORY = 80 * 2**20
"""The least that Ray accepts for the objects of a machine."""

SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 3,
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A real cluster, of one machine with one CPU at first."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "object_store_memory": MEMORY, "include_dashboard": False, "_system_config": SOON}
    started = Cluster(initialize_head=True, head_node_args=head)
    yield started
    started.shutdown()


@contextmanager
def machine(cluster: Any, cpus: int = 1, **about: Any) -> Iterator[Any]:
    """One machine more; a test may take it away earlier."""
    node = cluster.add_node(num_cpus=cpus, object_store_memory=MEMORY, **about)
    yield node
    if node in cluster.worker_nodes:
        cluster.remove_node(node)


@dataclass
class Watched:
    """An executor whose events are kept, and shown to somebody as they come."""

    executor: RayCluster
    look: Callable[[Event], None]
    seen: list[Event] = field(default_factory=list)

    def run(self, tasks: Sequence[Task]) -> Iterator[Event]:
        for event in self.executor.run(tasks):
            self.seen.append(event)
            yield event
            self.look(event)


def test_a_machine_lost_in_mid_run_costs_nothing(cluster: Any, tmp_path: Path, capfd: Any) -> None:
    study = Tiny([acts(f"task {number}", runs=4, pause=0.2) for number in range(8)])
    lost: list[int] = []

    def strike(event: Event) -> None:
        for run in event.runs:
            if not lost and run.versions["machine"] == "doomed":
                lost.append(event.number)
                os.kill(int(run.versions["process"]), signal.SIGKILL)
                cluster.remove_node(doomed, allow_graceful=False)

    with (
        machine(cluster, env_vars={"MACHINE": "doomed"}) as doomed,
        Store(tmp_path / "runs.db") as store,
    ):
        capfd.readouterr()
        watched = Watched(RayCluster(cluster.address), strike)
        assert reproduce(study, store, watched) == []
        stored = Counter(run.key.identity for run in store.runs())
    assert capfd.readouterr() == ("", "")
    assert stored == {key.identity: 1 for task in study.given for key in study.keys(task)}
    came = Counter(run.key.identity for event in watched.seen for run in event.runs)
    assert came[study.keys(study.given[lost[0]])[0].identity] == 2  # it was under way, and was begun again


def learnable() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y), name="learnable")


def test_a_comparison_on_a_cluster_has_the_numbers_of_this_process(cluster: Any, tmp_path: Path) -> None:
    data = learnable()
    folds = splits(data, "random", count=2)
    here, there = (
        compare(["mlp-2", "gcn"], data, folds, executor=executor, epochs=3)
        for executor in (Local(), RayCluster(cluster.address))
    )
    assert [one.scores for one in here.contenders] == [one.scores for one in there.contenders]


@dataclass
class Hanging:
    """An executor whose work hangs on the machine ``doomed``."""

    executor: RayCluster
    folder: Path

    def run(self, tasks: Sequence[Task]) -> Iterator[Event]:
        return self.executor.run([replace(task, work=Doomed(task.work, str(self.folder))) for task in tasks])


@pytest.mark.slow
def test_a_comparison_survives_a_machine_that_is_lost(cluster: Any, tmp_path: Path) -> None:
    """Two machines, one killed in mid-run: every run once, and the numbers of this process."""
    data, models, struck = learnable(), ["mlp-2", "gcn", "trees"], []
    folds = splits(data, "random", count=10)
    marks = tmp_path / "marks"
    marks.mkdir()

    def strike() -> None:
        while not (found := list(marks.iterdir())):
            time.sleep(0.05)
        struck.extend(found)
        os.kill(int(found[0].name), signal.SIGKILL)
        cluster.remove_node(doomed, allow_graceful=False)

    with machine(cluster, env_vars={"MACHINE": "doomed"}) as doomed, Store(tmp_path / "runs.db") as store:
        striker = Thread(target=strike, daemon=True)
        striker.start()
        executor = Hanging(RayCluster(cluster.address), marks)
        found = compare(models, data, folds, store=store, executor=executor, epochs=30)
        striker.join(timeout=60)
        stored = Counter(run.key.identity for run in store.runs())
    assert struck
    assert len(stored) == 30
    assert set(stored.values()) == {1}
    alone = compare(models, data, folds, workers=1, epochs=30)
    assert [one.scores for one in found.contenders] == [one.scores for one in alone.contenders]


def test_the_cluster_tells_what_this_process_does(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLPASS_DATA", "some/folder")
    drawn = {"name": "random", "count": 2, "train": 0.4}
    protocol = Protocol(splits=drawn, stop={"name": "gprgnn", "max_epochs": 3})
    trainings = Trainings("example-bipartite", "gcn", protocol, ({"lr": 0.01}, {"lr": 0.02}))
    good, bad = (
        [trains("gcn", trainings)],
        [acts("refused", end="refusal"), acts("failed", end="error"), acts("fine")],
    )
    told = []
    for name, executor in {
        "here": Local(),
        "there": RayCluster(cluster.address),
    }.items():
        with Store(tmp_path / f"{name}.db") as store:
            failures = reproduce(Tiny([*good, *bad]), store, executor)
            told.append(
                (sorted(str(failure) for failure in failures), numbers_of(Tiny(good).results(Plan(), store)))
            )
            (run, _) = store.runs(model="fine")
    assert len(told[0][0]) == 2
    assert len(told[0][1]) == 4
    assert told[0] == told[1]
    assert (run.versions["device"], run.versions["threads"]) == ("cpu", "1")
    assert run.versions["data"] == str(Path.cwd() / "some/folder")


def test_the_largest_tasks_are_handed_in_first() -> None:
    """By the share of a GPU, then by the runs that are left."""
    few, more = (replace(acts("half", gpu=0.5), left=left) for left in (("a",), ("a", "b")))
    assert largest_first([few, acts("whole", gpu=1.0), more]) == [1, 2, 0]


def test_small_tasks_share_a_gpu_and_a_large_one_has_it_alone(cluster: Any, tmp_path: Path) -> None:
    tasks = [acts(f"small {number}", runs=1, gpu=0.5, meet=str(tmp_path)) for number in range(2)]
    tasks.append(acts("large", runs=1, gpu=1.0, pause=0.5))
    with machine(cluster, cpus=3, num_gpus=1, env_vars={"MACHINE": "gpu"}):
        found = list(RayCluster(cluster.address).run(tasks))
    assert not any(event.error for event in found)  # so the small ones have met
    runs = {event.number: run for event in found for run in event.runs}
    assert {(run.versions["machine"], run.versions["device"]) for run in runs.values()} == {("gpu", "cuda")}
    *small, large = (runs[number].scores for number in range(3))
    for one in small:  # whichever the cluster began first
        assert large["ended"] <= one["began"] or one["ended"] <= large["began"]


def test_a_machine_without_allpass_is_named(cluster: Any, tmp_path: Path) -> None:
    package = tmp_path / "allpass"
    package.mkdir()
    (package / "__init__.py").write_text("""raise ModuleNotFoundError("No module named 'allpass'")""")
    with machine(cluster, num_gpus=1, env_vars={"PYTHONPATH": str(tmp_path)}) as bare:
        (event,) = RayCluster(cluster.address).run([acts("homeless")])
    assert event.ended
    assert event.error == (
        f"On the machine {bare.node_ip_address}: ModuleNotFoundError: No module named 'allpass'. "
        f"Install there what this machine has, by pip install 'allpass[ray]=={allpass.__version__}'."
    )


def test_a_task_whose_process_dies_is_begun_again(cluster: Any, tmp_path: Path) -> None:
    with machine(cluster):  # a process that begins imports for seconds, and here five have to: two at a time
        found = check_events(RayCluster(cluster.address), tmp_path)
    (error,) = (event.error for event in found if "begun 3 times" in event.error)
    assert "The worker died unexpectedly" in error


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:9", "No Ray cluster answers at 127.0.0.1:9 .* Start one there by 'ray start --head'"),
        (
            "ray://10.0.0.1:10001",
            "Got the address 'ray://10.0.0.1:10001'. Expected what 'ray start --head' prints",
        ),
        ("10.0.0.1", "Got the address '10.0.0.1'. Expected what .* prints, such as 10.0.0.1:6379"),
    ],
)
def test_no_cluster_there(address: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        next(RayCluster(address).run([acts("nowhere")]))


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"The executor 'ray' needs .* pip install 'allpass\[ray\]'"):
        next(RayCluster().run([acts("nowhere")]))
