from __future__ import annotations

import math
import sqlite3
import threading
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.train.scenes import stage
from tests.train.writers import key, run

from allpass.errors import InputError, MissingFileError
from allpass.train.runs.database import StoreError
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Merged, Store


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def store(path):
    with Store(path) as opened:
        yield opened


def filled(path: Path, *runs: Run) -> Path:
    with Store(path) as store:
        store.add_many(runs)
    return path


def raw(path: Path, statement: str, *values: object) -> list[tuple]:
    connection = sqlite3.connect(path, isolation_level=None)
    found = connection.execute(statement, values).fetchall()
    connection.close()
    return found


@pytest.fixture(scope="module")
def play():
    with stage("tests.train.writers") as found:
        yield found


@pytest.mark.parametrize("log", [1, 0])
def test_killed_at_random_moments_nothing_is_lost_or_done_twice(play, path, log):
    play("killed", path, 20, log)


@pytest.mark.parametrize("writers", [2, 4])
def test_many_processes_write_at_once(play, path, writers):
    play("together", path, writers, 25)


def test_processes_that_share_a_sweep_do_nothing_twice(play, path):
    play("shared", path, 4, 60)


def test_claims_of_a_killed_process_are_free_at_once(play, path):
    play("lapsed", path)


def test_a_store_is_not_used_across_a_fork(play, path):
    play("forked", path)


def test_everything_comes_back(path):
    given = run(
        7,
        key=key(7, settings={"größe": [1, 2.5, None, True], "☃": {"π": math.inf, "text": "a\0b\n"}}),
        status="diverged",
        scores={"nan": math.nan, "inf": -math.inf, "tiny": 5e-324, "third": 1 / 3, "minus": -0.0, "one": 1.0},
        seconds=0.1 + 0.2,
        curves={
            "loss": [0.1, math.nan, math.inf, 1e-45, -0.0],
            "wide": np.arange(6).reshape(2, 3),
            "empty": [],
            "Kurve ☃": 3.0,
        },
        versions={"torch": "2.13", "device": "a device"},
        started=datetime(2024, 5, 1, 12, 30, 0, 123456, tzinfo=UTC),
        ended=datetime(2024, 5, 1, 13, tzinfo=UTC),
    )
    filled(path, given)
    with Store(path) as store:
        (found,) = store.runs()
        assert store.get(given.key).agrees(given)
    assert found.agrees(given)
    assert found.key == given.key
    assert found.key.to_dict() == given.key.to_dict()
    for name in ("status", "epoch", "epochs", "seconds", "versions", "started", "ended"):
        assert getattr(found, name) == getattr(given, name)
    assert math.copysign(1, found.scores["minus"]) == -1
    assert found.curves.keys() == given.curves.keys()
    for name, values in given.curves.items():
        assert found.curves[name].shape == values.shape
        np.testing.assert_array_equal(found.curves[name].view(np.uint32), values.view(np.uint32))


@given(value=st.floats(allow_nan=False) | st.integers() | st.text())
def test_any_setting_comes_back(tmp_path_factory, value):
    path = filled(tmp_path_factory.mktemp("one") / "runs.db", run(0, key=key(0, settings={"it": value})))
    with Store(path, read_only=True) as store:
        (found,) = store.runs(settings={"it": value})
    assert found.key.settings["it"] == value
    assert type(found.key.settings["it"]) is type(value)


def test_the_same_run_is_stored_once(store):
    assert store.add(run(1))
    assert not store.add(run(1, scores={"test_score": 0.9}))
    assert store.add_many([run(1), run(2), run(2), run(3)]) == 2
    assert store.add_many([]) == 0
    assert len(store) == 3
    assert store.get(key(1)).agrees(run(1))
    assert store.get(key(4)) is None
    assert key(1) in store
    assert key(4) not in store
    assert "1" not in store


def test_what_is_missing_keeps_its_order(store):
    store.add_many([run(2), run(5, status="diverged")])
    wanted = [key(number) for number in (9, 2, 1, 5, 9, 0)]
    assert store.missing(wanted) == [key(9), key(1), key(0)]
    assert store.missing(iter(wanted[:1])) == [key(9)]
    assert store.missing([]) == []


def test_stored_runs_are_found_in_the_order_of_their_keys(store):
    store.add_many([run(1), run(2), run(3, status="diverged", seconds=1.5)])
    found = store.find(key(number) for number in (3, 9, 1, 2, 1))
    assert [(one.epoch, one.status) for one in found] == [
        (3, "diverged"),
        (1, "done"),
        (2, "done"),
        (1, "done"),
    ]
    assert all(not one.curves for one in found)
    assert found[0].agrees(store.get(key(3)))
    assert found[0].seconds == 1.5
    assert store.find([]) == []
    assert store.find([key(9)]) == []


