"""``python -m tools.accumulate ID --store FILE``: run what the page of a study in docs/results lacks, and nothing else.

The rows there stand for their runs, which are kept nowhere: a number that has its row is not run again. Stopped, the
same command goes on where it was; ``python -m tools.reproduced --store FILE ID`` then puts the new rows on the page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from allpass.cli.progress import Lines
from allpass.errors import AllpassError
from allpass.papers.catalogue import STUDIES
from allpass.papers.depth.grid import Combination
from allpass.papers.depth.study import DepthStudy
from allpass.papers.runner import reproduce
from allpass.papers.study import Plan, Row, Study
from allpass.papers.synthetic.study import SyntheticStudy
from allpass.papers.tables.study import TableStudy, number_title, search_title
from allpass.train.executors.local import Local
from allpass.train.runs.store import Store
from tools.kept import kept


def known(study: Study, rows: Sequence[Row], store: Store) -> frozenset[str]:
    """The titles of the tasks whose rows are there.

    Args:
        study: The study.
        rows: The rows of its page.
        store: The file of runs.
    """
    match study:
        case TableStudy():
            return frozenset(_of_table(study, rows))
        case DepthStudy():
            return frozenset(_of_depth(rows))
        case SyntheticStudy():
            return frozenset(_of_synthetic(study, rows, store))
    return frozenset()  # the others are done in minutes


def _of_table(study: TableStudy, rows: Sequence[Row]) -> Iterator[str]:
    """Numbers; and the searches that no honest number which is lacking chooses by."""
    there = {(str(row["row"]), str(row["column"]), str(row["kind"])) for row in rows}
    yield from (number_title(row, column, kind) for row, column, kind in there)
    honest = [(cell.row, cell.column.name) for cell, kind in study.asked(Plan()) if kind == "honest"]
    lacking = {(row, column) for row, column in honest if (row, column, "honest") not in there}
    by_others = {row for row, _ in lacking} if study.spec.honest.choose == "others" else set()
    for row, column in honest:
        if (row, column) not in lacking and row not in by_others:
            yield search_title(row, column)


def _of_depth(rows: Sequence[Row]) -> Iterator[str]:
    """Networks."""
    yield from (str(Combination(**{name: row[name] for name in Combination._fields})) for row in rows)  # type: ignore[arg-type]


def _of_synthetic(study: SyntheticStudy, rows: Sequence[Row], store: Store) -> Iterator[str]:
    """Networks and metrics."""
    there = {(row["what"], row["base"], row["series"], row["level"]) for row in rows}
    for task in study.tasks(Plan(), store):
        what, base, series = (task.about[name] for name in ("what", "base", "series"))
        level = task.about["level"] if series else None
        if (what, base, series, level) in there:
            yield task.title


def main() -> None:
    """Read the command line, and run."""
    parser = argparse.ArgumentParser(prog="python -m tools.accumulate", description=__doc__)
    parser.add_argument("name", choices=STUDIES, metavar="ID")
    parser.add_argument("--store", type=Path, required=True, help="file of runs")
    parser.add_argument("--cells", action="append", default=[], help="a part, as allpass reproduce names it")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--device", default="cpu", help="where they compute")
    parser.add_argument("--list", action="store_true", help="only say what is lacking")
    given = parser.parse_args()
    try:
        _run(given)
    except AllpassError as error:
        sys.exit(str(error))


def _run(given: argparse.Namespace) -> None:
    study, plan = STUDIES[given.name], Plan(tuple(given.cells))
    with Store(given.store) as store:
        there = known(study, kept(study.id), store)
        if given.list:
            for task in study.tasks(plan, store):
                if task.title not in there:
                    print(f"{len(store.missing(study.keys(task))):6,}  {task.title}")
            return
        try:
            failed = reproduce(study, store, Local(given.device, given.workers), plan, Lines(), there)
        except KeyboardInterrupt:
            sys.exit(f"Stopped; {store.path} holds what has ended.")
        if failed:
            sys.exit("\n".join(f"Could not be done: {failure.title}. {failure.error}" for failure in failed))


if __name__ == "__main__":
    main()
