"""Processes that write to a store at once, or are killed while they do: the scenes of test_store.py."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from tests.train.scenes import serve

from allpass.train.runs import database
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store


def key(number: int, **changes: object) -> Key:
    given: dict[str, object] = {
        "dataset": "texas",
        "fingerprint": "63e7",
        "model": "gcn",
        "settings": {"lr": 0.01, "number": number},
        "split": f"random/{number % 10}",
        "split_hash": "a1",
        "seed": 0,
        "protocol": {"stopping": "patience"},
    }
    return Key(**(given | changes))  # type: ignore[arg-type]


def run(number: int, **changes: object) -> Run:
    given: dict[str, object] = {
        "key": key(number),
        "epoch": number,
        "epochs": 2 * number,
        "scores": {"val_loss": number / 7, "test_score": 0.5},
        "curves": {"val_loss": [number / k for k in range(1, 101)]},
    }
    return Run(**(given | changes))  # type: ignore[arg-type]


def start(work: Callable[[int], None]) -> tuple[int, int]:
    """A child that does the work; its number and the end of a pipe on which it reports."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(sink)
        finally:
            os._exit(0)
    os.close(sink)
    return child, source


def report(source: int) -> list[int]:
    with os.fdopen(source, "rb") as pipe:
        return [int(line) for line in pipe.read().split()]


def line(source: int) -> list[int]:
    """The next number that is reported; nothing where no more comes."""
    digits = b""
    while (byte := os.read(source, 1)) not in (b"", b"\n"):
        digits += byte
    return [int(digits)] if digits else []


def fill(path: Path, numbers: list[int], sink: int, most: int | None = None) -> None:
    """Add what is missing, or some of it, and say so after each."""
    with Store(path) as store:
        wanted = {key(number): number for number in numbers}
        for item in store.missing(wanted)[:most]:
            if store.add(run(wanted[item])):
                os.write(sink, b"%d\n" % wanted[item])


def killed(path: Path, times: int, log: int = 1) -> None:
    """A writer killed at random moments; what it reported has to be there, once, in a sound file."""
    if not log:
        database._use_log = lambda connection: None  # as where the file system cannot have one
    dice, reported, struck, numbers = random.Random(0), list[int](), 0, list(range(300))

    def work(sink: int) -> None:
        fill(path, numbers, sink, most=14)  # so that some is left for everyone
        signal.pause()

    while struck < times:
        child, source = start(work)
        seen = [number for _ in range(dice.randrange(10) if struck > 4 else 0) for number in line(source)]
        time.sleep(dice.uniform(0, 0.02))  # at first the file is being made, later a run is being added
        os.kill(child, signal.SIGKILL)
        struck += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        reported += seen + report(source)
        if not path.exists():
            continue  # killed before it began
        with Store(path) as store:
            stored = [item.key.settings["number"] for item in store.runs()]
        assert len(stored) == len(set(stored))
        assert set(reported) <= set(stored)
        assert len(set(stored) - set(reported)) <= struck  # stored, but killed before it could say so
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
    assert len(reported) == len(set(reported)) > 0
    fill(path, numbers, os.open(os.devnull, os.O_WRONLY))
    with Store(path) as store:
        found = {item.key.settings["number"]: item for item in store.runs()}
    assert sorted(found) == numbers
    assert all(found[number].agrees(run(number)) for number in numbers)  # as undisturbed


def together(path: Path, writers: int, count: int) -> None:
    """Writers with the same runs and with runs of their own, all from an empty file."""

    def work(sink: int, writer: int) -> None:
        with Store(path) as store:
            for number in range(count):
                for item in (number, 1000 * (writer + 1) + number):
                    if store.add(run(item)):
                        os.write(sink, b"%d\n" % item)

    children = [start(lambda sink, writer=writer: work(sink, writer)) for writer in range(writers)]  # type: ignore[misc]
    added = [number for _, source in children for number in report(source)]
    assert [os.waitpid(child, 0)[1] for child, _ in children] == [0] * writers
    assert len(added) == len(set(added)) == count * (writers + 1)  # each added by exactly one
    with Store(path) as store:
        assert sorted(found.key.settings["number"] for found in store.runs()) == sorted(added)


def shared(path: Path, writers: int, count: int) -> None:
    """Writers that claim before they work: no run is done twice."""

    def work(sink: int) -> None:
        wanted = {key(number): number for number in range(count)}
        with Store(path) as store:
            while left := store.missing(wanted):
                for item in store.claim(left[:3]):
                    os.write(sink, b"%d\n" % wanted[item])
                    time.sleep(0.001)
                    store.add(run(wanted[item]))

    children = [start(work) for _ in range(writers)]
    worked = [number for _, source in children for number in report(source)]
    assert sorted(worked) == list(range(count))
    for child, _ in children:
        os.waitpid(child, 0)


def lapsed(path: Path) -> None:
    """The claims of a killed process are free at once, those of one at work are not."""

    def work(sink: int) -> None:
        store = Store(path)
        os.write(sink, b"%d\n" % len(store.claim([key(1), key(2)])))
        time.sleep(60)

    child, source = start(work)
    assert os.read(source, 10) == b"2\n"
    with Store(path) as store:
        assert store.claim([key(0), key(1), key(2)]) == [key(0)]
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert store.claim([key(1), key(2)]) == [key(1), key(2)]


def forked(path: Path) -> None:
    """A store that a child inherits is refused there, and goes on in the parent."""
    from allpass.errors import InputError

    with Store(path) as store:

        def work(sink: int) -> None:
            try:
                store.add(run(1))
            except InputError as error:
                os.write(sink, b"1" if "another process" in str(error) else b"0")

        child, source = start(work)
        assert report(source) == [1]
        os.waitpid(child, 0)
        assert store.add(run(2))


if __name__ == "__main__":
    serve({"killed": killed, "together": together, "shared": shared, "lapsed": lapsed, "forked": forked})
