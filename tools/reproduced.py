"""``python -m tools.reproduced [--store FILE] [ID ...]``: make the pages of docs/results from their rows.

With a store, its finished rows take the places of older ones first. ``--check`` only lists the files that are not what
the rows give.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from allpass.files import write_whole
from allpass.papers import STUDIES, Plan, Result
from allpass.papers.page import Facts
from allpass.papers.publish import files, index
from allpass.papers.result import merged, read_results
from allpass.train.runs.store import Store
from tools.blocks import ROOT

FOLDER = ROOT / "docs" / "results"
PARTS = {"acm-bars": "acm-random"}
"""Studies whose rows are a part of those of another one."""


def kept(name: str) -> Sequence[Any]:
    """The committed rows of a study; of a part, those rows of the other study that it shows."""
    study, whole = STUDIES[name], PARTS.get(name, name)
    rows: Sequence[Result] = read_results(FOLDER / f"{whole}.csv", study.result)
    if whole == name:
        return rows
    shown = {(cell.name, cell.column.name, kind) for cell, kind in study.asked(Plan())}  # type: ignore[attr-defined]
    return [row for row in rows if (row.name, row.column, row.kind) in shown]  # type: ignore[attr-defined]


def facts() -> dict[str, Facts]:
    """The facts of every study that was run."""
    return {name: study.facts(rows) for name, study in STUDIES.items() if (rows := kept(name))}


def wanted() -> dict[Path, bytes]:
    """What the files of the folder should hold."""
    known = facts()
    found = {FOLDER / "index.md": index(STUDIES, known).encode()}
    for name in known:
        contents = files(STUDIES[name], kept(name), known[name])
        found |= {FOLDER / file: content for file, content in contents.items()}
    return found


def stale() -> list[Path]:
    """The files of the folder that are not what their rows give."""
    made = wanted()
    paths = {*made, *FOLDER.iterdir()}
    return sorted(path for path in paths if not path.exists() or made.get(path) != path.read_bytes())


def main() -> None:
    """Read the command line, and renew or check."""
    parser = argparse.ArgumentParser(prog="python -m tools.reproduced", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*STUDIES, []], metavar="ID", help="all by default")
    parser.add_argument("--store", type=Path, help="file of runs whose rows are taken over")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.check:
        found = stale()
        for path in found:
            print(f"{path.relative_to(ROOT)} is not what its rows give")
        sys.exit(bool(found))
    names = given.names or list(STUDIES)
    for name in [*names, *(part for part, whole in PARTS.items() if whole in names and part not in names)]:
        study, rows = STUDIES[name], kept(name)
        if given.store is not None and name not in PARTS:
            with Store(given.store, read_only=True) as store:
                rows = merged(rows, study.results(Plan(), store))
        if rows:
            for file, content in files(study, rows, study.facts(rows)).items():
                write_whole(FOLDER / file, content)
        print(f"{name}: {len(rows):,} rows")
    write_whole(FOLDER / "index.md", index(STUDIES, facts()).encode())


if __name__ == "__main__":
    main()
