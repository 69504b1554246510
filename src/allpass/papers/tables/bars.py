"""The six bar charts of the report: some rows and columns of the table of random splits, and what ACM gains there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

from allpass.papers.checks import at, check_keys, check_name
from allpass.papers.content import parse_content, read_text
from allpass.papers.tables.spec import Spec, read_spec
from allpass.papers.tables.study import TableStudy

_ENTRIES = ("table", "columns", "rivals", "left_out", "families", "gains")


@dataclass(frozen=True)
class Charts:
    """What the charts show.

    Args:
        rivals: The rows the best of which is called the state of the art.
        families: A baseline's row, and the rows of its ACM and ACMII versions.
        gains: The printed gain of each column, in points.
        left_out: Of the rivals that the table prints and the charts leave out, the best of each column and its row.
    """

    rivals: tuple[str, ...]
    families: Mapping[str, tuple[str, str]]
    gains: Mapping[str, float]
    left_out: Mapping[str, tuple[float, str]]

    @property
    def augmented(self) -> tuple[str, ...]:
        """The rows of all ACM and ACMII versions."""
        return tuple(row for pair in self.families.values() for row in pair)

    @property
    def rows(self) -> tuple[str, ...]:
        """All rows the charts are made of."""
        return (*self.rivals, *self.families, *self.augmented)


def parse_charts(text: str, name: str) -> tuple[Charts, Spec]:
    """The charts of a TOML text, and the part of a table that they show; every row and column in it exists.

    Args:
        text: The file.
        name: The ID of the study, for messages.
    """
    content = parse_content(text, name, _ENTRIES)
    with at(name):
        spec = read_spec(content["table"])
        columns = {column.name: column for column in spec.columns}
        for column in content["columns"]:
            check_name("column", column, columns)
        check_keys(content["gains"], (), needed=content["columns"])
        families = {row: (str(acm), str(acmii)) for row, (acm, acmii) in content["families"].items()}
        for row in (*content["rivals"], *content["left_out"], *families, *chain(*families.values())):
            check_name("row", row, spec.rows)
        left_out = {
            column: max(
                (published[0], row)
                for row in content["left_out"]
                if (published := spec.cell(row, column).published)
            )
            for column in content["columns"]
        }
        charts = Charts(tuple(content["rivals"]), families, content["gains"], left_out)
    part = replace(
        spec,
        **{entry: content[entry] for entry in ("id", "title", "source", "notes")},
        columns=tuple(columns[column] for column in content["columns"]),
        cells=tuple(
            cell for cell in spec.cells if cell.row in charts.rows and cell.column.name in content["columns"]
        ),
    )
    return charts, part


CHARTS, _SPEC = parse_charts(read_text("acm-bars"), "acm-bars")

STUDY = TableStudy(_SPEC)
"""The study ``acm-bars``: its runs are those of the table it is a part of."""
