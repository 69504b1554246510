"""Studies done in this process, without an executor."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from allpass.papers.study import Plan, Row, Study
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store


def performed(study: Study, store: Store, plan: Plan) -> list[Run]:
    """Do all that is missing, with tasks that travelled as text; gives the runs that were made."""
    made = []
    for task in study.tasks(plan, store):
        left = store.missing(study.keys(task))
        if left:
            travelled = replace(task.only(left), about=json.loads(json.dumps(task.about)))
            for runs in study.perform(travelled, "cpu"):
                store.add_many(runs)
                made += runs
    return made


def rows_of(study: Study, folder: Path, plan: Plan) -> list[Row]:
    """The rows of a study that was done from nothing."""
    with Store(folder / "runs.db") as store:
        performed(study, store, plan)
        return study.rows(plan, store)
