from __future__ import annotations

import re
import subprocess
import sys
import time

import pytest
from tests.report.conftest import browser  # noqa: F401
from tools.blocks import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for package in ("mkdocs", "material", "mkdocstrings", "mkdocs_jupyter"):
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
    assert not re.findall(r"</p>\s*<math", text)  # a formula at the start of a line stays in its paragraph
    assert ":math:" not in text
    assert 'href="graph.html#allpass.graph.operator.Operator"' in text
    assert "<autoref" not in text


@pytest.mark.browser
def test_search_works_from_a_folder(site, browser):  # noqa: F811
    browser.open(site / "index.html")
    browser.evaluate(
        "document.querySelector('label[for=__search]').click();"
        "const field = document.querySelector('input.md-search__input'); field.focus();"
        "field.value = 'heterophily'; field.dispatchEvent(new Event('input')); null"
    )
    links = "[...document.querySelectorAll('a.md-search-result__link')].map(link => link.href)"
    found, end = [], time.monotonic() + 30
    while not found and time.monotonic() < end:
        found = browser.evaluate(links)
        time.sleep(0.1)
    assert len(found) > 3
    assert all(link.startswith(site.as_uri()) for link in found)
