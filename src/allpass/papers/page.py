"""The page of a study in Markdown: headline, picture, table, findings, command; every number comes from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from allpass.errors import InputError
from allpass.papers.matrix import to_markdown
from allpass.papers.result import R
from allpass.papers.study import Study

Facts: TypeAlias = Mapping[str, object]
"""The numbers that the words of a study name."""


def page(study: Study[R], results: Sequence[R], facts: Facts | None = None, *, quick: bool = False) -> str:
    """The page of the rows of a study.

    Args:
        study: The study.
        results: Its rows.
        facts: The numbers that follow from all rows of the study; None where these are only a part of it.
        quick: Whether they are of a quick run.
    """
    words, head, findings = study.words, [study.words.claim], list[str]()
    if quick:
        head = ["**Quick run.** It checks that everything works; its numbers mean nothing."]
    elif facts is None:
        head.append("These rows are only a part of the study, so the page gives no verdict.")
    else:
        head.insert(0 if words.verdict_first else 1, filled(study.id, words.verdict, facts))
        head.append(filled(study.id, words.advice, facts))
        findings = [f"- {filled(study.id, text, facts)}" for text in words.findings]
    last = max(result.ended for result in results)
    parts = [
        f"# {words.title}",
        " ".join(head),
        f"![{words.title}]({study.id}.svg)",
        f"*{words.picture}*",
        to_markdown(study.matrix(results)),
        f"*{words.table}*",
        *(["## Findings", "\n".join(findings)] if findings else []),
        "## Run it",
        f"```sh\nallpass reproduce {study.id}{' --quick' * quick}\n```",
        f"Source: {words.source}. All {len(results):,} rows: [{study.id}.csv]({study.id}.csv), last run {last}.",
    ]
    return "\n\n".join(parts) + "\n"


def filled(study: str, text: str, facts: Facts) -> str:
    """A sentence with the numbers that rows give.

    Args:
        study: The ID of the study, for the error.
        text: The sentence, with ``{names}`` of facts.
        facts: The numbers by name, of :meth:`Study.facts`.
    """
    try:
        return text.format_map(facts)
    except KeyError as error:
        raise InputError(
            f"{study}: no fact {error} for the sentence {text!r}.", "Correct the words."
        ) from error
