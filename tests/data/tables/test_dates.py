"""Written dates against Python's own datetime."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allpass.data.tables.dates import FORMATS, ISO, date_format, epoch_unit, seconds

MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


@settings(max_examples=40)
@given(st.lists(MOMENTS, min_size=1, max_size=8), st.sampled_from(FORMATS[1:]))
def test_what_is_written_is_read(moments: list[datetime], form: str) -> None:
    moments = [moment.replace(microsecond=0) for moment in moments]
    written = pd.Series([moment.strftime(form) for moment in moments])
    expected = [datetime.strptime(text, form).replace(tzinfo=UTC).timestamp() for text in written]
    assert seconds(written, form).tolist() == expected
    found = date_format(written)
    assert found
    if "%m/%d" not in form and "%d/%m" not in form:
        assert seconds(written, found).tolist() == expected


@settings(max_examples=40)
@given(st.lists(MOMENTS, min_size=1, max_size=8))
def test_iso_is_read(moments: list[datetime]) -> None:
    written = pd.Series([moment.isoformat() for moment in moments])
    assert date_format(written) == ISO
    np.testing.assert_allclose(seconds(written, ISO), [m.timestamp() for m in moments], rtol=0, atol=2e-6)


@pytest.mark.parametrize(
    "values",
    [
        ["20-30", "30-40"],
        ["2020-2021"],
        ["2001", "2002"],
        ["12-05"],
        ["10.5", "11.5"],
        ["2024-13-05"],
        ["192.168.0.1"],
        ["12:30"],
        ["3 apples"],
        ["code-0001"],
        ["2024-01-05", "soon", "later"],
    ],
)
def test_what_is_no_date(values: list[str]) -> None:
    assert date_format(pd.Series(values)) == ""


def test_day_and_month_are_told_by_the_dates_themselves() -> None:
    assert date_format(pd.Series(["01/02/2024", "25/02/2024"])) == "%d/%m/%Y"
    assert date_format(pd.Series(["01/02/2024", "02/25/2024"])) == "%m/%d/%Y"
    mostly_early = [f"{day:02d}/02/2024" for day in range(1, 13)] * 9 + ["25/02/2024"]
    assert date_format(pd.Series(mostly_early)) == "%d/%m/%Y"


def test_dates_without_a_time_zone_are_utc_and_missing_ones_are_nan() -> None:
    for unit in ("s", "ms", "us", "ns"):
        column = pd.Series(pd.to_datetime(["2024-01-01 00:00:01", None])).astype(f"datetime64[{unit}]")
        found = seconds(column)
        assert found[0] == datetime(2024, 1, 1, 0, 0, 1, tzinfo=UTC).timestamp()
        assert np.isnan(found[1])


def test_unix_times() -> None:
    spread = 1_600_000_000 + np.array([0.0, 1e6])
    units = {"seconds": 1, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}
    for unit, scale in units.items():
        assert epoch_unit(spread * scale, set()) == unit
    assert epoch_unit(np.array([1_600_000_000.0, 1_600_000_001]), set()) == ""
    assert epoch_unit(np.array([1_600_000_000.0, 1_600_000_001]), {"created"}) == "seconds"
    assert epoch_unit(np.array([0.0, 1_600_000_000]), {"created"}) == ""
