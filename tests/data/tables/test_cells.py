from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from allpass.data.account import Account
from allpass.data.tables.cells import as_numbers, as_seconds, as_text
from allpass.errors import DataError


def test_text_without_empty_cells_and_needless_fractions() -> None:
    text, missing = as_text(pd.Series([" a", None, "b "], index=[7, 8, 9]))
    assert text.tolist() == ["a", "b"]
    assert text.index.tolist() == [0, 2]
    assert missing.tolist() == [False, True, False]
    assert as_text(pd.Series([1.0, None, 3.0]))[0].tolist() == ["1", "3"]
    assert as_text(pd.Series([1.5, None, 3.0]))[0].tolist() == ["1.5", "3.0"]


def test_numbers_that_are_written_as_text() -> None:
    account = Account()
    found = as_numbers(pd.Series(["1", " 2.5 ", "?", None], name="a"), account)
    np.testing.assert_array_equal(found, [1, 2.5, np.nan, np.nan])
    (note,) = account
    assert note.what == "'a' has 1 value that is no number ('?', row 3), so that is missing."
    with pytest.raises(DataError, match="The column 'a' holds text, not numbers, such as 'x' in row 1"):
        as_numbers(pd.Series(["x", "y"], name="a"), account)


def test_times_of_any_kind_are_seconds() -> None:
    hour = [0.0, 3600.0, np.nan]
    written = pd.Series(["1970-01-01 00:00", "1970-01-01 01:00", None], name="a")
    account = Account()
    for column in (
        written,
        pd.to_datetime(written),
        pd.to_timedelta(pd.Series(["0h", "1h", None])),
        pd.Series(hour),
    ):
        np.testing.assert_array_equal(as_seconds(column, "", account), hour)
    assert as_seconds(pd.Series(["02/01/1970"]), "%d/%m/%Y", account).tolist() == [86_400]
    assert not len(account)
    as_seconds(pd.Series(["1970-01-01", "soon"], name="a"), "", account)
    assert [note.code for note in account] == ["words-among-dates"]
    with pytest.raises(
        DataError, match=r"No date of the column 'a' is written as %d\.%m\.%Y, such as '1970-01-02' in row 2"
    ):
        as_seconds(pd.Series([None, "1970-01-02", "1970-01-03"], name="a"), "%d.%m.%Y", account)
