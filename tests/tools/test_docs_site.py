from __future__ import annotations

import re
import subprocess
import sys

import pytest
from tools.blocks import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for package in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(package, reason="the site is built with the extra 'docs'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_builds_and_loads_nothing_from_elsewhere(site):
    pages = [path.read_text(encoding="utf-8") for path in site.rglob("*.html")]
    assert len(pages) > 20
    for page in pages:
        assert not re.findall(r'(?:src|<link[^>]* href)="(?:https?:)?//', page)


def test_formulas_and_references_are_shown(site):
    text = (site / "reference" / "metrics-api.html").read_text(encoding="utf-8")
    assert "<math" in text
    assert ":math:" not in text
    assert 'href="graph.html#allpass.graph.operator.Operator"' in text
    assert "<autoref" not in text
