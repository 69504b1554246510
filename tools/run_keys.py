"""``python -m tools.run_keys [ID ...]``: list the keys of all runs that the studies ask for, as one digest per study.

With IDs, only their lines are renewed: the keys of the large tables take minutes.

The committed list (``tests/papers/run_keys.csv``) must not change when a default changes: a stored run is found by
its key. Where it does change, ``--full FILE`` writes every identity, so that two versions can be compared with diff.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from allpass.papers import STUDIES
from allpass.papers.study import Plan
from allpass.train.runs.store import Store
from tools.blocks import ROOT

LIST = ROOT / "tests" / "papers" / "run_keys.csv"


def identities(study: str) -> list[str]:
    """The identities of all runs that a study asks for at first, without an entry twice.

    Args:
        study: Its ID.
    """
    with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/empty.db") as store:
        found = STUDIES[study]
        return sorted({key.identity for task in found.tasks(Plan(), store) for key in found.keys(task)})


def digest(names: list[str]) -> str:
    """One hash for a sorted list of identities."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def rows(renewed: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Study, number of runs and digest, as they stand in the list.

    Args:
        renewed: The studies whose keys are listed again; others keep their lines.
    """
    before = listed()
    for study in STUDIES:
        if study in renewed:
            names = identities(study)
            yield study, str(len(names)), digest(names)
        elif study in before:
            yield study, *before[study]


def listed() -> dict[str, tuple[str, str]]:
    """Number of runs and digest of every study, as committed."""
    with LIST.open(newline="") as file:
        return {row["study"]: (row["runs"], row["digest"]) for row in csv.DictReader(file)}


def main() -> None:
    """Write the list, or every identity."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", type=Path, help="write every identity to this file instead")
    parser.add_argument("names", nargs="*", choices=[*STUDIES, []], metavar="ID", help="all by default")
    given = parser.parse_args()
    full, names = given.full, given.names or list(STUDIES)
    if full is not None:
        full.write_text("".join(f"{study} {name}\n" for study in names for name in identities(study)))
        return
    lines = list(rows(names))
    with LIST.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["study", "runs", "digest"])
        writer.writerows(lines)


if __name__ == "__main__":
    main()
