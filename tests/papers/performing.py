"""Studies done in this process, without an executor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from allpass.papers.result import R
from allpass.papers.study import Plan, Study, Words
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store

WORDS = Words(
    title="Tiny", source="Nowhere", claim="It is tiny.", verdict="It is.", advice="", picture="", table=""
)


def performed(study: Study[R], store: Store, plan: Plan, known: Sequence[R] = ()) -> list[Run]:
    """Do all that is missing, with tasks that travelled as text; gives the runs that were made."""
    made = []
    for task in study.tasks(plan, store, known):
        left = store.missing(study.keys(task))
        if left:
            travelled = replace(task.only(left), about=json.loads(json.dumps(task.about)))
            for runs in study.perform(travelled, "cpu"):
                store.add_many(runs)
                made += runs
    return made


def results_of(study: Study[R], folder: Path, plan: Plan) -> list[R]:
    """The rows of a study that was done from nothing."""
    with Store(folder / "runs.db") as store:
        performed(study, store, plan)
        return study.results(plan, store)
