"""Numbers as people write them: decimal commas, thousands apart, a currency or a percent sign."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

_SIGNS = "€$£¥%"
_PARTS = re.compile(rf"([+-]?)([{_SIGNS}]?)\s?([+-]?[\d.,'\s]*\d)\s?([{_SIGNS}]?)")
_SPACE = r"[\s']"
FORMATS = {
    "1,234.5": (re.compile(rf"[+-]?(\d+|[1-9]\d{{0,2}}(,|{_SPACE})\d{{3}}(\2\d{{3}})*)?(\.\d+)?"), "."),
    "1.234,5": (re.compile(rf"[+-]?(\d+|[1-9]\d{{0,2}}(\.|{_SPACE})\d{{3}}(\2\d{{3}})*)?(,\d+)?"), ","),
}
"""Ways to write 1234.5, each with its pattern and its decimal sign; the first one wins where both would do."""


def number_format(text: pd.Series[Any]) -> str:
    """How a column of written numbers is written, one of :data:`FORMATS`; empty when it holds anything else.

    All values must be numbers in one way of writing, with the same currency or percent sign, or none. Numbers that
    any program reads, such as ``-1.5e3``, are not meant.

    Args:
        text: The values that are there, as strings.

    Example:
        >>> import pandas as pd
        >>> [number_format(pd.Series(one)) for one in (["1,5", "12"], ["$1,200", "$3.50"], ["1,200"], ["a,5"], ["12"])]
        ['1.234,5', '1,234.5', '1,234.5', '', '']
    """
    if not len(text) or not _PARTS.fullmatch(text.iloc[0]):  # most text is no number at all
        return ""
    found = [_PARTS.fullmatch(value) for value in text.unique()]
    parts = [one for one in found if one is not None]
    if len(parts) < len(found):
        return ""
    signs = {one[2] or one[4] for one in parts}
    bodies = [one[3] for one in parts]
    if len(signs) > 1 or (signs == {""} and not any("," in body or "'" in body for body in bodies)):
        return ""
    return next((form for form, (pattern, _) in FORMATS.items() if all(map(pattern.fullmatch, bodies))), "")


def example_of(text: pd.Series[Any], form: str) -> str:
    """The first of the numbers as it is written, and which number that is.

    Example:
        >>> import pandas as pd
        >>> example_of(pd.Series(["1.234,5"]), "1.234,5")
        "'1.234,5' is 1234.5"
    """
    return f"{text.iloc[0]!r} is {_number(text.iloc[0], form):.12g}"


def written_numbers(text: pd.Series[Any], form: str) -> NDArray[np.float64]:
    """The numbers ``[n]`` that are written in a format, NaN for what is written in any other way.

    Args:
        text: The values that are there, as strings.
        form: One of :data:`FORMATS`.

    Example:
        >>> import pandas as pd
        >>> written_numbers(pd.Series(["1.234,5", "-3 %", "1.5"]), "1.234,5").tolist()
        [1234.5, -3.0, nan]
    """
    codes, values = text.factorize()
    return np.array([_number(str(value), form) for value in values], dtype=np.float64)[codes]


def _number(value: str, form: str) -> float:
    pattern, decimal = FORMATS[form]
    parts = _PARTS.fullmatch(value)
    if parts is None or not pattern.fullmatch(parts[3]) or (parts[1] and parts[3][0] in "+-"):
        return np.nan
    digits = "".join(
        "." if sign == decimal else sign for sign in parts[3] if sign.isdigit() or sign in "+-" + decimal
    )
    return float(parts[1] + digits)
