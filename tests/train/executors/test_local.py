from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.train.executors.tiny import Tiny, acts, check_events, numbers_of, trains

from allpass.errors import DeviceError, InputError
from allpass.papers.runner import reproduce
from allpass.papers.study import OfStudy, Plan
from allpass.papers.tables.protocol import Protocol
from allpass.papers.tables.trainings import Trainings
from allpass.train.executors import Local, Task
from allpass.train.executors.executor import events, held
from allpass.train.executors.local import Alone
from allpass.train.runs.store import Store


def test_one_worker_is_this_process_and_keeps_the_order() -> None:
    tasks = [acts("first"), acts("refused", end="refusal"), acts("failed", end="error"), acts("last")]
    found = list(Local().run(tasks))
    assert [(event.number, len(event.runs), event.error) for event in found] == [
        *[(0, 1, ""), (0, 1, ""), (0, 0, "")],
        *[(1, 1, ""), (1, 0, "Got 3. Expected 4.")],
        *[(2, 1, ""), (2, 0, "ZeroDivisionError: division by zero")],
        *[(3, 1, ""), (3, 1, ""), (3, 0, "")],
    ]
    assert {run.versions["process"] for event in found for run in event.runs} == {str(os.getpid())}


def test_runs_come_as_they_end() -> None:
    events = Local().run([acts("first"), acts("long", runs=1000, pause=0.001)])
    assert [next(events).number for _ in range(5)] == [0, 0, 0, 1, 1]


def test_a_study_is_found_by_its_id() -> None:
    (event,) = Local().run([Task(OfStudy("tiny"), "unknown to the catalogue")])
    assert event.error.startswith("There is no study 'tiny'")


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_there_is_a_worker(workers: object) -> None:
    with pytest.raises(InputError, match=r"Got workers = .* Expected a whole number, 1 or more"):
        Local(workers=workers)  # type: ignore[arg-type]


def test_no_tasks_are_done_at_once() -> None:
    assert list(Local(workers=2).run([])) == []
    assert multiprocessing.active_children() == []


def test_a_task_whose_worker_dies_is_begun_again(tmp_path: Path) -> None:
    found = check_events(Local(workers=2), tmp_path)
    (error,) = (event.error for event in found if "begun 3 times" in event.error)
    assert error.endswith("The last one was killed by SIGKILL; where memory ran out, fewer workers help.")
    came = Counter(run.key.model for event in found for run in event.runs if run.key.seed == 0)
    assert came == {"fine": 1, "refused": 1, "failed": 1, "struck": 2, "robbed": 2, "deadly": 3, "long": 1}
    assert {run.versions["threads"] for event in found for run in event.runs} == {"1"}
    assert multiprocessing.active_children() == []


def test_a_cpu_with_a_number_is_a_cpu() -> None:
    tasks = [acts("first", runs=1), acts("second", runs=1)]
    found = list(Local("cpu:0", workers=2).run(tasks))
    assert {event.error for event in found} == {""}
    assert {event.number for event in found if event.ended} == {0, 1}


def test_workers_work_at_the_same_time_and_end_when_nobody_listens() -> None:
    tasks = [acts(f"task {number}", runs=1000, pause=0.05) for number in range(3)]
    events = Local(workers=2).run(tasks)
    seen = set()
    while len(seen) < 2:
        event = next(events)
        seen.add((event.number, *(run.versions["process"] for run in event.runs)))
    assert {number for number, _ in seen} == {0, 1}
    events.close()
    assert multiprocessing.active_children() == []
    assert not any(_alive(int(process)) for _, process in seen)


def test_an_exit_in_a_task_is_told() -> None:
    found = list(Local(workers=2).run([acts("leaves", runs=1, end="exit")]))
    assert found[-1].error.endswith(
        "The last one left with exit status 3; it may have said why on the terminal."
    )


