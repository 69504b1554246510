"""What the documentation site adds to MkDocs: formulas in pages, and docstrings as Markdown.

``mkdocs.yml`` names this file twice: as a hook of MkDocs and as an extension of Griffe, which reads the docstrings.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # MkDocs loads this file by its path

from tools.docstrings import to_markdown
from tools.mathml import to_mathml

griffe: Any = import_module("griffe")  # comes with the extra "docs"; the rest of the project does without
_FORMULA = re.compile(r"^```math\n(.+?)^```$", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """MkDocs' hook: ```` ```math ```` blocks as MathML."""
    return _FORMULA.sub(
        lambda found: f'<div class="formula">{to_mathml(found[1], block=True)}</div>', markdown
    )


class Docstrings(griffe.Extension):  # type: ignore[misc]
    """Griffe's extension: every docstring as Markdown."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Called for each module, class, function and attribute that was read."""
        if obj.docstring:
            try:
                obj.docstring.value = to_markdown(
                    obj.docstring.value, lambda kind, name: _resolve(obj, kind, name)
                )
            except ValueError as error:
                raise ValueError(f"The docstring of {obj.path}: {error}") from error


def _resolve(obj: Any, kind: str, name: str) -> str:
    """The full path of a name as seen from ``obj``: a member of its class, or of its module."""
    if name.startswith("allpass."):
        return name
    home = obj if obj.is_class or obj.is_module else obj.parent
    if kind not in ("meth", "attr"):
        home = obj.module
    return f"{home.path}.{name}" if home else name
