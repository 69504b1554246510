"""Renew the generated parts of docs/: ``python -m tools.tables``; ``--check`` only says what is stale.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end: NAME -->``. A part called ``output-1``
holds what the code block before it printed. Parts whose input is not at hand (a folder of datasets, results of
``make bench``) stay as they are.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from allpass.files import write_whole
from tools import blocks, pages
from tools.contents import BLOCKS, CHEAP
from tools.results import InputMissingError


@cache
def content(name: str) -> str:
    """The content of a block, made once."""
    if name not in BLOCKS:
        raise KeyError(
            f"There is no generated block {name!r}. Known names: {', '.join(BLOCKS)}, output-1, ..."
        )
    return BLOCKS[name]()


def outputs(text: str) -> dict[str, str]:
    """What the code blocks before the blocks ``output-...`` of a page print."""
    if not any(name.startswith("output-") for name in blocks.names(text)):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        said = pages.run(text, Path(folder))
    found = {}
    for name, start in blocks.starts(text):
        if name.startswith("output-"):
            before = [output for block, output in said if block.end <= start]
            found[name] = f"```text\n{before[-1].strip(chr(10))}\n```"
    return found


def renewed(text: str, only: frozenset[str] | None, say: Callable[[str], None]) -> str:
    """A page with its blocks renewed, or with those in ``only``."""
    printed = outputs(text) if only is None else {}

    def fresh(name: str) -> str | None:
        if only is not None and name not in only:
            return None
        try:
            return printed[name] if name.startswith("output-") else content(name)
        except InputMissingError as missing:
            say(f"skipped {name}: {missing}")
            return None

    return blocks.fill(text, fresh)


def main(arguments: Sequence[str] | None = None) -> int:
    """Renew, or with ``--check`` only compare; the exit status is 1 when something is stale."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a block is stale")
    parser.add_argument("--cheap", action="store_true", help="leave out what takes minutes or needs data")
    given = parser.parse_args(arguments)
    stale = 0
    for path in blocks.pages():
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        new = renewed(text, CHEAP if given.cheap else None, print)
        if new == text:
            continue
        stale += 1
        print(f"{'stale' if given.check else 'renewed'}: {path.relative_to(blocks.ROOT)}")
        if not given.check:
            write_whole(path, new.encode())
    return int(given.check and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
