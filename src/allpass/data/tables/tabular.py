"""A table of any kind (CSV, TSV, Parquet, a pandas frame): its column names, and its rows on demand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allpass.data.account import Account
from allpass.data.tables.text_table import TextTable, check_names
from allpass.errors import DataError, InputError, MissingExtraError, MissingFileError, did_you_mean
from allpass.files import check_readable

if TYPE_CHECKING:
    import pandas as pd

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".edges", ".edgelist")
PARQUET_SUFFIXES = (".parquet", ".pq")
TABLE_SUFFIXES = TEXT_SUFFIXES + PARQUET_SUFFIXES


class Table:
    """A table whose column names are known and whose rows are read on demand.

    The named index of a frame, or of a Parquet file, is its first column. An index without a name is no column
    until :meth:`name_rows` makes it one.

    Args:
        where: A path, or a pandas frame.
        role: What it holds, for messages: ``"edge table"``.
    """

    def __init__(self, where: Any, role: str) -> None:
        pandas = import_pandas(f"Reading the {role}")
        self.role = role
        self.text: TextTable | None = None
        if isinstance(where, pandas.DataFrame):
            self.title = f"the {role}"
            self._frame = _with_index(where, self.title)
        elif isinstance(where, (str, Path)):
            self.title = f"the {role} {str(where)!r}"
            path = _checked_path(Path(where), role)
            if path.suffix.lower() in TEXT_SUFFIXES:
                self.text = TextTable(path, self.title)
            else:
                self._frame = _with_index(_read_parquet(path), self.title)
        else:
            raise InputError(
                f"Got {type(where).__name__} as the {role}.",
                "Expected a path to CSV, TSV or Parquet, or a pandas frame.",
            )

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.text.columns if self.text is not None else list(self._frame.columns)

    @property
    def headless(self) -> bool:
        """Whether the first row of a text file was read as data and not as names."""
        return self.text is not None and self.text.headless

    @property
    def row_names(self) -> pd.Series[Any] | None:
        """The index of a frame when it has no name and is not 0, 1, 2, ...: it may hold ids or be left over."""
        if self.text is not None or self._frame.index.nlevels > 1:
            return None
        index = self._frame.index
        counted = index.inferred_type == "integer" and bool((index == np.arange(len(index))).all())
        return None if counted or not len(index) else index.to_series(index=np.arange(len(index)))

    def name_rows(self, name: str) -> None:
        """Make the index without a name the first column."""
        self._frame = self._frame.rename_axis(index=name).reset_index()

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

    def read(self, ids: Sequence[str], columns: Sequence[str] | None = None) -> pd.DataFrame:
        """All rows of all columns, or of ``columns``; those in ``ids`` are read as text from a text file.

        Text is kept as it is written: 007 does not meet 7, and a node may be called NA. Only an empty cell is missing.
        """
        chosen = self.columns if columns is None else columns
        return self.text.read(chosen, ids) if self.text is not None else self._frame[list(chosen)]

    def refuse_broken_cells(self, column: str) -> None:
        """Refuse line breaks in a column of short values: there a quote was left open and has swallowed rows."""
        broken = self.text.broken_cells(column) if self.text is not None else None
        if broken is not None:
            raise DataError(
                f"A value of the column {column!r} of {self.title} starts in line {broken.first:,} and goes on in the "
                "next line: a quote may not be closed.",
                "Close the quote in that line, or remove the line break.",
            )

    def write_notes(self, account: Account) -> None:
        """Note how the rows of a text file were read where they could be read in another way."""
        if self.text is not None:
            self.text.write_notes(account)


def import_pandas(purpose: str) -> Any:
    """pandas, or an error that says what it is needed for."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("pandas", purpose) from None
    return pandas


def _checked_path(path: Path, role: str) -> Path:
    if path.is_dir():
        raise InputError(
            f"{str(path)!r} is a folder; the {role} must be a file.",
            f"Name the file in it that holds the {role}.",
        )
    if not check_readable(path).is_file():
        raise MissingFileError(f"There is no file {str(path)!r} (the {role}).", "Check the path.")
    suffix = path.suffix.lower()
    if suffix not in PARQUET_SUFFIXES and _is_zip(path):
        raise DataError(f"The file {path.name!r} looks like an Excel file.", "Save the sheet as CSV (UTF-8).")
    if suffix not in TABLE_SUFFIXES:
        raise DataError(
            f"The file {path.name!r} does not look like a table.",
            f"Expected a file that ends in {', '.join(TABLE_SUFFIXES)}.",
        )
    return path


def _is_zip(path: Path) -> bool:
    """Whether a file is a ZIP archive, as Excel's workbooks are."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd
    from pandas.api import types

    try:
        import pyarrow

        frame = pd.read_parquet(path)
        if frame.columns.nlevels > 1:
            return frame  # refused by _with_index
        for name in frame.columns:
            if isinstance(frame[name].dtype, pd.StringDtype):  # whose bytes are looked at later otherwise
                pyarrow.array(frame[name]).validate(full=True)
        # A column of whole numbers with missing ones comes as floats, which merge numbers above 2**53.
        floats = [name for name in frame.columns if types.is_float_dtype(frame[name].dtype)]
        exact = pd.read_parquet(path, columns=floats, dtype_backend="numpy_nullable") if floats else frame
        whole = [name for name in floats if types.is_integer_dtype(exact[name].dtype)]
        frame = frame.assign(**{name: exact[name].array for name in whole})
    except ImportError:
        raise MissingExtraError("pyarrow", "Reading Parquet", "parquet") from None
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"The file {path.name!r} could not be read as Parquet.",
            "It may be cut off or damaged, or be another kind of file; get it again.",
        ) from error
    return frame.assign(**_texts_of_bytes(frame, path))


def _texts_of_bytes(frame: pd.DataFrame, path: Path) -> dict[str, pd.Series[Any]]:
    """The columns of bytes, as the text that they are in UTF-8."""
    texts = {}
    for name in frame.columns:
        cells = frame[name]
        if cells.dtype != object or not any(isinstance(cell, bytes) for cell in cells):
            continue
        try:
            texts[name] = cells.map(lambda cell: cell.decode("utf-8") if isinstance(cell, bytes) else cell)
        except UnicodeDecodeError:
            raise DataError(
                f"The column {name!r} of {path.name!r} holds bytes that are no text in UTF-8.",
                "Leave it out, or save it as text or numbers.",
            ) from None
    return texts


def _with_index(frame: pd.DataFrame, title: str) -> pd.DataFrame:
    """The frame with the named levels of its index as its first columns, and names that are text."""
    if frame.columns.nlevels > 1:
        raise DataError(
            f"The columns of {title} have names of {frame.columns.nlevels} parts.", "Expected one each."
        )
    named = [level for level, name in enumerate(frame.index.names) if name is not None]
    names = [str(frame.index.names[level]) for level in named] + [str(name) for name in frame.columns]
    if named:
        levels = {f"level {level}": frame.index.get_level_values(level) for level in named}
        rest = frame.reset_index(level=named, drop=True)
        for place, (name, values) in enumerate(levels.items()):
            rest.insert(place, name, values, allow_duplicates=True)
        frame = rest
    check_names(names, title)
    return frame.set_axis(names, axis="columns")
