"""The generated tables of networks: models, layers, activations, initialisations."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from tools.blocks import table
from tools.docstrings import to_markdown


def models() -> str:
    """The models in brief."""
    from allpass.models import model_table

    rows = (
        (_code(row["written"].split(", ")), row["summary"], ", ".join(row["needs"]), row["paper"])
        for row in model_table()
    )
    return (
        table(("name", "what it does", "needs", "paper"), rows)
        + "\n\nWhere `-N` stands a number may follow: `gcn-16` has 16 layers, `sgc-5` 5 hops."
    )


def models_full() -> str:
    """Every model with its settings, what is worth trying, and its paper."""
    from allpass.models import MODELS

    return "\n\n".join(_model(name) for name in MODELS.names)


def _model(name: str) -> str:
    from allpass.models import MODELS, describe_model, setting_rows
    from allpass.models.meanings import default_in_words, first_sentence, spelled

    card, written = describe_model(name), MODELS[name].meanings
    facts = [f"Needs: {', '.join(card['needs'])}."]
    facts += [f"It {words}." for words in card["traits"].values()]
    if card["numbered"]:
        facts.append(f"N is `{card['numbered']}`.")
    if card["aliases"]:
        facts.append(f"Also called {_code(card['aliases'])}.")
    facts.append(f"From {card['citation']}.")
    settings = []
    for row in setting_rows(card):
        text = spelled(written.get(row.name, row.meaning))
        typed = repr({**card["settings"], **card["training"]}.get(row.name, ...)) == row.default
        default = f"`{row.default}`" if typed else default_in_words(text) or row.default
        settings.append((f"`{row.name}`", default, first_sentence(text), row.tried))
    return (
        f"### {name} {{#{name.replace('+', '-plus')}}}\n\n"
        f"{_code(card['written'].split(', '))}: {card['summary']}.\n\n"
        + "\n".join(f"- {fact}" for fact in facts)
        + f"\n\n{table(('setting', 'default', 'what it is', 'worth trying'), settings)}"
    )


def layers() -> str:
    """The layers, one row a class, with the names it has in the catalogue."""
    from allpass.nn import LAYERS, Layer, Projected
    from allpass.nn.traits import TRAITS

    kinds: dict[type, list[Layer]] = {}
    widths: set[type] = set()
    for entry in LAYERS:
        layer = entry.build(2, 2, **({"num_nodes": 2} if "fixed-nodes" in entry.traits else {}))
        kind = type(layer.layer) if isinstance(layer, Projected) else type(layer)
        kinds.setdefault(kind, []).append(entry)
        widths |= {kind} if isinstance(layer, Projected) else set()
    rows = []
    for kind, entries in kinds.items():
        remarks = ["gives as many columns as it takes"] if kind in widths else []
        for trait, words in TRAITS.items():
            having = [entry.name for entry in entries if trait in entry.traits]
            if having:
                remarks.append(words if len(having) == len(entries) else f"{_code(having)} {words}")
        link = f"[`{kind.__name__}`][{kind.__module__}.{kind.__name__}]"
        rows.append((link, _first_line(kind), _code([entry.name for entry in entries]), "; ".join(remarks)))
    return table(("layer", "what it is", "names", "remarks"), rows)


def activations() -> str:
    """The activations by name."""
    from allpass.nn import ACTIVATIONS

    rows = (
        (f"`{a.name}`", _code(a.aliases), "" if a.gain is None else f"{a.gain:g}", a.citation)
        for a in ACTIVATIONS
    )
    return table(("name", "other names", "gain>", "studied in"), rows)


def initialisations() -> str:
    """The initialisations by name."""
    from allpass.nn import SCHEMES

    rows = (
        (f"`{s.name}`", _code(s.aliases), s.summary, s.shape, "yes" if s.needs_graph else "", s.citation)
        for s in SCHEMES
    )
    return table(("name", "other names", "what it is for", "drawn", "needs degrees", "from"), rows)


def traits() -> str:
    """The traits in words."""
    from allpass.nn.traits import TRAITS

    return table(
        ("trait", "a layer or model that has it"), ((f"`{name}`", words) for name, words in TRAITS.items())
    )


def _first_line(kind: type) -> str:
    return to_markdown((inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " "))


def _code(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
