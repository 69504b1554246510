"""The files of a study: its page, its rows, its picture, its table for a paper; and the first page of all studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from allpass.files import check_folder, check_writable, write_whole
from allpass.papers.matrix import to_latex, to_markdown
from allpass.papers.page import Facts, filled, page
from allpass.papers.result import R, csv_text
from allpass.papers.study import Study
from allpass.report.canvas import to_bytes


def files(
    study: Study[R], results: Sequence[R], facts: Facts | None = None, *, quick: bool = False
) -> dict[str, bytes]:
    """The content of the files of a study by name; arguments of :func:`allpass.papers.page.page`."""
    return {
        f"{study.id}.md": page(study, results, facts, quick=quick).encode(),
        f"{study.id}.csv": csv_text(results).encode(),
        f"{study.id}.svg": to_bytes(study.picture(results), ".svg"),
    }


ENDINGS = (".md", ".csv", ".svg", ".tex")


def check_free(study: Study[Any], folder: Path) -> None:
    """Raise where the files of a study could not be written; for asking before the work, not after."""
    check_folder(folder)
    for ending in ENDINGS if folder.is_dir() else ():
        check_writable(folder / f"{study.id}{ending}")


def write(
    study: Study[R], results: Sequence[R], folder: Path, facts: Facts | None = None, *, quick: bool = False
) -> list[Path]:
    """Write the files of a study, and its table in LaTeX, into a folder; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    table = to_latex(study.matrix(results), study.words.title).encode()
    contents = {**files(study, results, facts, quick=quick), f"{study.id}.tex": table}
    paths = {check_writable(folder / name): content for name, content in contents.items()}
    return [write_whole(path, content) for path, content in paths.items()]


def index(studies: Mapping[str, Study[Any]], facts: Mapping[str, Facts]) -> str:
    """The first page: each study that was run, with its verdict.

    Args:
        studies: All studies by ID.
        facts: The facts of those that were run, by ID.
    """
    from pandas import DataFrame, Index

    words = {name: studies[name].words for name in facts}
    table = DataFrame(
        {
            "what is shown": [words[name].title for name in facts],
            "verdict": [filled(name, words[name].verdict, facts[name]) for name in facts],
        },
        index=Index([f"[{name}]({name}.md)" for name in facts], name="ID"),
    )
    return (
        "# Results\n\nPublished tables and figures, run again. Each page gives the claim, whether it holds, a picture "
        "and a table; `allpass reproduce ID` runs it. [How to reproduce](../how-to/reproduce.md) explains the "
        f"words.\n\n{to_markdown(table)}\n"
    )