def test_a_sweep_of_thousands(store):
    assert store.add_many(run(number, curves={}) for number in range(3000)) == 3000
    wanted = [key(number) for number in range(3100)]
    assert store.missing(wanted) == wanted[3000:]
    assert [found.epoch for found in store.runs()] == list(range(3000))  # in order, over many pages


def test_all_together_or_none(store):
    def runs():
        yield run(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.add_many(runs())
    assert len(store) == 0
    assert store.add(run(1))


def test_filters(store):
    cora = key(
        3, dataset="cora", fingerprint="77", model="acm-gcn", protocol={"stopping": "fixed", "epochs": 9}
    )
    store.add_many([run(1), run(2, status="diverged"), run(3, key=cora)])

    def found(**filters):
        return [item.epoch for item in store.runs(**filters)]

    assert found() == [1, 2, 3]
    assert found(dataset="texas") == [1, 2]
    assert found(fingerprint="77") == [3]
    assert found(model="gcn", status="diverged") == [2]
    assert found(split="random/1") == [1]
    assert found(seed=0) == [1, 2, 3]
    assert found(seed=1) == []
    assert found(settings={"number": 2.0}) == [2]
    assert found(protocol={"stopping": "fixed"}) == [3]
    assert found(protocol={"stopping": "fixed", "epochs": 10}) == []
    assert found(model="' OR 1 --") == []
    assert all(not item.curves for item in store.runs(curves=False))
    with pytest.raises(InputError, match="'diverged'"):
        store.runs(status="divreged")


def test_runs_may_be_added_while_others_are_read(store):
    store.add(run(0))
    for item in store.runs():
        if item.epoch < 10:
            store.add(run(item.epoch + 1))
    assert len(store) == 11


def test_a_summary(store):
    assert store.summary() == []
    late = datetime(2024, 5, 2, tzinfo=UTC)
    store.add_many(
        [
            run(1, seconds=1.5, ended=late),
            run(2, seconds=2.0, ended=datetime(2024, 5, 1, 5, 5, 5, 5, tzinfo=UTC)),
            run(3, key=key(3, dataset="cora"), status="diverged", ended=late),
        ]
    )
    cora, texas = store.summary()
    assert cora[:6] == ("cora", "gcn", 1, 0, 1, 0.0)
    assert texas[:6] == ("texas", "gcn", 2, 2, 0, 3.5)
    assert datetime.fromisoformat(texas.last) == late


def test_claims(path):
    with Store(path) as one, Store(path) as other:
        one.add(run(1))
        assert one.claim([key(1), key(2), key(3), key(3)]) == [key(2), key(3)]
        assert other.claim([key(1), key(2), key(3), key(4)]) == [key(4)]
        assert one.claim([key(3)]) == [key(3)]  # longer
        one.release([key(3), key(4)])  # the second is not its own
        assert other.claim([key(2), key(3), key(4)]) == [key(3), key(4)]
        assert other.add(run(3))
        assert raw(path, "SELECT count(*) FROM claims") == [(2,)]
        assert other.add(run(2))  # whoever does it, it is done
        one.release()
        assert one.claim([key(2), key(3), key(4)]) == []
        assert one.claim([key(5)], seconds=1e-6) == [key(5)]
        assert other.claim([key(5)]) == [key(5)]
        with pytest.raises(InputError, match="seconds"):
            one.claim([key(5)], seconds=0)
        other.close()
        assert one.claim([key(4), key(5)]) == [key(4), key(5)]
    assert raw(path, "SELECT count(*) FROM claims") == [(0,)]


def test_merge(tmp_path):
    target = filled(tmp_path / "a.db", run(1), run(2), run(3), run(5))
    other = filled(
        tmp_path / "b.db",
        run(2, seconds=9.0),
        run(3, scores={"test_score": 0.9}),
        run(4),
        run(5),
        run(6),
    )
    before = other.read_bytes()
    with Store(target) as store:
        assert store.merge(other) == Merged(2, 2, [key(3)])
        assert len(store) == 6
        assert store.get(key(3)).agrees(run(3))  # the first is kept
        assert store.get(key(4)).agrees(run(4))
        assert store.get(key(5)).agrees(run(5))
        np.testing.assert_array_equal(store.get(key(6)).curves["val_loss"], run(6).curves["val_loss"])
        assert store.merge(other) == Merged(0, 4, [key(3)])
    assert other.read_bytes() == before


def test_merging_many_is_the_union_in_any_order(tmp_path):
    paths = [
        filled(
            tmp_path / f"{part}.db",
            *(run(number, curves={}) for number in range(150 * part, 150 * part + 400)),
        )
        for part in range(3)
    ]
    for order in (paths, paths[::-1]):
        with Store(tmp_path / f"{order[0].stem}-first.db") as store:
            assert sum(store.merge(part).added for part in order) == 700
            assert sorted(found.epoch for found in store.runs()) == list(range(700))


def test_merging_a_store_that_others_write(path, tmp_path, store):
    with Store(tmp_path / "other.db") as other:
        other.add(run(1))  # still in the log beside the file
        assert store.merge(tmp_path / "other.db") == Merged(1, 0, [])


def test_what_cannot_be_merged(store, tmp_path):
    with pytest.raises(MissingFileError):
        store.merge(tmp_path / "absent.db")
    with pytest.raises(InputError, match="itself"):
        store.merge(store.path)
    (tmp_path / "text.db").write_text("hello")
    with pytest.raises(StoreError, match="SQLite"):
        store.merge(tmp_path / "text.db")


def test_a_full_disk(store):
    store.add(run(1))
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    many = [run(number, curves={"noise": np.random.default_rng(number).random(2000)}) for number in range(9)]
    with pytest.raises(StoreError, match="full") as refusal:
        store.add_many(many)
    assert "safe" in refusal.value.cure
    assert [found.epoch for found in store.runs()] == [1]  # all or none
    store._connection.execute("PRAGMA max_page_count = 100000")
    assert store.add_many(many) == 8
    assert raw(store.path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("key = '{'", "Expecting"),
        ("key = '[]'", "mapping"),
        ("key = '{}'", "missing"),
        ("key = replace(key, '0.01', '0.02')", "identity"),
        ("identity = 'ffff'", "identity"),
        ("scores = '[1]'", "items"),
        ('scores = \'{"a": "b"}\'', "could not convert"),
        ("status = 'great'", "great"),
        ("status = 'failed'", "no status 'failed'"),
        ("seconds = 'long'", "seconds"),
        ("ended = 'today'", "today"),
        ("versions = '3'", "items"),
        ("key = x'80'", "decode"),
    ],
)
def test_a_damaged_row_is_named(path, change, said):
    filled(path, run(1))
    raw(path, f"UPDATE runs SET {change}")
    with Store(path) as store, pytest.raises(StoreError, match=said) as refusal:
        list(store.runs())
    assert "Run 1 " in refusal.value.problem
    assert refusal.value.cure


