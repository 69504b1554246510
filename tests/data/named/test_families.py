from __future__ import annotations

import re
from importlib import resources
from urllib.parse import urlsplit

import pytest

from allpass.data.named.catalog import DATASETS
from allpass.data.named.families import file, planetoid_source

FILES = {file.path: file for entry in DATASETS for source in entry.sources for file in source.files}


def listed() -> dict[str, str]:
    lines = (resources.files("allpass.data") / "embedded" / "SHA256SUMS").read_text().splitlines()
    return {path: sha256 for sha256, path in (line.split("  ") for line in lines)}


def test_every_listed_hash_belongs_to_a_file_of_the_catalogue():
    assert set(listed()) <= set(FILES)
    for path, sha256 in listed().items():
        assert re.fullmatch("[0-9a-f]{64}", sha256)
        assert FILES[path].sha256 == sha256


@pytest.mark.parametrize("path", sorted(FILES))
def test_files_lie_inside_the_folder_and_come_by_https(path):
    assert not path.startswith("/")
    assert ".." not in path.split("/")
    for url in FILES[path].urls:
        parts = urlsplit(url)
        assert parts.scheme == "https"
        if parts.netloc in ("raw.githubusercontent.com", "cdn.jsdelivr.net"):
            assert re.search("[/@][0-9a-f]{40}/", parts.path), "not a fixed commit"


def test_a_file_of_unknown_hash():
    assert file("nowhere/else.npz").sha256 is None


def test_planetoid_has_eight_needed_files_and_ten_optional_ones():
    source = planetoid_source("Cora")
    assert len(source.needed) == 8
    assert len(source.files) == 18
    assert source.downloadable
    assert not planetoid_source("Cora", download=False).downloadable
