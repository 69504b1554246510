"""Where the files of a named dataset come from: a data folder, the cache, or a verified download.

A file is looked for in the ``data_dir`` argument, in the folder that ``ALLPASS_DATA`` names and in the user's cache
(``ALLPASS_CACHE`` moves it), in this order; only then is it downloaded into the cache.

A download must have the published sha256. Where none was published, the hash of the first download is written to
``hashes.json`` in the cache and demanded ever after: that protects from later changes, not from a wrong first copy,
so such files come from a fixed commit where there is one and the graph is compared with its published counts.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

from allpass.errors import DownloadError, MissingExtraError, MissingFileError

Place = Literal["data folder", "cache", "download"]


@dataclass(frozen=True)
class RemoteFile:
    """One file of a dataset.

    Args:
        path: Where it lies inside a data folder, with forward slashes.
        sha256: Its published hash in hex, when there is one.
        urls: Places to download it from, tried in turn.
        optional: The graph can be read without it.
    """

    path: str
    sha256: str | None = None
    urls: tuple[str, ...] = ()
    optional: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Found:
    """A file on this machine.

    Args:
        file: What was asked for.
        path: Where it is.
        place: Where it came from, in words.
        as_published: Whether its hash is the published one; nothing when none was published.
    """

    file: RemoteFile
    path: Path
    place: Place
    as_published: bool | None


def locate(file: RemoteFile, data_dir: str | os.PathLike[str] | None = None) -> Path:
    """The path of ``file`` on this machine; it is downloaded when it is nowhere yet.

    Raises:
        DownloadError: No source gave the right file; the message says where to put it by hand.
        MissingFileError: ``data_dir`` is not a folder.
    """
    return (find(file, data_dir) or download(file)).path


def find(file: RemoteFile, data_dir: str | os.PathLike[str] | None = None) -> Found | None:
    """``file`` in a data folder or in the cache; nothing when it is in neither.

    A file in a data folder is taken as it is, for people may have re-encoded it; ``as_published`` tells. A file in
    the cache whose hash is not the expected one is damaged and counts as absent.
    """
    for folder in data_folders(data_dir):
        path = folder / file.path
        if path.is_file():
            as_published = sha256_of(path) == file.sha256 if file.sha256 else None
            return Found(file, path, "data folder", as_published)
    path = cache_folder() / file.path
    if not path.is_file():
        return None
    expected = file.sha256 or _recorded().get(file.path)
    if expected and sha256_of(path) != expected:
        return None
    return Found(file, path, "cache", True if file.sha256 else None)


def download(file: RemoteFile) -> Found:
    """Download ``file`` into the cache from the first source that gives it whole."""
    pooch = _pooch()
    target = cache_folder() / file.path
    expected = file.sha256 or _recorded().get(file.path)
    failures = []
    for url in file.urls:
        try:
            _retrieve(pooch, url, expected, target)
        except (OSError, ValueError) as error:  # requests' errors are OSErrors; a wrong hash is a ValueError
            failures.append(f"{url} ({_reason(error, expected)})")
            continue
        if file.sha256 is None:
            _record(file.path, sha256_of(target))
        return Found(file, target, "download", True if file.sha256 else None)
    tried = "; ".join(failures) or "no source is known for it"
    lack = "which has a damaged copy in the cache" if target.is_file() else "which is in no data folder"
    raise DownloadError(
        f"Could not download {file.path}, {lack}. Tried: {tried}.", f"Save it as {_by_hand(file)}."
    )


def discard(found: Found) -> None:
    """Forget a download that turned out to be no such dataset, so that the next try starts afresh."""
    found.path.unlink(missing_ok=True)
    _record(found.file.path, None)


def data_folders(data_dir: str | os.PathLike[str] | None = None) -> list[Path]:
    """The data folders to look in: the argument, then the one that ``ALLPASS_DATA`` names."""
    folders = []
    if data_dir is not None:
        folder = Path(data_dir)
        if not folder.is_dir():
            problem = "is a file, not a folder" if folder.exists() else "does not exist"
            raise MissingFileError(f"The data folder {str(folder)!r} {problem}.", "Name an existing folder.")
        folders.append(folder)
    if named := os.environ.get("ALLPASS_DATA"):
        folders.append(Path(named))
    return folders


def cache_folder() -> Path:
    """The folder downloads go to: ``ALLPASS_CACHE``, or the user's cache folder of this system."""
    if named := os.environ.get("ALLPASS_CACHE"):
        return Path(named)
    try:
        return Path(_pooch().os_cache("allpass"))
    except MissingExtraError:  # what is at hand must load on machines without pooch
        return Path.home() / ".cache" / "allpass"


