"""What the catalogue knows of its models, as plain data: for the command line, the pages and programs."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

import torch

from allpass.models.catalog import MODELS, create, resolve
from allpass.models.entry import Model
from allpass.models.meanings import default_in_words, first_sentence, plain, training_words
from allpass.nn.traits import TRAITS


class ModelRow(TypedDict):
    """One model in a line."""

    name: str
    written: str  # with the place of a number, where it takes one: "gcn[-N]"
    summary: str
    needs: list[str]
    citation: str
    paper: str  # the citation without its title: "Kipf and Welling, ICLR 2017"


class ModelCard(ModelRow):
    """Everything about one model."""

    aliases: list[str]
    numbered: str | None  # the setting that the number in its name sets
    traits: dict[str, str]  # in words
    settings: dict[str, object]
    meanings: dict[str, str]  # of the settings, in words
    space: dict[str, list[object]]
    training: dict[str, float]
    parameter_groups: dict[str, list[str]]  # to names of parameters


def model_table() -> list[ModelRow]:
    """One row a model, in the order of the catalogue.

    Example:
        >>> row = next(row for row in model_table() if row["name"] == "gcn")
        >>> row["written"], row["needs"]
        ('gcn[-N]', ['graph', 'features'])
    """
    return [_row(entry) for entry in MODELS]


def describe_model(name: str) -> ModelCard:
    """Everything about one model; a number at the end of its name shows in the settings.

    Example:
        >>> card = describe_model("gcn-16")
        >>> card["name"], card["settings"]["num_layers"], card["training"]["lr"]
        ('gcn', 16, 0.01)
    """
    entry, chosen = resolve(name)
    return ModelCard(
        **_row(entry),
        aliases=list(entry.aliases),
        numbered=entry.numbered,
        traits={trait: words for trait, words in TRAITS.items() if trait in entry.traits},
        settings={**entry.settings, **chosen},
        meanings={key: plain(text) for key, text in entry.meanings.items()},
        space={key: list(values) for key, values in entry.space.items()},
        training=dict(entry.training),
        parameter_groups=_groups(name),
    )


class SettingRow(NamedTuple):
    """One setting of a model, in words for a table."""

    name: str
    default: str
    tried: str  # what is worth trying
    meaning: str


def setting_rows(card: ModelCard) -> list[SettingRow]:
    """Every setting of a model, those of its training last.

    Example:
        >>> row = setting_rows(describe_model("gat"))[0]
        >>> row.name, row.default, row.meaning
        ('hidden_channels', '8', 'Width of each head in between; the heads stand side by side.')
    """
    defaults = {**card["settings"], **card["training"]}
    return [
        SettingRow(
            key,
            _default(key, defaults, card["meanings"].get(key, "")),
            ", ".join(map(repr, card["space"].get(key, ()))),
            first_sentence(card["meanings"].get(key, training_words(key))),
        )
        for key in dict.fromkeys([*defaults, *card["space"]])
    ]


def _default(key: str, defaults: dict[str, object], meaning: str) -> str:
    """The default as it is typed; for a group without one of its own, and for None, what stands in."""
    if key not in defaults:
        return f"as {key.partition(':')[0]}"
    words = default_in_words(meaning) if defaults[key] is None else None
    return words or repr(defaults[key])


def _row(entry: Model) -> ModelRow:
    return ModelRow(
        name=entry.name,
        written=_written(entry),
        summary=entry.summary,
        needs=list(entry.needs),
        citation=entry.citation,
        paper=_without_title(entry.citation),
    )


def _written(entry: Model) -> str:
    if entry.numbered is None:
        return entry.name
    family, _, number = entry.name.rpartition("-")
    return f"{entry.name}, {family}-N" if number.isdigit() else f"{entry.name}[-N]"


def _without_title(citation: str) -> str:
    authors, _, title = citation.partition(": ")
    if "," in authors:
        authors = f"{authors.partition(',')[0]} et al."
    return f"{authors}, {title.rpartition(', ')[2]}"


def _groups(name: str) -> dict[str, list[str]]:
    """What ``parameter_groups()`` of a small model of this name says; the random state stays as it was."""
    if not resolve(name)[0].is_network:
        return {}
    with torch.random.fork_rng(devices=[]):
        model = create(name, in_channels=2, out_channels=2, num_nodes=2)
    groups: dict[str, list[str]] = getattr(model, "parameter_groups", dict)()
    return {group: names for group, names in groups.items() if names}
