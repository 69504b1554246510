from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
import sys

import pytest

from allpass.train.runs.claims import Owner, drop, drop_all, take
from allpass.train.runs.database import connect


@pytest.fixture
def connection(tmp_path):
    opened = connect(tmp_path / "runs.db", patience=5)
    yield opened
    opened.close()


def held(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT identity, owner FROM claims"))


def test_a_claim_holds_until_it_expires(connection):
    one, other = Owner(), Owner()
    assert take(connection, "a", one, now=0, expires=10)
    assert not take(connection, "a", other, now=5, expires=15)
    assert take(connection, "b", other, now=5, expires=15)
    assert take(connection, "a", one, now=9, expires=19)  # longer
    assert not take(connection, "a", other, now=15, expires=25)
    assert take(connection, "a", other, now=20, expires=30)
    assert held(connection) == {"a": other.name, "b": other.name}


def test_only_the_owner_gives_back(connection):
    one, other = Owner(), Owner()
    for identity in ("a", "b", "c"):
        take(connection, identity, one, now=0, expires=10)
    drop(connection, "a", other)
    drop_all(connection, other)
    assert set(held(connection)) == {"a", "b", "c"}
    drop(connection, "a", one)
    assert set(held(connection)) == {"b", "c"}
    drop_all(connection, one)
    assert held(connection) == {}


def ended_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


@pytest.mark.skipif(os.name != "posix", reason="asks the system for a process")
def test_who_is_gone():
    assert not Owner().gone()
    assert Owner(name="earlier-0").gone()  # this process's number, but not this process
    assert Owner(process=ended_process()).gone()
    assert not Owner(process=os.getppid()).gone()
    assert not Owner(process=1).gone()  # also where one may not send it a signal
    assert not Owner(host=platform.node() + "-other", process=ended_process()).gone()


def test_the_claim_of_an_ended_process_is_free(connection):
    assert take(connection, "a", Owner(process=ended_process(), name="x"), now=0, expires=1e9)
    assert take(connection, "a", Owner(), now=0, expires=1e9)


def test_names_differ():
    assert len({Owner().name for _ in range(100)}) == 100