def test_the_numbers_do_not_hang_on_who_computes_them(tmp_path: Path) -> None:
    protocol = Protocol(splits={"name": "random", "count": 2}, stop={"name": "gprgnn", "max_epochs": 3})
    study = Tiny(
        [trains(model, Trainings("cora", model, protocol, ({"lr": 0.01},))) for model in ("sgc-1", "gcn")]
    )
    rows = []
    for executor in (Local(), Local(workers=2)):
        with Store(tmp_path / f"{executor.workers}.db") as store:
            assert reproduce(study, store, executor) == []
            rows.append(numbers_of(study.results(Plan(), store)))
    assert len(rows[0]) == 4
    assert rows[0] == rows[1]


def test_a_device_that_is_lost_ends_more_than_a_task() -> None:
    """Nothing can be read from a meta tensor, as from a GPU after a fault."""
    found = events(0, acts("fails", end="error"), "meta")
    assert len(next(found).runs) == 1
    with pytest.raises(
        DeviceError, match=r"The device 'meta' does nothing more .*: ZeroDivisionError: .* again"
    ):
        next(found)
    assert [event.error for event in events(0, acts("fine"), "meta")] == ["", "", ""]


@pytest.mark.gpu
def test_a_task_whose_gpu_faults_is_begun_again(tmp_path: Path) -> None:
    task = acts("faults", end="one fault", mark=str(tmp_path / "faulted"))
    found = list(Local("cuda", workers=2).run([task, acts("fine")]))
    assert {event.error for event in found if event.ended} == {""}
    came = Counter(run.key.model for event in found for run in event.runs)
    assert came == {"faults": 3, "fine": 2}


@pytest.mark.gpu
def test_workers_share_a_gpu(tmp_path: Path) -> None:
    protocol = Protocol(splits={"name": "random", "count": 4}, stop={"name": "gprgnn", "max_epochs": 3})
    study = Tiny(
        [trains(model, Trainings("cora", model, protocol, ({"lr": 0.01},))) for model in ("sgc-1", "gcn")]
    )
    with Store(tmp_path / "runs.db") as store:
        assert reproduce(study, store, Local("cuda", workers=2)) == []
        assert {run.status for run in store.runs()} == {"done"}
        assert len(store) == 8


def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["begun", "2 runs"]), done.stderr


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_parent(sent: signal.Signals) -> None:
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with driver:
        assert driver.stdout is not None
        workers = json.loads(driver.stdout.readline())
        assert len(workers) == 2
        if sent == signal.SIGINT:
            os.killpg(driver.pid, sent)  # as a terminal does
        else:
            driver.kill()
        _, said = driver.communicate(timeout=30)
    assert driver.returncode == -sent
    assert said.count("Traceback") == (1 if sent == signal.SIGINT else 0), said
    deadline = time.monotonic() + 10
    while any(_alive(worker) for worker in workers):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)


SCRIPT = """
print("begun", flush=True)
from allpass import compare
from allpass.data import planted_partition, splits

data = planted_partition(60, num_classes=2, average_degree=4, homophily=0.9, num_features=4, seed=0)
found = compare(["gcn"], data, splits(data, "random", count=2), workers=2, epochs=2)
print(len(found["gcn"].scores), "runs")
"""

DRIVER = """
import json
import signal
from tests.train.executors.tiny import acts
from allpass.train.executors import Local, Task

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background begins without one
tasks = [acts(f"task {number}", runs=1000, pause=0.05) for number in range(2)]
workers = set()
for event in Local(workers=2).run(tasks):
    before = len(workers)
    workers |= {int(run.versions["process"]) for run in event.runs}
    if before < len(workers) == 2:
        print(json.dumps(sorted(workers)), flush=True)
"""


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_processes_stay_for_the_next_round_while_they_are_held() -> None:
    with held(Local(workers=2)) as ready:
        assert ready is not None
        rounds = [
            {run.versions["process"] for event in ready.run([acts("a"), acts("b")]) for run in event.runs}
            for _ in range(2)
        ]
        half = ready.run([acts("c", runs=1000, pause=0.05)])
        next(half)
        half.close()  # what was under way ends
        assert len(list(ready.run([acts("d", runs=1), acts("e", runs=1)]))) == 4
    assert rounds[0] == rounds[1]
    assert multiprocessing.active_children() == []


def test_what_cannot_be_held_is_itself() -> None:
    plain = Alone("cpu")
    with held(plain) as ready, held(None) as nothing:
        assert ready is plain
        assert nothing is None
