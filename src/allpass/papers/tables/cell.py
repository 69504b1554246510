"""One number of a published table, and the column that it stands in: what was printed, and how runs of it are made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from allpass.data import SPLITS
from allpass.papers.tables.protocol import Protocol, Tie
from allpass.papers.tables.verdicts import Spread, error_of


@dataclass(frozen=True)
class Column:
    """A dataset of a table.

    Args:
        name: As it is printed.
        dataset: A name of ``allpass.data.DATASETS``.
        protocol: How its runs are made.
        corrected: The honest column beside it, where its data have a known defect.
        score: What is reported in place of accuracy, a name of ``SCORES``; or empty.
        note: What a reader has to know.
    """

    name: str
    dataset: str
    protocol: Protocol
    corrected: Column | None = None
    score: str = ""
    note: str = ""

    @property
    def honest(self) -> Column:
        """What its honest numbers are of."""
        return self.corrected or self


@dataclass(frozen=True)
class Cell:
    """One number of a table.

    Args:
        row: The model as it is printed.
        column: Where it stands.
        model: A name of ``allpass.models.MODELS``; empty where allpass has no such model and the number is only shown.
        changes: What row and cell change of the column's protocol.
        drawn: The splits that its settings had in the source, where these are known; else those of the protocol.
        fresh_changes: What the row changes of its protocol for numbers on other splits, such as more of them.
        row_changes: What the row alone changes of it, for its honest numbers too.
        tied: What some of the settings change that are tried for an honest number.
        searched: Whether it has an honest number; a row that changes one thing of another has none.
        again: How many times more its settings are run on the same splits, each time with other seeds.
        fixed: The settings that make the model what the row says.
        space: What an honest search tries beside the space of all rows.
        settings: All settings that made the number; nothing where none were published.
        strategy: The few-label strategy around the model, a name of ``allpass.train.few_labels.STRATEGIES``; or empty.
        published: Mean, and deviation where one was printed, in percent; empty where nothing was.
        table: The table of the source that it is printed in.
        runs: How many runs a printed mean is of.
        interval: Whether half of a 95% interval of the mean was printed behind ±, in place of a deviation.
        errors: By how many standard errors of the difference ours may be off and still agree.
        beside: What was printed beside the settings, where that is another number.
        rerun: Mean, and deviation if known, of the authors' own code, run again.
        against: The row that this one changes something of, and is to be read against; or empty.
        incomparable: Why the number cannot be compared with ours; empty where it can.
        note: What a reader has to know.
    """

    row: str
    column: Column
    model: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    drawn: Mapping[str, Any] | None = None
    fresh_changes: Mapping[str, Any] = field(default_factory=dict)
    row_changes: Mapping[str, Any] = field(default_factory=dict)
    tied: Tie = field(default_factory=Tie)
    searched: bool = True
    again: int = 0
    fixed: Mapping[str, Any] = field(default_factory=dict)
    space: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    settings: Mapping[str, Any] | None = None
    strategy: str = ""
    published: tuple[float, ...] = ()
    table: str = ""
    runs: int = 10
    interval: bool = False
    errors: float = 2.0
    beside: tuple[float, ...] = ()
    rerun: tuple[float, ...] = ()
    against: str = ""
    incomparable: str = ""
    note: str = ""

    @property
    def protocol(self) -> Protocol:
        """How its runs are made."""
        ours = self.column.protocol.changed(self.changes)
        return ours.changed({"splits": self.drawn}) if self.drawn else ours

    @property
    def spread(self) -> Spread:
        """What stands behind ± of a printed mean."""
        return "interval" if self.interval else self.protocol.deviation

    def error_of(self, printed: Sequence[float]) -> float:
        """The standard error of a mean that was printed in it; NaN where nothing stands behind ±.

        Args:
            printed: The mean and, where it was printed, its deviation or interval.
        """
        return error_of(printed[1], self.runs, self.spread) if len(printed) > 1 else math.nan

    @property
    def variant(self) -> bool:
        """Whether it is ours: a printed number with something changed, to find out why it does not come out."""
        return not self.searched and bool(self.against and self.published)

    @property
    def on_splits_of_source(self) -> bool:
        """Whether its runs are on the splits that its settings had in the source: found again, or kept in files."""
        rule = SPLITS[self.protocol.splits["name"]]
        return self.drawn is not None or (rule.draw is None and rule.stream is None)

    @property
    def has_fresh(self) -> bool:
        """Whether its settings are run on other splits too; not so in a row that changes one thing of another."""
        return self.searched and (self.drawn is not None or bool(self.fresh_changes))

    @property
    def fresh_protocol(self) -> Protocol:
        """The same on splits that the source did not choose by, or on more of them."""
        return self.column.protocol.changed(self.changes).changed(self.fresh_changes)

    @property
    def honest_protocol(self) -> Protocol:
        """How its honest runs are made."""
        return self.column.honest.protocol.changed(self.row_changes)
