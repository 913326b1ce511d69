"""The origin of a report: facts that a reader needs to reproduce the model or to trust it."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fruler._wording import counted, name_with_unit, percent
from fruler.explain.report._drawings import shown
from fruler.explain.report._error_views import Measured
from fruler.rules._rule_base import RuleBase

# The seed is listed apart from the other settings.
_SEED = "random_state"
# Settings are listed if they have plain values and affect the model.
_PLAIN = (str, bool, int, float, list, tuple, dict, type(None))
_NOT_TOLD = ("callbacks", "verbose", "n_jobs", "warm_start", "checkpoint")
# Reproducible builds set their date with this variable, in seconds since 1970.
_FIXED_DATE = "SOURCE_DATE_EPOCH"


@dataclass(frozen=True)
class Origin:
    """The origin of a model and its report; unknown fields are empty.

    Parameters
    ----------
    data : str, optional
        The file with the rows.
    model : str, optional
        The file with the model.
    command : str, optional
        The command line or the call that made the model.
    algorithm : str, optional
        The algorithm that learned the rules.
    settings : mapping of str to object, optional
        The parameters of the algorithm; `random_state` is the seed.
    date : datetime, optional
        The date of the report; by default now, or the date in the environment variable SOURCE_DATE_EPOCH.
    changes : tuple of str, optional
        What a person changed in the model, and to which rows it was fitted again.

    See Also
    --------
    report_html : Make a report, which shows the origin at the end of the page.

    Examples
    --------
    >>> import datetime
    >>> Origin("houses.csv", date=datetime.datetime(2024, 12, 29, 18, 5)).moment
    '29 December 2024, 18:05 UTC'
    """

    data: str = ""
    model: str = ""
    command: str = ""
    algorithm: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    date: datetime.datetime | None = None
    changes: tuple[str, ...] = ()

    def learned_by(self, algorithm: str, settings: Mapping[str, object], call: str = "") -> Origin:
        """Return a copy in which missing facts on the learning of the rules are filled in.

        Parameters
        ----------
        algorithm : str
            The name of the algorithm.
        settings : mapping of str to object
            The parameters of the algorithm.
        call : str, optional
            The call that learned the rules, shown if there is no command.

        Returns
        -------
        Origin
            The origin with the algorithm, its settings and the call.

        Examples
        --------
        >>> Origin("houses.csv").learned_by("Growth", {"max_rules": 5}).algorithm
        'Growth'
        """
        return replace(
            self,
            algorithm=self.algorithm or algorithm,
            settings=self.settings or told_settings(settings),
            command=self.command or call,
        )

    @property
    def moment(self) -> str:
        """The date of the report, in words."""
        date = self.date
        if date is None:
            fixed = os.environ.get(_FIXED_DATE, "")
            now = datetime.datetime.now(datetime.UTC)
            date = datetime.datetime.fromtimestamp(int(fixed), datetime.UTC) if fixed.isdecimal() else now
        if date.tzinfo is not None:
            date = date.astimezone(datetime.UTC)
        return f"{date.day} {date:%B %Y, %H:%M} UTC"


def told_settings(settings: Mapping[str, object]) -> dict[str, Any]:
    """Return the settings that affect a model, without threads, callbacks and other objects."""
    return {name: value for name, value in settings.items() if name not in _NOT_TOLD and isinstance(value, _PLAIN)}


def origin_facts(origin: Origin, rule_base: RuleBase, measured: Measured | None) -> list[tuple[str, str]]:
    """Return the known facts about a report's origin, with their names."""
    from fruler import __version__

    facts = [("Report made", f"{origin.moment}, with fruler {__version__}")]
    training = rule_base.training
    if training is not None and (measured is None or not measured.stand_in):
        facts.append(("Training rows", f"{training.n_rows:,}, with {counted(len(rule_base.columns), 'column')}"))
        spread = training.target_high - training.target_low
        low, mean, high = (
            shown(end, spread / 1_000.0) for end in (training.target_low, training.target_mean, training.target_high)
        )
        target = name_with_unit(rule_base.target_name, rule_base.target_unit)
        facts.append((target, f"{low} to {high} in the training rows, {mean} in the mean"))
    if measured is not None:
        facts.append(("Rows given to the report", f"{len(measured.observed):,}, {_which_rows(measured.seen)}"))
    facts += [
        ("Data file", origin.data),
        ("Model file", origin.model),
        ("Algorithm", origin.algorithm),
        ("Seed", _value_text(origin.settings[_SEED]) if _SEED in origin.settings else ""),
        ("Made by", origin.command),
        *(("Changed", change) for change in origin.changes),
    ]
    return [(name, text) for name, text in facts if text]


def _which_rows(seen: float) -> str:
    """Write whether the model was learned from rows; `seen` is the share of them that it was learned from."""
    if np.isnan(seen):
        return "whether the model was learned from them is not known"
    if seen == 1.0:
        return "the training rows"
    return f"about {percent(seen)} of them training rows" if seen > 0.0 else "none of them a training row"


def origin_settings(origin: Origin) -> list[tuple[str, str]]:
    """Return the settings of the algorithm as texts, without the seed."""
    return [(name, _value_text(value)) for name, value in origin.settings.items() if name != _SEED]


def _value_text(value: object) -> str:
    return "none" if value is None else str(value)
