"""Whatever a file or option holds: exit status 0 or 2, one sentence, no half-written file, bounded time and memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.cases import prepare
from tests.fuzz.prototypes import files_of, prototypes

DEFAULT, SLOW, REAL = 200, 10_000, 50


def outcomes(folder: Path, first: int, last: int) -> list[dict[str, Any]]:
    """What came of these cases, forked from one warm process."""
    command = [sys.executable, "-m", "tests.fuzz.warm", str(folder), str(first), str(last)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"ALLPASS_DATA": ""}
    )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"number"')]
    assert len(found) == last - first, done.stderr[-2000:]
    return found


def wrong(found: dict[str, Any]) -> list[str]:
    """What a case breaks of the rule."""
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[^\n]*\r", "", found["said"])  # a progress bar
    sentences = [line for line in said.splitlines() if line.startswith("allpass: ")]
    problems = []
    if found["status"] not in (0, 2):
        problems.append(f"exit status {found['status']}")
    if re.search(r"Unexpected \w+:", said) or "Traceback" in said or "Warning:" in said:
        problems.append("an error or a warning of a library")
    if found["status"] == 2 and "Usage:" not in said:
        if len(sentences) != 1:
            problems.append(f"{len(sentences)} sentences")
        problems += [f"{len(line)} characters" for line in sentences if len(line) > 300 + len("allpass: ")]
        problems += ["control characters" for line in sentences if not line.isprintable()]
    if found.get("seconds", 0) > 30:
        problems.append(f"{found['seconds']:.0f} seconds")
    if found.get("memory", 0) > 2**30:
        problems.append(f"{found['memory'] / 2**30:.1f} GB")
    whole = found["status"] == 0
    problems += [f"left {name}" for name in found["left"] if ".part" in name or not (whole or ".db" in name)]
    return problems


def check(found: list[dict[str, Any]]) -> None:
    broken = {
        one["number"]: (one["kind"], problems, one["said"][-400:])
        for one in found
        if (problems := wrong(one))
    }
    assert not broken, f"{len(broken)} of {len(found)}: {json.dumps(broken, indent=1)[:6000]}"


def test_some_hundred_cases(tmp_path: Path) -> None:
    check(outcomes(tmp_path, 0, DEFAULT))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_cases(tmp_path: Path, part: int) -> None:
    share = SLOW // 10
    check(outcomes(tmp_path, DEFAULT + part * share, DEFAULT + (part + 1) * share))


@pytest.mark.slow
def test_fifty_real_processes(tmp_path: Path) -> None:
    """As the forked ones, so that the harness hides nothing."""
    originals, found = prototypes(tmp_path / "originals"), []
    for number in range(REAL):
        place = tmp_path / str(number)
        place.mkdir()
        case = prepare(number, place, originals)
        before = files_of(place)
        done = subprocess.run(
            [sys.executable, "-m", "allpass", *case.words],
            cwd=place,
            capture_output=True,
            timeout=90,
            check=False,
        )
        said = done.stderr.decode(errors="replace")
        left = sorted(files_of(place) - before)
        found.append(
            {"number": number, "kind": case.kind, "status": done.returncode, "said": said, "left": left}
        )
    check(found)
