"""A text table (CSV, TSV, words apart by spaces): its columns, parsed one by one, and notes on how it was read."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allpass.data.account import Account
from allpass.data.draft import many
from allpass.data.tables.layout import Layout, is_number, not_text, read_layout
from allpass.data.tables.survey import Lines, Survey, survey, without_lines
from allpass.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

# Written out, because an id column must not lose a node that is called NA or null: there only "" is missing.
MISSING_WORDS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL", "None")


class TextTable:
    """A table in a text file.

    Args:
        path: The file.
        title: What to call it in messages.
    """

    def __init__(self, path: Path, title: str) -> None:
        self.path, self.title = path, title
        self.layout: Layout = read_layout(path)
        # ",0,1,2" is how pandas writes a frame whose columns have no names.
        self.read_first_row(as_names=not self.layout.all_numbers or self.layout.written_index)

    def read_first_row(self, *, as_names: bool) -> None:
        """Read the first row as column names, or as data."""
        first = self.layout.first
        self.headless = not as_names
        self._cells: dict[tuple[str, bool], pd.Series[Any]] = {}
        self._survey: Survey | None = None
        if as_names:
            self.columns = [name or f"Unnamed: {place}" for place, name in enumerate(first)]
            check_names(self.columns, self.title)
        else:
            self.columns = [f"column {place + 1}" for place in range(len(first))]

    def read(self, columns: Sequence[str], texts: Sequence[str] = ()) -> pd.DataFrame:
        """These columns; those in ``texts`` as they are written, with nothing for an empty cell."""
        import pandas as pd

        wanted = [(name, name in texts) for name in columns]
        for as_text in (False, True):
            new = [key[0] for key in wanted if key[1] == as_text and key not in self._cells]
            if new:
                parsed = self._parse(new, as_text=as_text)
                self._cells |= {(name, as_text): parsed[name] for name in new}
        return pd.DataFrame({key[0]: self._cells[key] for key in wanted}, copy=False)

    def words_for_missing(self, column: str) -> dict[str, int]:
        """Words such as NA in a column that :meth:`read` takes for empty cells, and how often each stands there."""
        cells = self.read([column], [column])[column].str.strip()
        counts = cells[cells.isin(MISSING_WORDS)].value_counts()
        return {str(word): int(count) for word, count in counts.items() if word}

    def broken_cells(self, column: str) -> Lines | None:
        """The cells of a column that hold a line break, if any."""
        return self._surveyed().spread.get(self.columns.index(column))

    def write_notes(self, account: Account) -> None:
        """Note how rows were read where they could be read in another way."""
        found, skipped = self._surveyed(), self._comments()
        account.add(
            "no-header",
            int(self.headless),
            f"The first row of {self.title} was read as data, not as column names: {_row(self.layout.first)}.",
            "Write a row of column names above it when it was meant as one.",
        )
        account.add(
            "short-rows",
            found.short.count,
            f"Too few fields in {many(found.short.count, 'row')} of {self.title}: the others were read as empty. "
            f"{_first(found.short.first, found.short.text)}",
            "Check these lines, and write every field, even an empty one.",
        )
        account.add(
            "repeated-headers",
            len(found.headers),
            f"Skipped {many(len(found.headers), 'repeat')} of the header of {self.title}, in line "
            f"{', '.join(map(str, found.headers[:5]))}{', ...' if len(found.headers) > 5 else ''}.",
        )
        account.add(
            "loose-quotes",
            found.loose.count,
            f"Text behind a closing quote in {many(found.loose.count, 'row')} of {self.title} was read as part of the "
            f"field. {_first(found.loose.first, found.loose.text)}",
            'Write a quote that belongs to the text twice ("").',
        )
        account.add(
            "comment-lines",
            len(skipped),
            f"Skipped {many(len(skipped), 'comment')} inside {self.title}. {_first(*(skipped or [(0, '')])[0])}",
            "Put the first field in quotes when such a line is a row.",
        )
        kept = [(line, text) for line, text, _ in found.hashes if (line, text) not in set(skipped)]
        account.add(
            "hash-rows",
            len(kept),
            f"{many(len(kept), 'line')} of {self.title} with a # in front: read as data. "
            f"{_first(*(kept or [(0, '')])[0])}",
            "Remove such lines when they are comments.",
        )
        broken = {self.columns[place]: cells for place, cells in found.spread.items()}
        cells_of = [
            f"{name!r} ({cells.count:,}, the first in line {cells.first:,})" for name, cells in broken.items()
        ]
        account.add(
            "line-breaks",
            sum(cells.count for cells in broken.values()),
            f"Cells of {self.title} hold line breaks: {', '.join(cells_of)}.",
            "Check that no quote is left open there.",
        )

    def _parse(self, columns: list[str], *, as_text: bool) -> pd.DataFrame:
        import pandas as pd

        self._check_gaps()
        names = self.columns[: self._surveyed().widest]  # pandas refuses names that no row has a field for
        if not names:
            return pd.DataFrame({name: [] for name in columns})
        options: dict[str, Any] = (
            {"dtype": str, "na_values": [""]} if as_text else {"na_values": list(MISSING_WORDS)}
        )
        try:
            with self._rows() as rows, warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)
                frame = pd.read_csv(
                    rows,
                    sep=self.layout.separator,
                    header=None,
                    names=names,
                    usecols=[names.index(name) for name in columns if name in names] or [0],
                    index_col=False,
                    skipinitialspace=True,
                    keep_default_na=False,
                    low_memory=False,
                    encoding="utf-8",
                    **options,
                )
        except UnicodeDecodeError:
            raise not_text(self.path) from None
        except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
            raise DataError(
                f"The file {self.path.name!r} could not be read as a table. {str(error).strip().splitlines()[0]}",
                "Expected the same number of fields in every row, separated by commas, semicolons or tabs.",
            ) from error
        return frame.reindex(columns=columns)

    def _rows(self) -> Any:
        start, line = self._start()
        skipped = {*self._surveyed().headers, *(number for number, _ in self._comments())}
        if skipped:
            return without_lines(self.path, start, line, skipped)
        file = self.path.open("rb")
        file.seek(start)
        return file

    def _start(self) -> tuple[int, int]:
        """Byte and line where the rows of data start."""
        layout = self.layout
        return (layout.start, layout.line) if self.headless else (layout.after, layout.rows_line)

    def _surveyed(self) -> Survey:
        if self._survey is None:
            words = not self.headless and not any(is_number(name) for name in self.columns)
            header = self.layout.text if words else ""
            self._survey = survey(self.path, *self._start(), len(self.columns), self.layout.separator, header)
        return self._survey

    def _comments(self) -> list[tuple[int, str]]:
        """The lines that were skipped as comments and that may be rows; those above the table first."""
        return self._surveyed().comments(above=bool(self.layout.comments))

    def _check_gaps(self) -> None:
        """Refuse blank lines in a table of one column: they may be missing values, and rows would move up."""
        gaps = self._surveyed().gaps
        if gaps.count and len(self.columns) == 1:
            raise DataError(
                f"Line {gaps.first:,} of {self.title} is blank. In a table of one column that may be a missing value "
                "or no row at all.",
                'Write NA or "" for a missing value, or remove the line.',
            )


def check_names(columns: Sequence[str], title: str) -> None:
    """Refuse a table in which two columns have the same name."""
    twice = next((name for place, name in enumerate(columns) if name in columns[:place]), None)
    if twice is not None:
        raise DataError(
            f"Several columns of {title} are called {twice!r}.",
            "Rename or remove the others. If that row holds data, write a row of column names above it.",
        )


def _first(line: int, text: str) -> str:
    return f"The first is line {line:,}: {text.strip()[:80]!r}."


def _row(fields: list[str]) -> str:
    return ", ".join(repr(field) for field in fields[:4]) + (", ..." if len(fields) > 4 else "")
