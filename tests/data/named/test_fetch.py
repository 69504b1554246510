from __future__ import annotations

import hashlib
import http.server
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from allpass.data.named.fetch import (
    RemoteFile,
    cache_folder,
    data_folders,
    discard,
    download,
    find,
    github,
    locate,
    sha256_of,
)
from allpass.errors import DownloadError, MissingExtraError, MissingFileError

CONTENT = b"the right bytes"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PATH = "Set/raw/file.bin"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALLPASS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("ALLPASS_DATA", raising=False)
    return tmp_path / "cache"


class Server:
    """Answers /good, /wrong, /short and /missing, and counts who asked."""

    def __init__(self) -> None:
        self.answers = {"/good": CONTENT, "/wrong": b"other bytes"}
        self.asked: list[str] = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                body = server.answers.get(self.path, CONTENT[:5] if self.path == "/short" else None)
                self.send_response(200 if body is not None else 404)
                self.send_header(
                    "Content-Length", str(len(CONTENT if self.path == "/short" else body or b""))
                )
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *args: object) -> None:
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}{path}"


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def put(folder: Path, content: bytes = CONTENT) -> Path:
    target = folder / PATH
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


class TestOrder:
    def test_argument_then_environment_then_cache(self, tmp_path, cache, monkeypatch):
        file = RemoteFile(PATH, SHA256)
        monkeypatch.setenv("ALLPASS_DATA", str(tmp_path / "named"))
        places = [put(cache), put(tmp_path / "named"), put(tmp_path / "given")]
        assert locate(file) == places[1]
        assert locate(file, tmp_path / "given") == places[2]
        places[2].unlink()
        assert locate(file, tmp_path / "given") == places[1]
        places[1].unlink()
        assert locate(file, tmp_path / "given") == places[0]

    def test_nothing_is_downloaded_when_the_file_is_here(self, cache, server):
        put(cache)
        assert locate(RemoteFile(PATH, SHA256, (server.url("/good"),))) == cache / PATH
        assert server.asked == []

    def test_a_data_folder_may_hold_another_version(self, tmp_path):
        put(tmp_path, b"re-encoded")
        found = find(RemoteFile(PATH, SHA256), tmp_path)
        assert found is not None
        assert (found.place, found.as_published) == ("data folder", False)

    def test_a_file_of_unknown_hash_is_neither_right_nor_wrong(self, tmp_path):
        put(tmp_path)
        found = find(RemoteFile(PATH), tmp_path)
        assert found is not None
        assert found.as_published is None

    def test_a_data_dir_that_does_not_exist_is_an_error(self, tmp_path):
        with pytest.raises(MissingFileError, match="does not exist"):
            data_folders(tmp_path / "nowhere")

    def test_a_file_is_no_data_dir(self, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(
            MissingFileError, match=r"'.*file' is a file, not a folder\. Name an existing folder"
        ):
            data_folders(tmp_path / "file")

    def test_a_named_folder_that_does_not_exist_is_passed_over(self, tmp_path, monkeypatch, cache):
        monkeypatch.setenv("ALLPASS_DATA", str(tmp_path / "nowhere"))
        put(cache)
        assert locate(RemoteFile(PATH)) == cache / PATH

    def test_the_cache_is_the_users_own_by_default(self, monkeypatch):
        monkeypatch.delenv("ALLPASS_CACHE")
        assert cache_folder().name == "allpass"


class TestWithoutPooch:
    @pytest.fixture(autouse=True)
    def no_pooch(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pooch", None)
        monkeypatch.delenv("ALLPASS_CACHE")

    def test_files_at_hand_are_found(self, tmp_path):
        put(tmp_path)
        assert locate(RemoteFile(PATH), tmp_path) == tmp_path / PATH
        assert cache_folder().name == "allpass"

    def test_a_download_names_what_is_missing(self):
        with pytest.raises(MissingExtraError, match="pip install pooch"):
            download(RemoteFile(PATH, None, ("https://127.0.0.1/x",)))


class TestDownload:
    def test_a_good_file(self, cache, server):
        found = download(RemoteFile(PATH, SHA256, (server.url("/good"),)))
        assert (found.path, found.place, found.as_published) == (cache / PATH, "download", True)
        assert found.path.read_bytes() == CONTENT
        assert files_in(cache) == {PATH}

    @pytest.mark.parametrize("answer", ["/wrong", "/short", "/missing"])
    def test_a_bad_answer_leaves_nothing_behind(self, cache, server, answer):
        with pytest.raises(DownloadError) as error:
            download(RemoteFile(PATH, SHA256, (server.url(answer),)))
        assert server.url(answer) in str(error.value)
        assert str(cache / PATH) in str(error.value)
        assert files_in(cache) == set()

    def test_the_wrong_hash_is_named(self, server):
        with pytest.raises(DownloadError, match=SHA256):
            download(RemoteFile(PATH, SHA256, (server.url("/wrong"),)))

    def test_a_short_file_of_unknown_hash_is_refused_too(self, cache, server):
        with pytest.raises(DownloadError):
            download(RemoteFile(PATH, None, (server.url("/short"),)))
        assert files_in(cache) == set()

    @pytest.mark.parametrize("first", ["/missing", "/wrong", "/short"])
    def test_the_next_mirror_helps(self, cache, server, first):
        file = RemoteFile(PATH, SHA256, (server.url(first), server.url("/good")))
        assert locate(file).read_bytes() == CONTENT
        assert server.asked == [first, "/good"]
        assert files_in(cache) == {PATH}

    def test_offline(self, cache, server, monkeypatch):
        server.http.shutdown()
        server.http.server_close()
        monkeypatch.setenv("ALLPASS_DATA", "my-data")
        with pytest.raises(DownloadError) as error:
            locate(RemoteFile(PATH, SHA256, (server.url("/good"), server.url("/also"))))
        message = str(error.value)
        assert message.count("no answer") == 2
        assert str(Path("my-data") / PATH) in message
        assert "ALLPASS_DATA names 'my-data', and there is no such folder" in message
        assert str(cache / PATH) in message
        assert "\n" not in message
        assert files_in(cache) == set()

    def test_a_file_without_sources(self):
        with pytest.raises(DownloadError, match="no source is known"):
            locate(RemoteFile(PATH, SHA256))

    def test_a_damaged_copy_in_the_cache_is_fetched_again(self, cache, server):
        put(cache, b"damaged")
        file = RemoteFile(PATH, SHA256, (server.url("/good"),))
        assert find(file) is None
        assert locate(file).read_bytes() == CONTENT

    def test_a_damaged_copy_that_cannot_be_replaced_is_named(self, cache, server):
        put(cache, b"damaged")
        with pytest.raises(DownloadError, match="damaged copy in the cache"):
            locate(RemoteFile(PATH, SHA256, (server.url("/missing"),)))
        assert (cache / PATH).read_bytes() == b"damaged"


class TestFirstDownload:
    def test_its_hash_is_recorded_and_demanded_ever_after(self, cache, server):
        file = RemoteFile(PATH, None, (server.url("/good"),))
        assert download(file).as_published is None
        assert json.loads((cache / "hashes.json").read_text()) == {PATH: SHA256}
        (cache / PATH).write_bytes(b"changed")
        assert find(file) is None
        server.answers["/good"] = b"upstream changed it"
        with pytest.raises(DownloadError, match=SHA256):
            locate(file)
        server.answers["/good"] = CONTENT
        assert locate(file).read_bytes() == CONTENT

    def test_discard_forgets_file_and_hash(self, cache, server):
        discard(download(RemoteFile(PATH, None, (server.url("/good"),))))
        assert files_in(cache) == {"hashes.json"}
        assert json.loads((cache / "hashes.json").read_text()) == {}

    def test_a_broken_record_is_started_anew(self, cache, server):
        cache.mkdir()
        (cache / "hashes.json").write_text("{broken")
        download(RemoteFile(PATH, None, (server.url("/good"),)))
        assert json.loads((cache / "hashes.json").read_text()) == {PATH: SHA256}


def test_sha256_of(tmp_path):
    (tmp_path / "file").write_bytes(CONTENT)
    assert sha256_of(tmp_path / "file") == SHA256


def test_github_names_two_mirrors_of_one_commit():
    assert github("some/repo", "abc")("a folder/Johns Hopkins.mat") == (
        "https://raw.githubusercontent.com/some/repo/abc/a%20folder/Johns%20Hopkins.mat",
        "https://cdn.jsdelivr.net/gh/some/repo@abc/a%20folder/Johns%20Hopkins.mat",
    )
