"""Diagnoses to draw, and a headless Chromium that is spoken to over its own debugging pipe."""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import math
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.diagnosis.verdicts import verdict_on
from torch_geometric.data import Data

from allpass.diagnosis import Diagnosis, diagnose
from allpass.diagnosis.race import Stopped
from allpass.report import render

HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" & 'apostrophe' $x_1$ \x00\x1b\n",
    "</title></svg><img src=x onerror=alert(2)>",
)


def ring(num_nodes: int) -> torch.Tensor:
    here = torch.arange(num_nodes)
    there = (here + 1) % num_nodes
    return torch.stack([torch.cat([here, there]), torch.cat([there, here])])


def graph(num_nodes: int, classes: int | None, features: int | None, names: Any = None) -> Data:
    generator = torch.Generator().manual_seed(0)
    data = Data(edge_index=ring(num_nodes) if num_nodes > 1 else torch.empty(2, 0, dtype=torch.long))
    data.num_nodes = num_nodes
    if classes is not None:
        data.y = torch.arange(num_nodes) * classes // num_nodes
        if names is not None:
            data.class_names = list(names)
    if features is not None:
        data.x = torch.randn(num_nodes, features, generator=generator)
    return data


CASES = {
    "plain": lambda: graph(60, 3, 4, ("algae", "birds", "corals")),
    "no labels": lambda: graph(20, None, 4),
    "no features": lambda: graph(20, 3, None),
    "nothing": lambda: graph(20, None, None),
    "one class": lambda: graph(20, 1, 4),
    "one node": lambda: graph(1, 1, 2),
    "forty classes": lambda: graph(
        120, 40, None, [f"department of the {k}th very long name 数学" for k in range(40)]
    ),
    "hostile names": lambda: graph(30, 3, 4, HOSTILE),
    "numbers": lambda: houses(),
}


@pytest.fixture(scope="session")
def diagnoses() -> dict[str, Diagnosis]:
    """One diagnosis for each kind of graph a page must cope with."""
    found = {}
    for name, make in CASES.items():
        data = make()
        data.name = HOSTILE[0] if name == "hostile names" else name
        task = "regression" if name == "numbers" else "classification"
        found[name] = diagnose(data, task=task, verdict=False)
    found["judged"] = judged(found["plain"])
    return found


def houses() -> Data:
    """A ring whose labels are numbers: a wave with two crests, unknown at every tenth node."""
    data = graph(60, None, 4)
    data.y = 4e5 + 1e5 * torch.sin(torch.arange(60) * torch.pi / 15)
    data.y[::10] = torch.nan
    return data


def judged(plain: Diagnosis) -> Diagnosis:
    """The same diagnosis with a verdict on scores that were never trained."""
    scores = {
        "mlp-2": (0.6, 0.62),
        "gcn": (0.8, 0.81),
        "acm-gcn": (0.84, 0.83),
        "label-propagation": (0.5, 0.7),
    }
    stopped = (Stopped("fagcn", "did not fit in the budget", math.nan, 0),)
    return replace(plain, name="judged", verdict=verdict_on(scores, stopped=stopped), no_verdict="")


@pytest.fixture(scope="session")
def diagnosis(diagnoses: dict[str, Diagnosis]) -> Diagnosis:
    """The diagnosis of an ordinary graph."""
    return diagnoses["plain"]


@pytest.fixture(scope="session")
def pages(diagnoses: dict[str, Diagnosis]) -> dict[str, str]:
    """The page of each diagnosis, drawn once."""
    return {name: render(found) for name, found in diagnoses.items()}


class Browser:
    """A page in a headless Chromium; ``ask`` sends one command of the DevTools protocol."""

    def __init__(self, binary: str, profile: Path) -> None:
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        # The browser reads from descriptor 3 and writes to 4: first out of their way, then onto them.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (orders, answers)]
        flags = (
            "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
            "--disable-component-update --disable-sync --disable-dev-shm-usage --remote-debugging-pipe"
        )
        self._process = subprocess.Popen(
            [binary, *flags.split(), f"--user-data-dir={profile}", "about:blank"],
            close_fds=False,
            preexec_fn=lambda: [os.dup2(end, 3 + place) for place, end in enumerate(ends)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (orders, answers, *ends):
            os.close(end)
        self._numbers = itertools.count(1)
        self._unread = b""
        self._session: dict[str, str] = {}
        self.events: list[dict[str, Any]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._session = {"sessionId": session}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        order = {"id": number, "method": method, "params": params, **self._session}
        os.write(self._orders, json.dumps(order).encode() + b"\0")
        while (answer := self._next()).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _next(self, seconds: float = 60) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, end - time.monotonic()))
            chunk = os.read(self._answers, 1 << 16) if ready else b""
            assert chunk, "the browser went silent"
            self._unread += chunk
        answer, self._unread = self._unread.split(b"\0", 1)
        return json.loads(answer)

    def open(self, path: Path, width: int = 1280, *, dark: bool = False, media: str = "") -> None:
        """Load a file and wait for it; ``events`` then holds what happened."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def evaluate(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self) -> bytes:
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        os.close(self._orders)  # the browser leaves when its pipe is closed
        os.close(self._answers)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A running browser, or a skip that says how to get one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    binary = next(filter(None, map(shutil.which, names)), None)
    if binary is None:
        pytest.skip("no Chromium found: make browser installs one where apt is at hand")
    opened = Browser(binary, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()
