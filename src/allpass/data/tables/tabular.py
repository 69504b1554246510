"""Table files (CSV, TSV, Parquet) as pandas frames; ids are read as text, so that 007 stays 007."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allpass.errors import DataError, InputError, MissingExtraError, MissingFileError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".edges", ".edgelist")
PARQUET_SUFFIXES = (".parquet", ".pq")
TABLE_SUFFIXES = TEXT_SUFFIXES + PARQUET_SUFFIXES

# Written out, because an id column must not lose a node that is called NA or null: there only "" is missing.
_MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL", "None"]


@dataclass(frozen=True)
class Layout:
    """How a text table is written: its separator, the lines above it, and names where it has no header."""

    separator: str
    skipped: int
    names: list[str] | None


class Table:
    """A table whose column names are known and whose rows are read on demand.

    Args:
        where: A path, or a pandas frame.
        role: What it holds, for messages: ``"edge table"``.
    """

    def __init__(self, where: Any, role: str) -> None:
        self._pandas = import_pandas(f"Reading the {role}")
        self.role = role
        self._frame: pd.DataFrame | None = None
        self._layout: Layout | None = None
        if isinstance(where, self._pandas.DataFrame):
            self.title = f"the {role}"
            self._frame = where.rename(columns=str)
        elif isinstance(where, (str, Path)):
            self._path = Path(where)
            self.title = f"the {role} {str(where)!r}"
            self._open()
        else:
            raise InputError(
                f"Got {type(where).__name__} as the {role}.",
                "Expected a path to CSV, TSV or Parquet, or a pandas frame.",
            )
        self.columns = [str(column) for column in self._head().columns]

    @property
    def headless(self) -> bool:
        """Whether the first row holds numbers, so that it was read as data and not as names."""
        return self._layout is not None and self._layout.names is not None

    def find(self, names: Sequence[str], among: list[str] | None = None) -> str | None:
        """The first column that goes by one of these names, in upper or lower case."""
        columns = self.columns if among is None else among
        lower = {column.strip().lower(): column for column in reversed(columns)}
        return next((lower[name] for name in names if name in lower), None)

    def column(self, name: str) -> str:
        """``name``, which must be a column; the error lists the columns there are."""
        if name in self.columns:
            return name
        cure = did_you_mean(name, self.columns)
        listed = (
            f"Its columns are: {', '.join(self.columns[:20])}{', ...' if len(self.columns) > 20 else ''}."
        )
        raise DataError(
            f"There is no column {name!r} in {self.title}.",
            f"{cure} {listed}" if cure.startswith("Did") else listed,
        )

    def read(self, ids: list[str]) -> pd.DataFrame:
        """All rows; the columns named in ``ids`` of a text file are read as text."""
        if self._frame is not None:
            return self._frame
        missing = {column: [""] if column in ids else _MISSING for column in self.columns}
        # As text first: a category of numbers would be read as numbers, and 007 would meet 7.
        frame = self._parse(
            dtype=dict.fromkeys(ids, str), na_values=missing, keep_default_na=False, low_memory=False
        )
        return frame.astype(dict.fromkeys(ids, "category"))

    def _open(self) -> None:
        if self._path.is_dir():
            raise InputError(
                f"{str(self._path)!r} is a folder; the {self.role} must be a file.",
                f"Name the file in it that holds the {self.role}.",
            )
        if not self._path.is_file():
            raise MissingFileError(
                f"There is no file {str(self._path)!r} (the {self.role}).", "Check the path."
            )
        suffix = self._path.suffix.lower()
        if suffix not in PARQUET_SUFFIXES and _is_zip(self._path):
            raise DataError(
                f"The file {self._path.name!r} looks like an Excel file.", "Save the sheet as CSV (UTF-8)."
            )
        if suffix in PARQUET_SUFFIXES:
            self._frame = self._read_parquet()
        elif suffix in TEXT_SUFFIXES:
            self._layout = _layout(self._path)
        else:
            raise DataError(
                f"The file {self._path.name!r} does not look like a table.",
                f"Expected a file that ends in {', '.join(TABLE_SUFFIXES)}.",
            )

    def _head(self) -> pd.DataFrame:
        return self._frame if self._frame is not None else self._parse(nrows=0)

    def _parse(self, **options: Any) -> pd.DataFrame:
        assert self._layout is not None
        pd = self._pandas
        if self._layout.names is not None:
            options |= {"header": None, "names": self._layout.names}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)
                return pd.read_csv(
                    self._path,
                    sep=self._layout.separator,
                    skiprows=self._layout.skipped,
                    encoding="utf-8-sig",
                    index_col=False,
                    skipinitialspace=True,
                    **options,
                )
        except UnicodeDecodeError:
            raise _not_text(self._path) from None
        except (
            pd.errors.ParserError,
            pd.errors.ParserWarning,
            pd.errors.EmptyDataError,
            ValueError,
        ) as error:
            raise DataError(
                f"The file {self._path.name!r} could not be read as a table. {_reason(error)}",
                "Expected the same number of fields in every row, separated by commas, semicolons or tabs.",
            ) from error

    def _read_parquet(self) -> pd.DataFrame:
        try:
            return self._pandas.read_parquet(self._path).reset_index(drop=True).rename(columns=str)
        except ImportError:
            raise MissingExtraError("pyarrow", "Reading Parquet", "parquet") from None
        except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors or OSErrors
            raise DataError(
                f"The file {self._path.name!r} could not be read as Parquet: {str(error).strip().splitlines()[0]}",
                "Check that the file is complete.",
            ) from error


def import_pandas(purpose: str) -> Any:
    """pandas, or an error that says what it is needed for."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("pandas", purpose) from None
    return pandas


def _not_text(path: Path) -> DataError:
    return DataError(f"The file {path.name!r} is not UTF-8 text.", "Save the table as UTF-8, or as Parquet.")


def _is_zip(path: Path) -> bool:
    """Whether a file is a ZIP archive, as Excel's workbooks are."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _reason(error: Exception) -> str:
    """What pandas says, in plain words where it counts fields."""
    text = str(error).strip().splitlines()[0]
    counted = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", text)
    if counted is None:
        return text
    expected, line, saw = counted.groups()
    return f"Line {line} has {saw} fields; expected {expected}."


def _layout(path: Path) -> Layout:
    """Look at the first line that is neither blank nor a comment."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            skipped, line = 0, ""
            for line in lines:
                if line.strip() and not line.startswith("#"):
                    break
                skipped, line = skipped + 1, ""
    except UnicodeDecodeError:
        raise _not_text(path) from None
    if not line.strip():
        raise DataError(f"The file {path.name!r} is empty.", "Expected a table with a header row.")
    if "\0" in line:
        raise _not_text(path)
    counts = {separator: line.count(separator) for separator in (",", "\t", ";")}
    separator = max(counts, key=lambda key: counts[key])
    if not counts[separator] and path.suffix.lower() not in (".csv", ".tsv", ".tab"):
        separator = r"\s+"
    fields = line.split() if separator == r"\s+" else line.strip("\r\n").split(separator)
    headless = all(_is_number(field) for field in fields)
    return Layout(separator, skipped, [f"column {k + 1}" for k in range(len(fields))] if headless else None)


def _is_number(field: str) -> bool:
    try:
        float(field.strip().strip('"'))
    except ValueError:
        return False
    return True
