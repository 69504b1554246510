"""Where the numbers of a row come from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from tests.train.writers import run

from allpass.papers.origin import origin

EARLY = datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_the_time_of_all_and_the_rest_of_the_last() -> None:
    last = run(1, seconds=2.25, ended=EARLY + timedelta(days=1), versions={"allpass": "2", "device": "b"})
    first = run(2, seconds=0.5004, ended=EARLY, versions={"allpass": "1", "torch": "2.13", "device": "a"})
    for runs in ([last, first], [first, last]):
        assert origin(runs) == {
            "seconds": 2.75,
            "allpass": "2",
            "torch": "",
            "device": "b",
            "ended": "2024-05-02",
        }


def test_a_day_is_that_of_greenwich() -> None:
    late = datetime(2024, 5, 1, 23, 30, tzinfo=timezone(timedelta(hours=-3)))
    assert origin([run(1, ended=late)])["ended"] == "2024-05-02"
