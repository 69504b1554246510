"""``python -m benchmarks.run [names]``: run all benchmarks, or those named, and keep their results.

Every module of this folder with a function ``run(device) -> list[Row]`` is one.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import warnings

import torch

import benchmarks
from allpass.errors import UnknownNameError, did_you_mean
from benchmarks.timing import table, write

TOOLS = {
    "accuracy",
    "few_labels",
    "grid",
    "mdp_fixture",
    "published",
    "run",
    "sweeps",
    "timing",
    "verdict",
    "verdict_graphs",
    "verdict_rows",
}


def names() -> list[str]:
    """The benchmarks there are."""
    return sorted(part.name for part in pkgutil.iter_modules(benchmarks.__path__) if part.name not in TOOLS)


def main() -> None:
    """Run, print the ratios, write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"any of: {', '.join(names())}; all by default")
    parser.add_argument(
        "--threads", type=int, default=torch.get_num_threads(), help="CPU threads torch may use"
    )
    devices = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    parser.add_argument("--device", choices=devices, help="measure this one alone")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in names():
            raise UnknownNameError(f"There is no benchmark {name!r}.", did_you_mean(name, names()))
    torch.set_num_threads(arguments.threads)
    warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
    for name in arguments.names or names():
        for device in devices if arguments.device is None else [arguments.device]:
            rows = importlib.import_module(f"benchmarks.{name}").run(device)
            if rows:
                # Written first: what was measured is not lost to a fault in showing it.
                kept = write(name if device == "cpu" else f"{name}-{device}", rows)
                print(f"\n{name}\n{table(rows)}\nkept in {kept.name}")


if __name__ == "__main__":
    main()
