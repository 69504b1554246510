"""Tasks cut into pieces, for workers that gain nothing from having many runs at once: those that compute on a CPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from allpass.train.executors.executor import Event
from allpass.train.executors.task import Task


@dataclass(frozen=True)
class Pieces:
    """Pieces, and the tasks that they are of.

    Args:
        tasks: The pieces, as tasks.
        of: The place of the task that each is a piece of.
    """

    tasks: Sequence[Task]
    of: Sequence[int]

    @classmethod
    def cut(cls, tasks: Sequence[Task]) -> Pieces:
        """A task that names its runs becomes as many pieces as these fill; any other is one.

        Example:
            >>> whole = Task(list, "a long one", left=tuple(map(str, range(100))))
            >>> [len(piece.left) for piece in Pieces.cut([whole]).tasks]
            [48, 48, 4]
        """
        found = [
            (number, replace(task, left=task.left[start : start + task.piece]))
            for number, task in enumerate(tasks)
            for start in range(0, max(len(task.left), 1), task.piece)
        ]
        return cls([piece for _, piece in found], [number for number, _ in found])

    def joined(self, events: Generator[Event]) -> Generator[Event]:
        """What comes of the pieces, told of their tasks: one ends when the last of its pieces does.

        Args:
            events: What comes of the pieces.
        """
        going = Counter(self.of)
        with closing(events):
            for event in events:
                number = self.of[event.number]
                going[number] -= event.ended
                yield replace(event, number=number, ended=event.ended and not going[number])
