"""Draw the picture of README.md and the home page again: ``python -m tools.picture``. It needs Chromium.

The picture is the top of the page that ``allpass diagnose cora`` writes, for fixed models without a limit of time. Next
to it ``report.json`` records what it shows, so that a test can say when the picture is out of date.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from matplotlib import image

from allpass.data import contextual_sbm
from allpass.diagnosis import diagnose
from allpass.errors import MissingFileError
from allpass.files import write_whole
from allpass.report import render
from tools.blocks import ROOT

PICTURE = ROOT / "docs" / "images" / "report.png"
RECORD = PICTURE.with_suffix(".json")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CORA = ("mlp-2", "structure-trees", "gcn", "acm-gcn")
SMALL = ("feature-trees", "structure-trees", "label-propagation")
_WIDTH, _HEIGHT, _MARGIN = 1200, 2400, 24


def top(graph: object, candidates: tuple[str, ...]) -> str:
    """The page of a graph up to the end of its first section."""
    page = render(diagnose(graph, candidates=candidates, device="cpu"))
    return page[: page.index("</section>")] + "</section></main></div></body></html>"


def text(page: str) -> str:
    """The words and numbers of a page, one piece a line."""
    pieces = re.sub(r"<style.*?</style>|<title.*?</title>|<[^>]+>", "\n", page, flags=re.DOTALL).splitlines()
    return html.unescape("\n".join(" ".join(piece.split()) for piece in pieces if piece.strip()))


def drawing() -> str:
    """A digest of how a page is drawn: that of a small graph, with its numbers left out."""
    small = contextual_sbm([40, 40], [[0.9, 0.1], [0.1, 0.9]], num_features=4)
    return hashlib.sha256(re.sub(r"-?\d+(\.\d+)?", "#", top(small, SMALL)).encode()).hexdigest()


def screenshot(page: str, path: Path) -> None:
    """A page in Chromium, cut below its last line."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise MissingFileError(f"None of {', '.join(BROWSERS)} is installed.", "Run make browser.")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.png")
        source.write_text(page, encoding="utf-8")
        size = f"--window-size={_WIDTH},{_HEIGHT}"
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size)
        command = [browser, *flags, f"--screenshot={target}", source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        pixels = image.imread(target)
        drawn = (pixels != pixels[-1, 0]).any(axis=(1, 2)).nonzero()[0]
        image.imsave(target, pixels[: drawn[-1] + _MARGIN])
        write_whole(path, target.read_bytes())


def cora() -> str:
    """The top of the page of the Cora that comes with the package, wherever other datasets are."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"ALLPASS_CACHE": folder}):
        os.environ.pop("ALLPASS_DATA", None)
        return top("cora", CORA)


def main() -> int:
    """Draw the picture and write its record."""
    page = cora()
    screenshot(page, PICTURE)
    record = {"drawing": drawing(), "text": text(page).splitlines()}
    write_whole(RECORD, (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
