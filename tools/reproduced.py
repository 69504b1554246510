"""``python -m tools.reproduced --store FILE [ID ...]``: put finished rows of a store onto the pages of docs/results.

Rows that stand there already stay until the store has newer ones of the same cell. ``--check`` only says which pages
are not what their rows give.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from allpass.files import write_whole
from allpass.papers.catalogue import STUDIES
from allpass.papers.pages.catalogue import PAGES
from allpass.papers.pages.csv_file import csv_text
from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Page, Picture
from allpass.papers.pages.tables.agreement import (
    Count,
    count,
    paired_with_fresh,
    told_missed,
    told_shortfall,
)
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.elsewhere import told_elsewhere
from allpass.papers.pages.tables.worth import told_worth
from allpass.papers.study import Plan, Row, merged
from allpass.papers.tables.study import TableStudy
from allpass.report.canvas import to_bytes
from allpass.train.runs.store import Store
from tools.blocks import ROOT
from tools.kept import FOLDER, kept

PARTS = {"acm-bars": "acm-random"}
"""Studies that show a part of another one."""
FIRST = 3
"""So many findings of a study stand on the first page at most."""
ACM = ("acm-random", "acm-fixed", "acm-deezer")
"""The tables of one paper, which are judged together."""


def current(name: str) -> list[Row]:
    """The kept rows; of a part of another study those of that study."""
    if name not in PARTS:
        return kept(name)
    study = STUDIES[name]
    assert isinstance(study, TableStudy)
    cells = {(cell.row, cell.column.name) for cell in study.spec.cells}
    return [row for row in kept(PARTS[name]) if (row["row"], row["column"]) in cells]


def asked(names: Sequence[str]) -> list[str]:
    """The studies that are renewed: those that are named, and after them what shows a part of one."""
    whole = [name for name in names if name not in PARTS]
    return [*whole, *(part for part, of in PARTS.items() if part in names or of in names)]


def files(name: str, rows: Sequence[Row], page: Page) -> dict[Path, bytes]:
    """The rows of a study, its page and its pictures."""
    pictures = {
        FOLDER / f"{block.name}.svg": to_bytes(block.draw(), ".svg")
        for block in page.blocks
        if isinstance(block, Picture)
    }
    texts = {"csv": csv_text(rows), "md": markdown(page)}
    return {**{FOLDER / f"{name}.{suffix}": text.encode() for suffix, text in texts.items()}, **pictures}


def pages() -> dict[str, Page]:
    """The page of every study that has rows."""
    return {name: PAGES[name](STUDIES[name], rows) for name in STUDIES if (rows := current(name))}


def index(made: Mapping[str, Page]) -> str:
    """The first page: what came of every study, and how much of it is there."""
    lines = [
        "# Results",
        "",
        "Each page sets our runs beside what was published, and begins with what came of it. The numbers of ours "
        "stand in the file beside it, and the command on the page makes them again. [How to read a "
        "table](../how-to/reproduce.md#how-to-read-a-table) says what “same” and “honest” mean.",
    ]
    said = agreement()
    lines += ["", "## ACM in short", "", *(f"- {text}" for text in said)] if said else []
    for name, study in STUDIES.items():
        rows = current(name)
        lines += ["", f"## [{study.title}]({name}.md)" if rows else f"## {study.title}", ""]
        if rows:
            last = max(str(row["ended"]) for row in rows)
            lines += [
                *(f"- {text}" for text in made[name].findings[:FIRST]),
                "",
                f"`{name}`: [{len(rows):,} rows]({name}.csv), last run {last}",
            ]
        else:
            lines.append(f"`{name}`: not run yet")
    return "\n".join(lines) + "\n"


def agreement() -> list[str]:
    """What came of the ACM paper: how many cells agree with it, on its splits and on others, and what it is worth."""
    found = {name: Results(STUDIES[name], kept(name)) for name in ACM if name in STUDIES}
    counts = {name: count(table, only="ACM") for name, table in found.items()}
    said = sum(counts.values(), Count()).said("ACM cells")
    if not said:
        return []
    tables = list(found.values())
    once = [
        table for name, table in found.items() if name != "acm-fixed"
    ]  # which has the graphs of acm-random again
    each = ", ".join(f"{name} {counted.share()}" for name, counted in counts.items())
    why = told_missed(tables)
    parts = (
        f"At the published settings, {said}",
        f"By table: {each}{f'. Of all of them {why}' if why else ''}.",
        told_shortfall(tables),
        paired_with_fresh(tables),
        *(f"{text[:-1]}; of acm-random and acm-deezer." for text in told_worth(once)),
        *(text for table in tables for text in told_elsewhere(table)),
    )
    return [part for part in parts if part]


def stale() -> list[Path]:
    """The files of the folder that are not what their rows give."""
    made = pages()
    wanted = {FOLDER / "index.md": index(made).encode()}
    for name, page in made.items():
        wanted |= files(name, current(name), page)
    return sorted(
        path
        for path in {*wanted, *FOLDER.iterdir()}
        if not path.exists() or wanted.get(path) != path.read_bytes()
    )


def main() -> None:
    """Read the command line, and renew or check."""
    parser = argparse.ArgumentParser(prog="python -m tools.reproduced", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*STUDIES, []], metavar="ID", help="all by default")
    parser.add_argument("--store", type=Path, help="file of runs; without it pages are made of the kept rows")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.check:
        found = stale()
        for path in found:
            print(f"{path.relative_to(ROOT)} is not what its rows give")
        sys.exit(bool(found))
    FOLDER.mkdir(exist_ok=True)
    for name in asked(given.names or list(STUDIES)):
        rows = current(name)
        if given.store is not None:
            with Store(given.store, read_only=True) as store:
                rows = merged(STUDIES[name], current(name), STUDIES[name].rows(Plan(), store))
        if rows:
            for path, content in files(name, rows, PAGES[name](STUDIES[name], rows)).items():
                write_whole(path, content)
        print(f"{name}: {len(rows):,} rows")
    write_whole(FOLDER / "index.md", index(pages()).encode())


if __name__ == "__main__":
    main()
