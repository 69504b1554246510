from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

import pytest

from allpass.errors import AllpassError, InputError, MissingFileError
from allpass.train.runs import database
from allpass.train.runs.database import MARK, VERSION, StoreError, connect, explained, patiently, transaction


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "runs.db"


def opened(path: Path, **options) -> sqlite3.Connection:
    return connect(path, **{"patience": 5.0, **options})


def make(path: Path) -> None:
    opened(path).close()


def raw(path: Path, *statements: str) -> list[tuple]:
    connection = sqlite3.connect(path, isolation_level=None)
    found = [connection.execute(statement).fetchall() for statement in statements][-1]
    connection.close()
    return found


def test_a_new_file_has_its_marks(path):
    connection = opened(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
    connection.close()
    assert path.read_bytes()[68:72] == b"alpS"  # where SQLite keeps the application id
    assert raw(path, "PRAGMA application_id") == [(MARK,)]
    assert raw(path, "PRAGMA user_version") == [(VERSION,)]
    assert [item.name for item in path.parent.iterdir()] == ["runs.db"]


@pytest.mark.parametrize("name", ["with space.db", "50%3F?#&.db", "été ☃.db", "'quoted\".db"])
def test_names_of_files(tmp_path, name):
    make(tmp_path / name)
    make(tmp_path / name)
    assert [item.name for item in tmp_path.iterdir()] == [name]


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    make(path)
    assert raw(path, "PRAGMA application_id") == [(MARK,)]


def test_a_file_system_without_shared_memory(path, monkeypatch):
    address = database._address
    monkeypatch.setattr(
        database, "_address", lambda path, options: address(path, options) + "&vfs=unix-dotfile"
    )
    connection = opened(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    assert raw(path, "PRAGMA application_id") == [(MARK,)]


def refused(path: Path, **options) -> StoreError:
    before = path.read_bytes()
    with pytest.raises(StoreError) as refusal:
        opened(path, **options)
    assert str(path) in refusal.value.problem
    assert refusal.value.cure
    assert path.read_bytes() == before  # a file of others is left as it is
    return refusal.value


@pytest.mark.parametrize(
    "content", [b"x", b"x" * 99, b"x" * 511, b"x" * 512, b"hello, world\n" * 1000, bytes(5000)]
)
@pytest.mark.parametrize("read_only", [False, True])
def test_no_sqlite_file(path, content, read_only):
    path.write_bytes(content)
    assert "no SQLite file" in refused(path, read_only=read_only).problem


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_another_program(path, read_only):
    raw(path, "CREATE TABLE songs (name)")
    assert "another program" in refused(path, read_only=read_only).problem
    raw(path, "PRAGMA application_id = 7", f"PRAGMA user_version = {VERSION}")
    assert "another program" in refused(path, read_only=read_only).problem


def test_a_store_of_a_newer_version(path):
    make(path)
    raw(path, f"PRAGMA user_version = {VERSION + 1}")
    error = refused(path)
    assert str(VERSION + 1) in error.problem
    assert "Update" in error.cure


def test_a_damaged_file(path):
    make(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    connection = opened(path)
    with pytest.raises(StoreError, match="damaged"), explained(path):
        connection.execute("INSERT INTO claims VALUES ('a', 'b', 1, 'c', 2)")
    connection.close()
    path.write_bytes(whole[:100] + b"\xff" * 3996 + whole[4096:])
    assert "damaged" in refused(path).problem
    path.write_bytes(whole[:3000])
    assert refused(path).cure


def test_a_damaged_schema_that_is_no_text(path):
    """SQLite quotes what it cannot read, and Python cannot read the quote."""
    connect(path, patience=1.0).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "UPDATE sqlite_master SET name = CAST(x'72ff' AS TEXT), sql = 'CREATE' WHERE name = 'runs'"
    )
    connection.close()
    with pytest.raises(StoreError, match="is damaged"):
        connect(path, patience=1.0)


def test_nothing_to_read(path):
    with pytest.raises(MissingFileError):
        opened(path, read_only=True)
    assert not path.exists()
    path.touch()
    assert "empty" in refused(path, read_only=True).problem


def test_places_that_are_none(tmp_path):
    with pytest.raises(InputError, match="folder"):
        opened(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        opened(tmp_path / "no" / "runs.db")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="plain file"):
        opened(tmp_path / "pipe")


def test_a_name_that_is_too_long(tmp_path):
    with pytest.raises(StoreError, match="too long"):
        opened(tmp_path / ("x" * 300))


@pytest.fixture
def locked_folder():
    """A folder that this process may read but not write, also when it runs as root."""
    with tempfile.TemporaryDirectory() as name:
        folder, user = Path(name), os.geteuid()
        make(folder / "runs.db")
        folder.chmod(0o555)
        (folder / "runs.db").chmod(0o444)
        if user == 0:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(user)
            folder.chmod(0o755)


def test_a_place_that_may_not_be_written(locked_folder):
    with pytest.raises(StoreError, match="cannot be opened") as refusal:
        opened(locked_folder / "new.db")
    assert "write" in refusal.value.cure
    with pytest.raises(StoreError, match="not written") as refusal:
        opened(locked_folder / "runs.db")
    assert "write" in refusal.value.cure


def test_a_store_in_such_a_place_can_be_read(locked_folder):
    connection = opened(locked_folder / "runs.db", read_only=True)
    assert connection.execute("SELECT count(*) FROM runs").fetchone() == (0,)
    connection.close()


def test_all_or_nothing(path):
    connection = opened(path)
    insert = "INSERT INTO claims VALUES ('a', 'b', 1, 'c', 2)"

    def interrupted(error: type[BaseException]) -> None:
        with transaction(connection):
            connection.execute(insert)
            raise error

    for error in (KeyboardInterrupt, ValueError):
        with pytest.raises(error):
            interrupted(error)
        assert not connection.in_transaction
    assert connection.execute("SELECT count(*) FROM claims").fetchone() == (0,)
    with transaction(connection):
        connection.execute(insert)
    assert connection.execute("SELECT count(*) FROM claims").fetchone() == (1,)
    connection.close()


def test_waiting_for_others_has_an_end(path):
    first, second = opened(path), opened(path, patience=0.05)

    def write() -> None:
        with transaction(second):
            pass

    with transaction(first):
        begin = time.monotonic()
        with pytest.raises(StoreError, match="held by another"), explained(path):
            patiently(write, 0.05)
        assert time.monotonic() - begin < 5
    patiently(write, 0.05)
    first.close()
    second.close()


def test_waiting_for_others_is_rewarded(path):
    make(path)
    taken = threading.Event()

    def hold() -> None:
        connection = opened(path)
        with transaction(connection):
            taken.set()
            time.sleep(0.2)
        connection.close()

    other = threading.Thread(target=hold)
    other.start()
    taken.wait()
    connection = opened(path, patience=10)
    connection.execute("PRAGMA busy_timeout = 0")  # so that the pauses are our own

    def write() -> str:
        with transaction(connection):
            return "done"

    assert patiently(write, 10) == "done"
    other.join()
    connection.close()


def test_other_errors_are_not_waited_for(path):
    connection = opened(path)
    with pytest.raises(StoreError, match="no such table"), explained(path):
        patiently(lambda: connection.execute("SELECT * FROM absent"), 60)
    connection.close()


def test_every_error_has_a_cure():
    assert issubclass(StoreError, AllpassError)
    assert all(problem.endswith(".") and cure.endswith(".") for problem, cure in database._WORDS.values())
