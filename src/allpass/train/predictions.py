"""What a model predicts as a table: a row for each node, under its own id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor
from torch_geometric.data import Data

from allpass.data.draft import many
from allpass.data.tables.encodings import of_kind
from allpass.errors import InputError
from allpass.train.places import ids_of, taken

if TYPE_CHECKING:
    from allpass.train.trained import Trained

Row = list[str | float | bool | None]

_TRAINED_ON = 1


def table(
    trained: Trained, data: Data, *, probabilities: bool = False, only_unlabelled: bool = False
) -> tuple[list[str], list[Row]]:
    """The headings and the rows.

    The columns are the id, ``prediction``, for classes ``probability`` of that class, ``labelled`` (whether the node
    has a label in the data) and ``in_training`` (whether the model learnt from it; None where that is not known).

    Args:
        trained: The model.
        data: The graph, as ``trained.read`` gives it; of new nodes joined to a graph these alone have rows.
        probabilities: Add the probability of every class.
        only_unlabelled: Only nodes without a label.
    """
    if probabilities and trained.task == "regression":
        raise InputError(
            "The model predicts numbers; they have no probabilities.", "Leave out probabilities=True."
        )
    ids, labelled, learnt = ids_of(data), _labelled(data), _learnt(trained, data)
    asked = data.get("asked")
    rows = range(int(data.num_nodes)) if asked is None else asked.tolist()
    chosen = [node for node in rows if not (only_unlabelled and labelled[node])]
    headings, cells = (
        _numbers(trained, data, chosen) if trained.task == "regression" else _classes(trained, data, chosen)
    )
    more, rest = _chances(trained, data, chosen) if probabilities else ([], [[] for _ in chosen])
    headings = [*headings, "labelled", "in_training", *more]
    return [_id_heading(trained, headings), *headings], [
        [ids[node], *said, labelled[node], learnt[node], *chances]
        for node, said, chances in zip(chosen, cells, rest, strict=True)
    ]


def check_numbers(predicted: Tensor, data: Data) -> None:
    """Raise where what is predicted ``[N, C]``, probabilities or numbers, is NaN or infinite.

    Args:
        predicted: A row for each node.
        data: The graph, for the ids of its nodes.
    """
    lost = (~predicted.isfinite().all(dim=1)).nonzero().flatten().tolist()
    if lost:
        first = repr(ids_of(data)[lost[0]])[:60]
        raise InputError(
            f"The model gives NaN or infinity for {many(len(lost), 'node')}; the first is {first}.",
            "Look for very large values among the features, or train again.",
        )


def _numbers(trained: Trained, data: Data, chosen: Sequence[int]) -> tuple[list[str], list[Row]]:
    numbers = trained.outputs(data)
    width = numbers.shape[1]
    headings = [f"prediction {n}" for n in range(width)] if width > 1 else ["prediction"]
    return headings, [numbers[node].tolist() for node in chosen]


def _classes(trained: Trained, data: Data, chosen: Sequence[int]) -> tuple[list[str], list[Row]]:
    chances = trained.probabilities(data)
    names, classes = _class_names(trained, chances.shape[1]), trained.classes(chances).tolist()
    return ["prediction", "probability"], [
        [names[classes[node]], _rounded(float(chances[node, classes[node]]))] for node in chosen
    ]


def _chances(trained: Trained, data: Data, chosen: Sequence[int]) -> tuple[list[str], list[Row]]:
    chances = trained.probabilities(data)
    headings = [f"p({name})" for name in _class_names(trained, chances.shape[1])]
    return headings, [[_rounded(value) for value in chances[node].tolist()] for node in chosen]


def _class_names(trained: Trained, count: int) -> Sequence[str]:
    return (trained.class_names or tuple(map(str, range(count))))[:count]


def _rounded(chance: float) -> float:
    """Six digits, which all that a network computes in float32 has."""
    return float(f"{chance:.6g}")


def _labelled(data: Data) -> list[bool]:
    y = data.get("y")
    if not isinstance(y, Tensor):
        return [False] * int(data.num_nodes)
    known = ~y.reshape(len(y), -1).isnan().any(1) if y.is_floating_point() else y >= 0
    found: list[bool] = known.tolist()
    return found


def _learnt(trained: Trained, data: Data) -> list[bool | None]:
    places = None if trained.sets is None else trained.places(data)
    if trained.sets is None or places is None:
        return [None] * int(data.num_nodes)
    found: list[bool | None] = (taken(trained.sets, places, 0) == _TRAINED_ON).tolist()
    return found


def _id_heading(trained: Trained, others: Sequence[str]) -> str:
    """The name of the id column in the training; ``node`` where there was none, or another column is called so."""
    known = of_kind(trained.encodings, "id")
    return "node" if known is None or known.column in others else known.column
