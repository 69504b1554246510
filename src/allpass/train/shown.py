"""How trainings, comparisons and sweeps show themselves at a prompt and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from allpass import display
from allpass.data.draft import many
from allpass.train.rules.scores import SCORES
from allpass.train.written import lead, mean, p_value, score_name

if TYPE_CHECKING:
    from allpass.train.compare import Comparison
    from allpass.train.fit import Replica
    from allpass.train.runs.run import Run
    from allpass.train.sweep import Sweep
    from allpass.train.trained import Trained

_SHOWN = 20
"""The most trials of a sweep in a table."""


def comparison_text(compared: Comparison) -> str:
    """The models with their scores, the best by validation first."""
    ranked = sorted(compared.contenders, key=lambda one: one.model != compared.best)
    scores = [f"{one.model} {mean(compared.score, one.estimate)}" for one in ranked]
    title = (
        f"Comparison on {compared.dataset}, {many(len(compared.splits), 'split')}: {_test(compared.score)}"
    )
    return display.brief(title, display.listed((f"{scores[0]} (best on validation nodes)", *scores[1:])))


def comparison_table(compared: Comparison) -> str:
    """Every model with its score and by how much it is ahead of the best by validation."""
    ahead = compared.against(compared.best)
    headers = ("model", _test(compared.score), f"ahead of {compared.best}", "p (Holm)", "epochs")
    rows = []
    for one in compared.contenders:
        found = ahead.get(one.model)
        ahead_by = "" if found is None else lead(compared.score, found)
        p = "" if found is None else p_value(found)
        score = mean(compared.score, one.estimate)
        rows.append((one.model, score, ahead_by, p, f"{one.epochs:.0f}"))
    splits = f"{many(len(compared.splits), 'split')} ({compared.shares}%)" if compared.shares else "splits"
    return display.table(
        headers, rows, f"{compared.dataset}, {splits}; best on validation nodes: {compared.best}"
    )


def sweep_text(found: Sweep) -> str:
    """What was tried, and what validation chose."""
    chosen = found.chosen
    return display.brief(
        f"Sweep of {found.model} on {found.dataset}: {many(len(found.trials), 'setting')}{_stopped(found)}, "
        f"{many(len(found.splits), 'split')}",
        f"chosen: {_settings(chosen.settings, varied(found))}",
        f"{score_name(found.score)}: validation {SCORES[found.score].written(chosen.val_score)}, "
        f"test {mean(found.score, chosen.test)}",
    )


def sweep_table(found: Sweep) -> str:
    """The best settings by validation, without those that never changed."""
    names, write = varied(found), SCORES[found.score].written
    splits = ("splits",) if found.stopped else ()
    rows = [
        (
            *(trial.settings[name] for name in names),
            *(trial.splits for _ in splits),
            write(trial.val_score),
            mean(found.score, trial.test),
        )
        for trial in found.ranked[:_SHOWN]
    ]
    more = f", the best {_SHOWN}" * (len(found.trials) > _SHOWN)
    tried = f"{found.model} on {found.dataset}: {many(len(found.trials), 'setting')}{_stopped(found)}{more}"
    caption = f"{tried}; validation chooses the first"
    return display.table((*names, *splits, "validation", _test(found.score)), rows, caption)


def _stopped(found: Sweep) -> str:
    return f" ({found.stopped} stopped early)" if found.stopped else ""


def varied(found: Sweep) -> list[str]:
    """The names of the settings that differ between trials; of a single trial all."""
    tried = [trial.settings for trial in found.trials]
    differ = [name for name in tried[0] if any(settings[name] != tried[0][name] for settings in tried)]
    return differ or list(tried[0])


def training_text(run: Run | Replica) -> str:
    """What was trained, how it ended, its scores."""
    return display.brief(*_training(run))


def training_table(run: Run | Replica) -> str:
    """Scores of a training by name."""
    title, ended, _ = _training(run)
    rows = [(name, f"{value:.4g}") for name, value in run.scores.items()]
    return display.table(("score", "value"), rows, f"{title}; {ended}")


def _training(run: Run | Replica) -> tuple[str, str, str]:
    from allpass.train.runs.run import Run

    if isinstance(run, Run):
        model, split, seed, place = run.key.model, run.key.split, run.key.seed, f" on {run.key.dataset}"
        diverged = run.status == "diverged"
    else:
        model, split, seed, place, diverged = run.model, run.split.name, run.seed, "", run.diverged
    reported = "no epoch" if run.epoch is None else f"epoch {run.epoch}"
    ended = f"{'diverged' if diverged else 'done'} after {many(run.epochs, 'epoch')}, {reported} reported"
    scores = display.listed(f"{name} {value:.4g}" for name, value in run.scores.items())
    return f"Run of {model}{place}, split {split}, seed {seed}", ended, scores


def trained_text(trained: Trained) -> str:
    """What it predicts from what, its scores, and where it comes from."""
    return display.brief(f"Trained {trained.model}{_on(trained)}", *(f"{k}: {v}" for k, v in _facts(trained)))


def trained_table(trained: Trained) -> str:
    """The same as a table."""
    return display.table(("", ""), _facts(trained), f"Trained {trained.model}{_on(trained)}")


def _on(trained: Trained) -> str:
    return f" on {trained.dataset}" if trained.dataset else ""


def _facts(trained: Trained) -> list[tuple[str, str]]:
    write, classes = SCORES[trained.score].written, trained.num_classes
    parts = {"validation": "val_score", "test": "test_score"}
    scores = {part: trained.scores.get(name, math.nan) for part, name in parts.items()}
    known = ", ".join(f"{part} {write(value)}" for part, value in scores.items() if not math.isnan(value))
    names = f" ({', '.join(trained.class_names)})" if trained.class_names and classes else ""
    weights = sum(weight.numel() for weight in trained.weights.values())
    return [
        ("predicts", (many(classes, "class", "classes") if classes else "numbers") + names),
        ("reads", f"{many(trained.in_channels, 'feature')} of {many(trained.num_nodes, 'node')}"),
        (score_name(trained.score), known or "not measured"),
        ("training", f"split {trained.split}, seed {trained.seed}, {many(weights, 'weight')}"),
    ]


def _test(score: str) -> str:
    return f"test {score_name(score)}" + ", %" * SCORES[score].in_percent


def _settings(settings: Mapping[str, object], names: list[str]) -> str:
    return display.listed(f"{name}={settings[name]!r}" for name in names)
