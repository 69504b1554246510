"""Run what a documentation page shows: its Python blocks and its ``allpass`` commands, from top to bottom.

A page runs like one sitting at a prompt: one folder, one namespace. A fenced block with ``title="NAME"`` is first
written to that file. Commands run in this process, which spares each of them the seconds it takes to import torch.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FENCE = re.compile(r'^```(\w+)?(?: title="([^"]+)")?[^\n]*\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?|\bnan\b|\binf\b")
_WIDTH = "96"  # what fits into the text column of the site


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Args:
        language: The word after the fence.
        title: The file it is shown as, or nothing.
        code: What stands in it.
        end: Where it ends in the page.
    """

    language: str
    title: str
    code: str
    end: int


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, generated ones left out."""
    bare = re.sub(
        r"<!-- generated: ([\w-]+) -->.*?<!-- end: \1 -->",
        lambda found: " " * len(found[0]),
        text,
        flags=re.DOTALL,
    )
    for found in _FENCE.finditer(bare):
        yield Block(found[1] or "", found[2] or "", found[3], found.end())


def run(text: str, folder: Path) -> list[tuple[Block, str]]:
    """Run a page in ``folder``; returns each block that was run with what it printed.

    Raises:
        RuntimeError: A command of the page ended with another status than 0.
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    outputs = []
    with _terminal(folder):
        for block in blocks(text):
            if block.title:
                Path(block.title).write_text(block.code, encoding="utf-8")
            elif block.language == "python":
                with contextlib.redirect_stdout(io.StringIO()) as said:
                    exec(compile(block.code, "<page>", "exec"), namespace)
                outputs.append((block, said.getvalue()))
            elif block.language in ("bash", "console"):
                lines = block.code.replace("\\\n", " ").splitlines()
                said_by = [_command(line) for line in lines if line.startswith("allpass ")]
                outputs.append((block, "".join(said_by)))
    return outputs


@contextlib.contextmanager
def _terminal(folder: Path) -> Iterator[None]:
    """Inside ``folder``, with a plain terminal of a fixed width and no data folder."""
    before, environment = Path.cwd(), dict(os.environ)
    os.chdir(folder)
    os.environ.update(
        {"COLUMNS": _WIDTH, "TERM": "dumb", "NO_COLOR": "1", "ALLPASS_CACHE": str(folder / "cache")}
    )
    os.environ.pop("ALLPASS_DATA", None)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


def _command(line: str) -> str:
    from allpass.cli.main import run as run_command

    words, _, target = line.partition(" > ")
    said, complained, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        try:
            run_command(shlex.split(words, comments=True)[1:])
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
    if status:
        raise RuntimeError(
            f"The command {line!r} ended with status {status}: {complained.getvalue().strip()}"
        )
    if target:
        Path(target.strip()).write_text(said.getvalue(), encoding="utf-8")
        return ""
    return "\n".join(row.rstrip() for row in said.getvalue().splitlines()) + "\n"


def alike(stated: str, found: str) -> bool:
    """Whether two outputs say the same: equal words, and numbers that differ by 5% or 0.02 at most.

    Other processors, numbers of threads and releases of torch round differently, and training magnifies that: pages
    that train for long do it in float64.
    """
    words = [" ".join(_NUMBER.sub("#", text).split()) for text in (stated, found)]
    numbers = [[_number(n) for n in _NUMBER.findall(text)] for text in (stated, found)]
    return words[0] == words[1] and all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= max(0.02, 0.05 * abs(a))
        for a, b in zip(*numbers, strict=True)
    )


def _number(text: str) -> float:
    return float(text.replace(",", ""))
