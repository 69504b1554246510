"""The files of a study: its page, its rows, its picture, its table for a paper; and the first page of all studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from allpass.files import check_writable, write_whole
from allpass.papers.matrix import to_latex, to_markdown
from allpass.papers.page import filled, page
from allpass.papers.result import R, csv_text
from allpass.papers.study import Study
from allpass.report.canvas import to_bytes


def files(
    study: Study[R], results: Sequence[R], *, whole: bool = True, quick: bool = False
) -> dict[str, bytes]:
    """The content of the files of a study, by name.

    Args:
        study: The study.
        results: Its rows.
        whole: Whether these are all its rows.
        quick: Whether they are of a quick run.
    """
    return {
        f"{study.id}.md": page(study, results, whole=whole, quick=quick).encode(),
        f"{study.id}.csv": csv_text(results).encode(),
        f"{study.id}.svg": to_bytes(study.picture(results), ".svg"),
    }


def write(
    study: Study[R], results: Sequence[R], folder: Path, *, whole: bool = True, quick: bool = False
) -> list[Path]:
    """Write the files of a study, and its table in LaTeX; returns the paths. Arguments of :func:`files`.

    Args:
        study: The study.
        results: Its rows.
        folder: Where to; made where it is missing.
        whole: Whether these are all its rows.
        quick: Whether they are of a quick run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = to_latex(study.matrix(results), study.words.title).encode()
    contents = {**files(study, results, whole=whole, quick=quick), f"{study.id}.tex": table}
    paths = {check_writable(folder / name): content for name, content in contents.items()}
    return [write_whole(path, content) for path, content in paths.items()]


def index(studies: Mapping[str, Study[R]], results: Mapping[str, Sequence[R]]) -> str:
    """The first page: each study that has rows, with its verdict.

    Args:
        studies: All studies by ID.
        results: Their rows by ID.
    """
    from pandas import DataFrame, Index

    shown = [study for name, study in studies.items() if results[name]]
    table = DataFrame(
        {
            "what is shown": [study.words.title for study in shown],
            "verdict": [
                filled(study.id, study.words.verdict, study.facts(results[study.id])) for study in shown
            ],
        },
        index=Index([f"[{study.id}]({study.id}.md)" for study in shown], name="ID"),
    )
    return (
        "# Results\n\nPublished tables and figures, run again. Each page gives the claim, whether it holds, a picture "
        "and a table; `allpass reproduce ID` runs it. [How to reproduce](../how-to/reproduce.md) explains the "
        f"words.\n\n{to_markdown(table)}\n"
    )
