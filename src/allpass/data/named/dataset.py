"""A named dataset: what is known about it, where it comes from, and the steps that load it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torch_geometric.data import Data

from allpass.data.draft import Draft, assemble, many
from allpass.data.named.fetch import Found, RemoteFile, discard, download, find
from allpass.data.named.unlabelled import describe, settle_unlabelled
from allpass.errors import DataError, DownloadError

Paths = Mapping[str, Path]


@dataclass(frozen=True)
class Counts:
    """Published facts that a loaded graph must meet; ``features`` is nothing where no number was published.

    Args:
        nodes: Number of nodes.
        edges: Number of stored directed edges; an undirected edge counts twice, a self-loop once.
        features: Number of features; 0 where there are none.
        classes: Number of classes.
    """

    nodes: int
    edges: int
    features: int | None
    classes: int


@dataclass(frozen=True)
class Source:
    """One way to get a dataset.

    Args:
        reader: Turns the paths of the files, by file name, into a draft.
        files: The files it needs; none for data that come with allpass.
        download: Whether absent files may be downloaded.
        notes: What is worth knowing about this form of the data, in sentences.
    """

    reader: Callable[[Paths], Draft]
    files: tuple[RemoteFile, ...] = ()
    download: bool = True
    notes: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[RemoteFile, ...]:
        """The files without which it cannot be read."""
        return tuple(file for file in self.files if not file.optional)

    @property
    def downloadable(self) -> bool:
        """Whether every needed file has an address."""
        return self.download and all(file.urls for file in self.needed)


@dataclass(frozen=True)
class Dataset:
    """An entry of the catalogue.

    Args:
        name: Its name in :func:`allpass.load`.
        title: What it is, in a few words.
        citation: Where it was published.
        licence: The licence its source states.
        counts: Published facts, checked after reading.
        sources: Ways to get it, the preferred one first.
        splits: Names of the splits that come with it.
        class_names: A name for each class, when known.
        notes: Known defects, in plain sentences.
        aliases: Other names.
    """

    name: str
    title: str
    citation: str
    licence: str
    counts: Counts
    sources: tuple[Source, ...]
    splits: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def embedded(self) -> bool:
        """Whether it comes with allpass."""
        return any(not source.files for source in self.sources)

    def load(self, data_dir: str | os.PathLike[str] | None = None, unlabelled: str = "missing") -> Data:
        """Find or download the files, read them, check the counts, and write down what is worth knowing."""
        source, found = self._get(data_dir)
        try:
            draft = source.reader({file.file.name: file.path for file in found})
            self._check(draft)
        except DataError:
            for file in found:
                if file.place == "download" and file.file.sha256 is None:
                    discard(file)
            raise
        if self.class_names:
            draft.class_names = list(self.class_names)
        for sentence in (*self.notes, *source.notes):
            draft.account.add("known", 1, sentence)
        _note_files(source, found, draft)
        settle_unlabelled(draft, unlabelled)
        describe(draft)
        return assemble(draft, name=self.name, source=_place(found))

    def available(self, data_dir: str | os.PathLike[str] | None = None) -> bool:
        """Whether it can be loaded without a download."""
        return any(all(find(file, data_dir) for file in source.needed) for source in self.sources)

    def _get(self, data_dir: str | os.PathLike[str] | None) -> tuple[Source, list[Found]]:
        """The first source that is wholly on this machine; otherwise the first one that can be downloaded."""
        for source in self.sources:
            here = [find(file, data_dir) for file in source.files]
            if all(file or asked.optional for file, asked in zip(here, source.files, strict=True)):
                return source, [file for file in here if file]
        source = next((source for source in self.sources if source.downloadable), self.sources[0])
        found = [find(file, data_dir) or download(file) for file in source.needed]
        for file in source.files:
            if file.optional:
                with contextlib.suppress(DownloadError):
                    found.append(find(file, data_dir) or download(file))
        return source, found

    def _check(self, draft: Draft) -> None:
        """Compare with the published counts. Papers print edges with and without repeated ones: either will do."""
        repeated = sum(note.count for note in draft.account if note.code == "duplicate-edges")
        edges = draft.edge_index.shape[1]
        found = Counts(
            draft.num_nodes,
            self.counts.edges if edges + repeated == self.counts.edges else edges,
            self.counts.features
            if self.counts.features is None
            else 0
            if draft.x is None
            else draft.x.shape[1],
            0 if draft.y is None else int(draft.y.max(initial=-1)) + 1,
        )
        if found != self.counts:
            raise DataError(
                f"The files of {self.name} do not hold the published graph: found {_words(found)}.",
                f"Expected {_words(self.counts)}. Delete the files and load it again.",
            )


def _words(counts: Counts) -> str:
    features = "" if counts.features is None else f", {many(counts.features, 'feature')}"
    return (
        f"{many(counts.nodes, 'node')}, {many(counts.edges, 'edge')}{features}, "
        f"{many(counts.classes, 'class', 'classes')}"
    )


def _place(found: list[Found]) -> str:
    """Where the files came from, in words; the farthest place names them all."""
    places = {file.place for file in found}
    return next((place for place in ("download", "cache", "data folder") if place in places), "embedded")


def _note_files(source: Source, found: list[Found], draft: Draft) -> None:
    """Say which files are not the published ones, cannot be compared, or are absent."""
    changed = [file.file.path for file in found if file.as_published is False]
    draft.account.add(
        "other-file",
        len(changed),
        f"{many(len(changed), 'file')} of the data folder differ from the published ones: {', '.join(changed)}.",
        "Delete them to use the published ones.",
    )
    unknown = [file.file.path for file in found if file.as_published is None and file.place != "data folder"]
    draft.account.add(
        "no-published-hash",
        len(unknown),
        f"No hash was published for {', '.join(unknown)}: the first download was recorded, and the counts agree.",
    )
    absent = [file for file in source.files if file.optional and file not in {here.file for here in found}]
    draft.account.add(
        "no-stored-splits",
        len(absent),
        f"{many(len(absent), 'file')} of stored splits are not at hand; those splits are left out.",
        f"Put {absent[0].path} and the like into the data folder." if absent else "",
    )
