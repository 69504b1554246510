"""What NetworkX adds to a GraphML file and leaves out of it without a word."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from allpass.data.account import Account
from allpass.data.draft import many
from allpass.errors import DataError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def graphml_notes(content: bytes) -> Account:
    """Notes on nodes that only edges name, values that stand there twice, and graphs that are not read.

    Args:
        content: A file without entities that NetworkX has read.

    Raises:
        DataError: A node has no id.
    """
    from xml.etree.ElementTree import fromstring

    account = Account()
    root = fromstring(content)  # noqa: S314 - entities are refused before
    graphs = [element for element in root.iter() if _tag(element) == "graph"]
    if not graphs:
        return account
    first, *others = graphs
    nodes = [part for part in first if _tag(part) == "node"]
    _note_ends(account, nodes, first)
    _note_repeated(account, nodes)
    lost = sum(_tag(part) == "node" for graph in others for part in graph)
    account.add(
        "further-graphs",
        len(others),
        f"The file has {many(len(others), 'further graph')} beside or inside the first; "
        f"{many(lost, 'node')} there were left out.",
        "Save each graph in a file of its own.",
    )
    return account


def _note_ends(account: Account, nodes: list[Element], graph: Element) -> None:
    declared = {node.get("id") for node in nodes}
    ends = {part.get(end) for part in graph if _tag(part) == "edge" for end in ("source", "target")}
    if None in declared | ends:
        raise DataError(
            "A node or the end of an edge has no id.", "Give every node an id, and every edge two."
        )
    unknown = len(ends - declared)
    account.add(
        "undeclared-nodes",
        unknown,
        f"Edges name {many(unknown, 'node')} that the file does not declare; they were added without attributes.",
        "Declare them, or leave out their edges.",
    )


def _note_repeated(account: Account, nodes: list[Element]) -> None:
    """Of values that stand there twice NetworkX keeps the last ones."""
    twice = Counter(node.get("id") for node in nodes)
    values = [[part.get("key") for part in node if _tag(part) == "data"] for node in nodes]
    repeated = {name for name, count in twice.items() if count > 1}
    repeated |= {
        node.get("id") for node, keys in zip(nodes, values, strict=True) if len(set(keys)) < len(keys)
    }
    account.add(
        "repeated-nodes",
        len(repeated),
        f"{many(len(repeated), 'node')} of the file or a value of theirs stands there more than once; "
        "the last values were kept.",
        "Declare each node once, with one value of each attribute.",
    )


def _tag(element: Element) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
