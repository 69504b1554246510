"""Settings of a model and options of its training as parameters of an estimator."""

from __future__ import annotations

import copy
from dataclasses import fields
from typing import Any, Self

import numpy as np

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.models.catalog import MODELS, resolve
from allpass.train.config import TrainingConfig
from allpass.train.job import TRAINING

OPTIONS = tuple(one.name for one in fields(TrainingConfig) if one.name != "task")
"""The training options of an estimator; its class decides the task."""


class Parameters:
    """The parameters of an estimator, among them any setting of its model and any option of the training.

    ``get_params``, ``set_params``, ``clone`` and searches treat settings and options like named parameters. It stands
    before scikit-learn's ``BaseEstimator`` among the bases of an estimator.

    Args:
        model: A name of ``allpass.models.MODELS``.
        graph: The graph whose nodes are named by number; None where the methods are given graphs or rows.
        validation: Share of the training nodes that validate where nothing names such nodes.
        random_state: Seed of the weights, the dropout and the validation nodes.
        **settings: Settings and options.
    """

    def __init__(
        self,
        model: str,
        *,
        graph: Any = None,
        validation: float = 0.2,
        random_state: int | np.random.RandomState | None = 0,
        **settings: Any,
    ) -> None:
        self.model = model
        self.graph = graph
        self.validation = validation
        self.random_state = random_state
        self._settings: dict[str, Any] = {}
        self._set(settings)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, with the settings and options that were given.

        Args:
            deep: Include the parameters of nested estimators, as in scikit-learn.
        """
        named: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]  # of BaseEstimator
        return {**named, **self._settings}

    def set_params(self, **params: Any) -> Self:
        """Change parameters.

        Args:
            **params: Parameters, settings of the model or options of the training.
        """
        named = self._named()
        super().set_params(  # type: ignore[misc]  # of BaseEstimator
            **{name: value for name, value in params.items() if name in named}
        )
        self._set({name: value for name, value in params.items() if name not in named})
        return self

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy. It shares the graph, which is never changed and may be large."""
        params = self.get_params(deep=False)
        graph = params.pop("graph")
        made = type(self)(graph=graph, **copy.deepcopy(params))
        if (request := "_metadata_request") in vars(self):
            vars(made)[request] = copy.deepcopy(vars(self)[request])
        return made

    @property
    def _options(self) -> dict[str, Any]:
        """The training options that were given."""
        return {name: value for name, value in self._settings.items() if name in OPTIONS}

    @property
    def _model_settings(self) -> dict[str, Any]:
        """The settings of the model that were given, ``lr`` and ``weight_decay`` among them."""
        return {name: value for name, value in self._settings.items() if name not in OPTIONS}

    def _set(self, settings: dict[str, Any]) -> None:
        """Keep settings that some model has; the model itself may still change, so ``fit`` checks the rest."""
        known = {*OPTIONS, *(name for entry in MODELS for name in entry.settings)}
        for name in settings:
            if name not in known and name.split(":")[0] not in TRAINING:
                near = did_you_mean(name, self._known())
                raise InputError(
                    f"{type(self).__name__} has no parameter {name!r}.",
                    near
                    if near.startswith("Did")
                    else "`allpass models NAME` lists the settings of a model.",
                )
        self._settings = {**self._settings, **settings}

    @classmethod
    def _named(cls) -> list[str]:
        """The parameters that ``__init__`` names."""
        found: list[str] = cls._get_param_names()  # type: ignore[attr-defined]  # of BaseEstimator
        return found

    def _known(self) -> list[str]:
        """All parameters that this model has."""
        try:
            of_model = list(resolve(self.model)[0].settings)
        except (InputError, UnknownNameError):
            of_model = []
        return [*self._named(), *OPTIONS, *TRAINING, *of_model]