def test_damaged_curves(path):
    filled(path, run(1))
    raw(path, "UPDATE curves SET content = ?", b"junk")
    with Store(path) as store:
        with pytest.raises(StoreError, match="Run 1 "):
            list(store.runs())
        assert len(list(store.runs(curves=False))) == 1


def test_damaged_pages_and_missing_tables(path, tmp_path):
    filled(path, *(run(number) for number in range(200)))
    whole = path.read_bytes()
    path.write_bytes(whole[: 3 * 4096] + b"\xee" * (len(whole) - 3 * 4096))
    with Store(path) as store, pytest.raises(StoreError, match="damaged"):
        list(store.runs())
    other = filled(tmp_path / "other.db")
    raw(other, "DROP TABLE runs")
    with Store(other) as store, pytest.raises(StoreError, match="no such table"):
        len(store)


def test_reading_only(path):
    with pytest.raises(MissingFileError):
        Store(path, read_only=True)
    filled(path, run(1))
    with Store(path, read_only=True) as store:
        assert len(store) == 1
        with pytest.raises(StoreError, match="not written"):
            store.add(run(2))
        with pytest.raises(StoreError, match="not written"):
            store.claim([key(2)])
    assert list(path.parent.iterdir()) == [path]


def test_a_closed_store(path):
    store = Store(path)
    store.close()
    store.close()
    with pytest.raises(InputError, match="closed"):
        store.add(run(1))


def test_another_thread(store):
    caught: list[BaseException] = []

    def use() -> None:
        try:
            len(store)
        except InputError as error:
            caught.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert "thread" in str(caught[0])


def test_keys_differ_by_content_not_by_types(store):
    store.add(run(1, key=key(1, settings={"dropout": 0, "widths": (8, 8)})))
    assert key(1, settings={"widths": [8, 8.0], "dropout": 0.0}) in store
    assert isinstance(next(store.runs()).key, Key)
