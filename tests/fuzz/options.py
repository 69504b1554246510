"""Sound files, and options that are not."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

from tests.fuzz.prototypes import QUICK

from allpass.models.catalog import resolve

_NUMBERS = (
    "0",
    "-1",
    "1",
    "2.5",
    "nan",
    "inf",
    "1e9",
    "99999999999999999999",
    "",
    " ",
    "x",
    "1000000000",
    "1,2",
    "0.5",
)
_WORDS = (
    "gcn", "acm-gnc", "gcn-99999999", "gcn-0", "mlp-1", "\x1b[31mred", "a" * 400, "é", "a=b", "--json", "..",
    "/dev/null",
    "none", "auto", "accuracy", "stratified", "no such folder/x",
)  # fmt: skip
_TRAINING = (
    "--epochs",
    "--patience",
    "--stop",
    "--optimizer",
    "--select",
    "--scaling",
    "--score",
    "--device",
)
_SPLITS = ("--count", "--seed", "--splits")
_TRAINED = ("lr", "weight_decay", "label_input", "x")
_MODELS = (
    "gcn",
    "mlp-1",
    "gat",
    "krylov",
    "cheby",
    "gprgnn",
    "mixhop",
    "linkx",
    "cpgnn",
    "fagcn",
    "trees",
    "acm-gcnii",
    "adjacency-gcn",
)
_VERBS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "train": (["g.npz", "--model", "gcn", *QUICK, "-o", "out"], (*_TRAINING, *_SPLITS, "--model", "-o")),
    "compare": (
        ["g.npz", "--models", "mlp-1,gcn", *QUICK],
        (*_TRAINING, *_SPLITS, "--models", "--store", "--workers"),
    ),
    "sweep": (
        ["g.npz", "--model", "mlp-1", *QUICK, "--trials", "1"],
        (*_TRAINING, *_SPLITS, "--model", "--trials", "--method", "--store", "--workers"),
    ),
    "diagnose": (
        ["g.npz", "--no-verdict"],
        (
            "--html",
            "--budget",
            "--candidates",
            "--score",
            "--device",
            "--splits",
            "--seed",
            "--task",
            "--nan",
            "--name",
        ),
    ),
    "predict": (["kept", "g.npz"], ("-o", "--device", "--new", "--edges", "--threshold")),
    "export": (["kept", "g.npz"], ("-o", "--device")),
    "models": ([], ()),
    "store": (["list", "runs.db"], ()),
}


def options(rng: Random, place: Path, originals: Path) -> list[str]:
    """One option of a verb with an odd value, or an odd argument more."""
    for name in ("g.npz", "runs.db"):
        shutil.copy(originals / name, place / name)
    shutil.copytree(originals / "kept", place / "kept")
    verb = rng.choice((*_VERBS, "train", "train", "sweep"))
    words, known = _VERBS[verb]
    value = rng.choice(_NUMBERS) if rng.random() < 0.6 else rng.choice(_WORDS)
    if not known or rng.random() < 0.05:
        return [verb, *words, value]
    if verb in ("train", "sweep") and rng.random() < 0.4:
        model = rng.choice(_MODELS)
        words = [model if word in ("gcn", "mlp-1") else word for word in words]
        setting = rng.choice((*resolve(model)[0].settings, *_TRAINED))
        return [verb, *words, "--set", f"{setting}={value}"]
    option = rng.choice(known)
    if option in words:
        words = [word for place, word in enumerate(words) if option not in (word, (words[place - 1]))]
    return [verb, *words, option, value]