def sha256_of(path: Path) -> str:
    """The sha256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _retrieve(pooch: ModuleType, url: str, expected: str | None, target: Path) -> None:
    """Download one url to a temporary file, check it, and move it to ``target``."""
    pooch.get_logger().setLevel("WARNING")
    fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    try:
        pooch.retrieve(
            url,
            known_hash=f"sha256:{expected}" if expected else None,
            fname=fresh.name,
            path=fresh.parent,
            downloader=pooch.HTTPDownloader(timeout=30),
        )
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _pooch() -> ModuleType:
    try:
        import pooch
    except ImportError as error:
        raise MissingExtraError("pooch", "Downloading datasets") from error
    module: ModuleType = pooch
    return module


def _reason(error: Exception, expected: str | None) -> str:
    """Why a source failed, in a few words."""
    if isinstance(error, ValueError) and not isinstance(error, OSError):
        return f"its sha256 is not {expected}" if expected else str(error)
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    return f"HTTP status {status}" if status else f"no answer: {type(error).__name__}"


def _by_hand(file: RemoteFile) -> str:
    """The paths that would have been looked at, for the reader to fill."""
    folder = os.environ.get("ALLPASS_DATA")
    named = Path(folder) / file.path if folder else f"{file.path} in a folder that ALLPASS_DATA names"
    if folder and not Path(folder).is_dir():
        named = f"{named} (ALLPASS_DATA names {folder!r}, and there is no such folder)"
    return f"{named}, or as {cache_folder() / file.path}"


def _recorded() -> dict[str, str]:
    """The hashes of first downloads, by path."""
    with contextlib.suppress(OSError, ValueError):
        recorded = json.loads((cache_folder() / "hashes.json").read_text(encoding="utf-8"))
        if isinstance(recorded, dict):
            return {str(path): str(value) for path, value in recorded.items()}
    return {}


def _record(path: str, sha256: str | None) -> None:
    """Write the hash of a first download, or strike it out."""
    recorded = {key: value for key, value in _recorded().items() if key != path}
    if sha256:
        recorded[path] = sha256
    folder = cache_folder()
    fresh = folder / f"hashes.json.{os.getpid()}"
    fresh.write_text(json.dumps(recorded, indent=1, sort_keys=True), encoding="utf-8")
    fresh.replace(folder / "hashes.json")


def github(repository: str, commit: str) -> Callable[[str], tuple[str, ...]]:
    """The addresses of files in a GitHub repository at one commit: GitHub itself, then jsDelivr's copy.

    Example:
        >>> urls = github("kimiyoung/planetoid", "af6abf4")
        >>> urls("data/ind.cora.x")[0]
        'https://raw.githubusercontent.com/kimiyoung/planetoid/af6abf4/data/ind.cora.x'
    """

    def urls(path: str) -> tuple[str, ...]:
        quoted = path.replace(" ", "%20")
        return (
            f"https://raw.githubusercontent.com/{repository}/{commit}/{quoted}",
            f"https://cdn.jsdelivr.net/gh/{repository}@{commit}/{quoted}",
        )

    return urls
