"""The node table: which column holds ids, labels and masks; what every other column becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import Draft, some
from allpass.data.tables.column_notes import note_spaces
from allpass.data.tables.columns import Encoder, Wishes
from allpass.data.tables.encodings import FEATURES, Encoding, of_kind
from allpass.data.tables.given import encode_as
from allpass.data.tables.label_column import read_labels
from allpass.data.tables.node_ids import ID_COLUMNS, find_ids
from allpass.data.tables.node_masks import mask_columns, stored_splits
from allpass.data.tables.roles import Role, is_row_index
from allpass.data.tables.tabular import Table
from allpass.data.tables.text_table import MISSING_WORDS
from allpass.errors import DataError, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]
Columns = Sequence[str] | str | None
"""One name of a column or several."""

LABEL_COLUMNS = ("label", "labels", "y", "class", "target")


class NoLabelColumnError(DataError):
    """No column has a name that says it is the label, and nobody named one."""


def read_nodes(
    table: Table,
    account: Account,
    *,
    label: str | bool | None = None,
    features: Columns = None,
    id_column: str | bool | None = None,
    drop: Columns = None,
    numbers: Columns = None,
    categories: Columns = None,
    text: Columns = None,
    encodings: Sequence[Encoding] | None = None,
    nan: str = "median",
    max_categories: int = 50,
    missing_labels: Sequence[str] | None = None,
    ends: Sequence[str] = (),
) -> Draft:
    """The nodes with their features, labels and masks, and no edges yet; arguments as in ``from_tables``.

    An id column that nobody named is the one that holds most of ``ends``, the ids that the edges name. With
    ``encodings`` the columns are those of an earlier table, and so are its id and its label.
    """
    asked = {"features": features, "drop": drop, "numbers": numbers, "categories": categories, "text": text}
    said = {option: _listed(table, names) for option, names in asked.items()}
    chosen = [*dict.fromkeys([*_chosen(said), *_features_of(encodings, table, said["drop"] or ())])]
    named, reason = _named_id(table, id_column, encodings, chosen)
    frame = table.read([named or table.columns[0]])
    if not len(frame):
        raise DataError(f"There are no rows in {table.title}.", "Expected one row for each node.")
    masks = mask_columns(table, frame, {named, *chosen}, account)
    if encodings:
        label = _label_of(encodings, table, label)
    label_column = _label_column(table, label, {named, *masks, *chosen})
    if label_column is not None and label_column in {named, *chosen}:
        role = "the id" if label_column == named else "a feature"
        raise InputError(f"The column {label_column!r} is both the label and {role}.", "Name it once.")
    free = [name for name in table.columns if name not in {*masks, label_column, *chosen}]
    found = find_ids(
        table,
        frame,
        account,
        named=named,
        reason=reason,
        free=() if id_column is False else free,
        ends=ends,
    )
    frame = found.frame
    roles = {
        **{name: Role(name, "left out", "named in drop=") for name in said["drop"] or ()},
        **{
            name: Role(name, "mask", f"called {name!r}, and marks a split", 0, "numbers=, drop=")
            for name in masks
        },
        **({found.column: Role(found.column, "id", found.reason, 0, "id_column=")} if found.column else {}),
        **({label_column: _label_role(label_column, label)} if label_column else {}),
        **_row_indices(frame, [name for name in free if name != found.column], account),
    }
    wanted = [name for name in table.columns if name not in roles]
    if said["features"] is not None:
        roles |= {
            name: Role(name, "left out", "not in features=", 0, "features=")
            for name in wanted
            if name not in chosen
        }
        wanted = [*dict.fromkeys(name for name in chosen if name not in roles)]
    wishes = Wishes(
        asked=said["features"] is not None,
        numbers=said["numbers"] or (),
        categories=said["categories"] or (),
        text=said["text"] or (),
    )
    encoder = Encoder(account, nan=nan, max_categories=max_categories, wishes=wishes)
    if encodings:
        frame = _as_written(frame, table, encodings)
        encoded = encode_as(frame, wanted, encodings, account, fill=nan != "error")
    else:
        encoded = encoder.encode(frame, wanted)
    roles |= {role.column: role for role in encoded.roles}
    _note_missing_words(table, encoded.encodings, account)
    labels = None if label_column is None else read_labels(table, label_column, missing_labels)
    account.add(
        "written-label",
        int(labels is not None and bool(labels.written)),
        f"The label {label_column!r} was read as numbers: {'' if labels is None else labels.written}.",
        "Pass task='classification' to make classes of them.",
    )
    read = [name for name in (found.column, label_column) if name is not None]
    read_as_text = table.read(read, read) if read else frame[[]]
    kept = [name for name in wanted if roles[name].features]
    note_spaces(
        account, table.title, [*(read_as_text[name] for name in read), *(frame[name] for name in kept)]
    )
    in_order = tuple(roles[name] for name in table.columns)
    schema = tuple(encodings or _schema(encoded.encodings, in_order, found.column, missing_labels))
    return Draft(
        num_nodes=len(found.ids),
        edge_index=np.zeros((2, 0), dtype=np.int64),
        x=encoded.matrix(),
        y=None if labels is None else labels.values,
        missing_labels={} if labels is None else labels.missing,
        splits=stored_splits(frame, masks),
        feature_names=encoded.names or None,
        origins=encoded.origins or None,
        categories=encoded.categories,
        label=label_column,
        node_ids=found.ids,
        ids_from=found.source,
        better_ids=found.better,
        roles=in_order,
        encodings=schema,
        read_as_before=bool(encodings),
        account=account,
    )


def _schema(
    features: Sequence[Encoding],
    roles: Sequence[Role],
    id_column: str | None,
    missing_labels: Sequence[str] | None,
) -> tuple[Encoding, ...]:
    """How every column was read: the features in their order, then the others in the order of the table."""
    named = {encoding.column for encoding in features}
    others = []
    for role in roles:
        if role.column in named:
            continue
        kind = "id" if role.column == id_column else "label" if role.role == "label" else "left out"
        words = tuple(missing_labels or ()) if kind == "label" else ()
        others.append(Encoding(role.column, kind, values=words))
    return (*features, *others)


def _features_of(encodings: Sequence[Encoding] | None, table: Table, dropped: Sequence[str]) -> list[str]:
    """The columns that were features in an earlier table, so they are neither id nor label nor mask in this one."""
    known = {encoding.column for encoding in encodings or () if encoding.kind in FEATURES}
    return [name for name in table.columns if name in known and name not in dropped]


def _named_id(
    table: Table, id_column: str | bool | None, encodings: Sequence[Encoding] | None, taken: Sequence[str]
) -> tuple[str | None, str]:
    """The id column that was named, that of an earlier table, or one that goes by its name; and why."""
    if isinstance(id_column, str):
        return table.column(id_column), "named in id_column="
    if id_column is not None:
        return None, ""
    earlier = of_kind(encodings or (), "id")
    if earlier is not None and earlier.column in table.columns:
        return earlier.column, "as in the training"
    found = table.find(ID_COLUMNS, [name for name in table.columns if name not in taken])
    return found, f"called {found!r}"


def _label_of(encodings: Sequence[Encoding], table: Table, asked: str | bool | None) -> str | bool | None:
    """The label column of an earlier table, none where this one lacks it; another one may not be asked for."""
    label = of_kind(encodings, "label")
    if label is None:  # encodings of older files do not name it
        return asked
    if isinstance(asked, str) and asked != label.column:
        raise InputError(
            f"Got label={asked!r}; the model was trained on the label {label.column!r}.",
            "Leave the option out, or train a model on the other label.",
        )
    if asked is None:
        return label.column if label.column in table.columns else False
    return asked


def _listed(table: Table, names: Columns) -> list[str] | None:
    """The columns of an option, each of which must be there."""
    if names is None:
        return None
    return [table.column(name) for name in ([names] if isinstance(names, str) else names)]


def _chosen(said: dict[str, list[str] | None]) -> list[str]:
    """Columns that were named as features of any kind; a column may be named in one way only."""
    kinds: dict[str, str] = {}
    for option in ("numbers", "categories", "text", "drop"):
        for name in said[option] or ():
            if name in kinds:
                raise InputError(
                    f"The column {name!r} is named in both {kinds[name]}= and {option}=.", "Name it once."
                )
            kinds[name] = option
    for name in said["features"] or ():
        if kinds.get(name) == "drop":
            raise InputError(f"The column {name!r} is named in both features= and drop=.", "Name it once.")
    return [*dict.fromkeys([*(said["features"] or ()), *kinds])]


def _label_column(table: Table, label: str | bool | None, taken: set[str | None]) -> str | None:
    if label is False:
        return None
    if isinstance(label, str):
        return table.column(label)
    free = [name for name in table.columns if name not in taken]
    found = table.find(LABEL_COLUMNS, free)
    # A column that nobody called the label must not slip in among the features: that would give the answer away.
    if found is None and [name for name in free if name != table.columns[0]]:
        raise NoLabelColumnError(
            f"No column of {table.title} is called {', '.join(LABEL_COLUMNS)}; it has {some(free, 8)}.",
            "Name the label column with label=, or pass label=False for a graph without labels.",
        )
    return found


def _label_role(column: str, label: str | bool | None) -> Role:
    reason = "named in label=" if isinstance(label, str) else f"called {column!r}"
    return Role(column, "label", reason, 0, "label=")


def _as_written(frame: pd.DataFrame, table: Table, encodings: Sequence[Encoding]) -> pd.DataFrame:
    """The frame with the text of numbers that were written with commas: there 1.234 may be a thousand and more."""
    names = [
        one.column for one in encodings if one.kind == "number" and one.format and one.column in table.columns
    ]
    if table.text is None or not names:
        return frame
    text = table.read(names, names)
    return frame.assign(
        **{name: text[name].mask(text[name].str.strip().isin(MISSING_WORDS)) for name in names}
    )


def _note_missing_words(table: Table, encodings: Sequence[Encoding], account: Account) -> None:
    """Name the words of categories that were read as empty cells: NA is a country, and None a choice."""
    if table.text is None:
        return
    gaps = [one.column for one in encodings if one.kind == "category" and one.gaps]
    found = {name: words for name in gaps if (words := table.text.words_for_missing(name))}
    listed = "; ".join(
        f"{name!r}: " + ", ".join(f"{word!r} ({count:,})" for word, count in words.items())
        for name, words in found.items()
    )
    account.add(
        "missing-words",
        sum(sum(words.values()) for words in found.values()),
        f"Words in columns of categories were read as empty cells: {listed}.",
        "Write another word in the table where such a word is a category.",
    )


def _row_indices(frame: pd.DataFrame, columns: Sequence[str], account: Account) -> dict[str, Role]:
    """Columns without a name that hold row numbers; they are no features."""
    found = [name for name in columns if is_row_index(frame[name], name)]
    account.add(
        "row-index",
        len(found),
        f"The {'columns' if len(found) > 1 else 'column'} {some(found)} without a name in the header "
        f"{'hold' if len(found) > 1 else 'holds'} row numbers and {'were' if len(found) > 1 else 'was'} left out.",
        "Name it in numbers= to use it as a feature, or in id_column= if it holds the node ids.",
    )
    return {name: Role(name, "id", "row numbers without a name", 0, "numbers=, id_column=") for name in found}
