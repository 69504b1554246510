"""Run the notebook of the documentation again and keep what it shows: ``python -m tools.notebook``.

What depends on the machine is left out: times, versions, and what libraries write to stderr.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from allpass.files import write_whole
from tools.blocks import ROOT

NOTEBOOK = ROOT / "docs" / "how-to" / "notebook.ipynb"


def read(path: Path = NOTEBOOK) -> Any:
    """The notebook in the current format."""
    return nbformat.read(path, as_version=4)


def executed(notebook: Any) -> Any:
    """The notebook with what its cells show now; it runs in an empty folder, on the data of the package alone."""
    environment = {name: value for name, value in os.environ.items() if name != "ALLPASS_DATA"}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute(env={**environment, "ALLPASS_CACHE": folder, "COLUMNS": "96"})
    return tidied(notebook)


def tidied(notebook: Any) -> Any:
    """The notebook without what depends on the machine."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number}", {}
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr" and not _is_empty(one)]
    return notebook


def _is_empty(output: Any) -> bool:
    """Whether an output is a progress line that has been emptied, as after all that takes longer than a second."""
    return output.output_type == "display_data" and not any(output.data.values())


def main() -> int:
    """Run the notebook and write it."""
    write_whole(NOTEBOOK, (nbformat.writes(executed(read())) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
