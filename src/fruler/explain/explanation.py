"""Explanations of predictions: fired rules, labels, and the contribution of each feature to the mean prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats, Indices
from fruler._table.reading import unknown_values
from fruler._wording import counted, either, printable, readable_number, unit_after
from fruler.explain._scales import scale_of
from fruler.rules._background import outside_training, unseen_by_rules
from fruler.rules._features import Feature
from fruler.rules._inference import parts_from
from fruler.rules._rule_base import RuleBase
from fruler.rules.intervals import prediction_intervals

# Parts are rounded to this share of the target's spread; smaller ones are summed up.
PART_SHARE = 0.002
# The sum of the smaller ones is left out if it is below this share of the rounding.
_NOTHING = 0.05
# The coverage of the prediction intervals in explanations.
COVERAGE = 0.9
ROWS_SHOWN, PARTS_SHOWN, _RULES_SHOWN = 5, 6, 5
# Rules with less weight than this are not named.
_MIN_WEIGHT = 0.005


class Part(NamedTuple):
    """The contribution of one feature to a prediction.

    Attributes
    ----------
    subject : str
        The name of the feature: the input, or the column of categories. Empty for the sum of several features.
    adds : float
        The amount that the feature adds to the mean prediction.
    text : str
        The feature with its value in the row: "weekday = Sunday".
    """

    subject: str
    adds: float
    text: str


def joined(rule_base: RuleBase, contributions: Floats) -> dict[str, Floats]:
    """Return the contribution of each feature to the prediction of each row, by the feature's name."""
    return {feature.name: contributions[:, feature.index].sum(axis=1) for feature in rule_base.features}


def part_tolerance(rule_base: RuleBase) -> float:
    """Return the rounding error that a written part may have; smaller parts do not get a line of their own."""
    return PART_SHARE * rule_base.background.spread


def parts_of(
    rule_base: RuleBase,
    values: Floats,
    contributions: Floats,
    missing: npt.NDArray[np.bool_],
    labels: dict[str, str],
) -> list[Part]:
    """Return the parts of the prediction of one row, the largest first; zeros are left out.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values, contributions, missing : ndarray of shape (n_inputs,)
        The row, the contribution of each input, and which inputs were missing.
    labels : dict of str to str
        The best-fitting label of each input with several labels.
    """
    features = {feature.name: feature for feature in rule_base.features}
    adds = by_size({name: float(contributions[feature.index].sum()) for name, feature in features.items()})
    return [
        Part(name, added, _text(rule_base, features[name], values, missing, labels)) for name, added in adds.items()
    ]


def by_size(adds: dict[str, float]) -> dict[str, float]:
    """Return the contributions sorted by size, the largest first, without zeros.

    Examples
    --------
    >>> by_size({"a": 1.0, "b": 0.0, "c": -2.0})
    {'c': -2.0, 'a': 1.0}
    """
    return {name: adds[name] for name in sorted(adds, key=lambda name: -abs(adds[name])) if adds[name] != 0.0}


def shown_parts(parts: Sequence[Part], tolerance: float, max_parts: int) -> list[Part]:
    """Return at most `max_parts` parts that are not below the tolerance, and the sum of the others as the last part.

    Examples
    --------
    >>> parts = [Part("a", 3.0, "a = 1"), Part("b", -0.2, "b = 2"), Part("c", 0.1, "c = 3")]
    >>> [(part.text, round(part.adds, 6)) for part in shown_parts(parts, 0.5, 6)]
    [('a = 1', 3.0), ('2 other inputs', -0.1)]
    """
    telling = [part for part in parts if abs(part.adds) >= tolerance][:max_parts]
    others = parts[len(telling) :]
    rest = sum(part.adds for part in others)
    if abs(rest) < _NOTHING * tolerance or not others:
        return telling
    return [*telling, Part("", rest, counted(len(others), "other input"))]


def totals(base: float, parts: Sequence[Part]) -> Floats:
    """Return the running total: the base, then the sum after each part, shape (n_parts + 1,).

    Examples
    --------
    >>> totals(10.0, [Part("a", 3.0, "a = 1"), Part("b", -1.0, "b = 2")]).tolist()
    [10.0, 13.0, 12.0]
    """
    return np.cumsum([base, *(part.adds for part in parts)])


def _text(
    rule_base: RuleBase,
    feature: Feature,
    values: Floats,
    missing: npt.NDArray[np.bool_],
    labels: dict[str, str],
) -> str:
    """Write a feature with its value: "size = 3 m (low)", "weekday = Sunday", "size is missing"."""
    variable, subject = rule_base.variables[feature.inputs[0]], feature.name
    number = float(values[feature.inputs[0]])
    if variable.tells_gaps:
        return f"{variable.column} is {'missing' if number else 'present'}"
    if missing[feature.index].any():
        label = "" if variable.is_indicator else labels.get(variable.name, "")
        return f"{subject}, estimated ({label})" if label else f"{subject}, estimated"
    if variable.levels is not None:
        # Numbers between those of the categories stand for the nearest.
        return f"{subject} = {_level(feature, values) or variable.levels.written(number)}"
    plain = readable_number(number, 6, grouped=not variable.counts_years)
    value = f"{subject} = {variable.written(number) or f'{plain} {unit_after(plain, variable.unit)}'.rstrip()}"
    label = "" if variable.choices else labels.get(variable.name, "")
    return f"{value} ({label})" if label else value


def _level(feature: Feature, values: Floats) -> str:
    """Return the category of a row; "" where the values of the inputs do not stand for a category."""
    own = values[feature.index]
    return either([text for text, numbers in feature.options if np.allclose(numbers, own, rtol=1e-9, atol=1e-12)])


@dataclass(frozen=True, eq=False)
class Explanation:
    """Explanations of the predictions of some rows.

    Print an explanation to read it; ``len(explanation)`` is the number of rows, and ``explanation[i]`` explains row i.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_samples, n_inputs)
        The rows.
    base : float
        The mean prediction on the training data, from which contributions are counted. With ``link="log"`` it is the
        mean logarithm of the predictions.
    contributions : ndarray of shape (n_samples, n_inputs)
        The contribution of each input. ``base + contributions.sum(axis=1)`` is the prediction before bounds are
        applied. With ``link="log"`` the sum is the logarithm of the prediction, and the exponential of a contribution
        is the factor by which the input multiplies the prediction.
    predictions : ndarray of shape (n_samples,)
        The predictions.
    activations : ndarray of shape (n_samples, n_rules)
        The weight of each rule in the prediction; the weights of a row sum to one.
    rule_outputs : ndarray of shape (n_samples, n_rules)
        The output of each rule by itself, including curves. The sum of the outputs weighted by `activations` is the
        prediction; with ``link="log"`` the weighted sum of their logarithms is the logarithm of the prediction.
    fired : ndarray of bool, shape (n_samples,)
        False where no rule fires and the nearest rule is used instead.
    outside : ndarray of bool, shape (n_samples, n_inputs)
        Which values lie outside the range of the training data.
    unseen : ndarray of bool, shape (n_samples, n_inputs)
        Which values no training row had of the rules that make most of the prediction: numbers beyond theirs, and
        categories that none of them has.
    missing : ndarray of bool, shape (n_samples, n_inputs)
        Which values were missing or unknown categories; `values` has the estimates used instead.
    unknown : tuple of dict of str to str
        The unknown categories of each row, by column.
    interval : ndarray of shape (n_samples, 2) or None
        The ends of the 90 % prediction intervals; None if the model has no intervals.

    See Also
    --------
    fruler.FuzzyRuleRegressor.explain : Explain the predictions of a model.
    fruler.explain.plots.WaterfallDisplay : Plot the explanation of one row.

    Examples
    --------
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> why = model.explain(weather.data[:3])
    >>> bool(abs(why.base + why.contributions[0].sum() - model.predict(weather.data[:1])[0]) < 1e-9)
    True
    >>> why.labels()["max_temperature_before"].tolist()
    ['low', 'low', 'low']

    The output of the strongest rule of each row is close to the prediction of all rules together:

    >>> why.strongest.tolist(), bool(abs(why.alone - why.predictions).max() < 0.1)
    ([0, 0, 0], True)

    The explanation as data, for one row or for all:

    >>> why[0].headline().split(" = ")[0], why[0].parts()[0].subject, why[0].notes()[0]
    ('mean_temperature', 'max_temperature_before', 'by rule 1 (100%)')
    >>> why.to_frame()["strongest rule"].tolist(), sorted(why.to_dict()[0])[:3]
    ([1, 1, 1], ['adds', 'base', 'fired'])
    """

    rule_base: RuleBase
    values: Floats
    base: float
    contributions: Floats
    predictions: Floats
    activations: Floats
    rule_outputs: Floats
    fired: npt.NDArray[np.bool_]
    outside: npt.NDArray[np.bool_]
    unseen: npt.NDArray[np.bool_]
    missing: npt.NDArray[np.bool_]
    unknown: tuple[dict[str, str], ...] = ()
    interval: Floats | None = None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, row: int) -> Explanation:
        if not -len(self) <= row < len(self):
            raise IndexError(f"There are {len(self)} rows; got row {row}.")
        at = slice(row % len(self), row % len(self) + 1)
        return replace(
            self,
            values=self.values[at],
            contributions=self.contributions[at],
            predictions=self.predictions[at],
            activations=self.activations[at],
            rule_outputs=self.rule_outputs[at],
            fired=self.fired[at],
            outside=self.outside[at],
            unseen=self.unseen[at],
            missing=self.missing[at],
            unknown=self.unknown[at],
            interval=None if self.interval is None else self.interval[at],
        )

    def __iter__(self) -> Iterator[Explanation]:
        return (self[row] for row in range(len(self)))

    @property
    def names(self) -> list[str]:
        """The names of the inputs."""
        return list(self.rule_base.names)

    @property
    def strongest(self) -> Indices:
        """The rule with the largest weight in each row, counted from 0, shape (n_samples,); the first if tied."""
        return np.asarray(self.activations.argmax(axis=1), dtype=np.intp)

    @property
    def alone(self) -> Floats:
        """The output of the strongest rule of each row, shape (n_samples,)."""
        return np.asarray(self.rule_outputs[np.arange(len(self)), self.strongest])

    def parts(self, row: int = 0) -> list[Part]:
        """Return the contributions to the prediction of a row, the largest first; zeros are left out.

        All inputs of a column of categories form one part.

        Parameters
        ----------
        row : int, default=0
            The row, from 0.

        Returns
        -------
        list of Part
            Each with the fields `subject`, `adds` and `text`.
        """
        one = self[row]
        labels = {str(name): str(label) for name, label in one.labels().iloc[0].items()}
        return parts_of(self.rule_base, one.values[0], one.contributions[0], one.missing[0], labels)

    def labels(self) -> pd.DataFrame:
        """Return the label that fits each value best, for the inputs with more than one label.

        Returns
        -------
        DataFrame
            One row per prediction, one column per input.
        """
        table: dict[str, list[str]] = {}
        for j, variable in enumerate(self.rule_base.variables):
            if variable.partition.n_labels > 1:
                degrees = variable.partition.degrees(self.values[:, j])
                names = np.array(variable.partition.labels, dtype=object)[degrees.argmax(axis=1)]
                # A category outside all groups has no label.
                table[variable.name] = np.where(degrees.max(axis=1) > 0.0, names, "").tolist()
        return pd.DataFrame(table, index=range(len(self)))

    def to_frame(self) -> pd.DataFrame:
        """Return the explanation as a table, one row per prediction.

        All inputs of a column of categories are one column; `contributions` has each input by itself. With
        ``link="log"`` the base is in the target's unit, and "times" columns with factors replace the "adds" columns.

        Returns
        -------
        DataFrame
            The prediction, the base, the interval, the contribution of each feature, the weight of each rule, the
            strongest rule and its output, whether any rule fired, and the inputs that were outside the training data,
            not seen by the rules, or missing.
        """
        scale = scale_of(self.rule_base)
        columns: dict[str, Any] = {"prediction": self.predictions, "base": scale.target(self.base)}
        if self.interval is not None:
            columns |= {"lower": self.interval[:, 0], "upper": self.interval[:, 1]}
        parts = joined(self.rule_base, self.contributions)
        columns |= {f"{name} {scale.adds}": scale.changes(adds) for name, adds in parts.items()}
        columns |= {f"weight of rule {rule + 1}": self.activations[:, rule] for rule in range(self.rule_base.n_rules)}
        columns |= {"strongest rule": self.strongest + 1, "strongest rule alone": self.alone}
        columns["fired"] = self.fired
        columns["outside"] = [self._names_where(self.outside[row]) for row in range(len(self))]
        columns["unseen"] = [self._names_where(self.unseen[row]) for row in range(len(self))]
        columns["missing"] = [", ".join(self._missing_columns(row)) for row in range(len(self))]
        return pd.DataFrame(columns)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the explanation as dictionaries that can be written as JSON.

        With ``link="log"`` the base is in the target's unit, and "times" with factors replaces "adds".

        Returns
        -------
        list of dict
            One per row; contributions and weights that are zero are left out.
        """
        scale = scale_of(self.rule_base)
        labels, adds = self.labels(), joined(self.rule_base, self.contributions)
        names = self.names
        return [
            {
                "prediction": float(self.predictions[row]),
                **({} if self.interval is None else {"interval": self.interval[row].tolist()}),
                "base": scale.target(self.base),
                scale.adds: {
                    name: float(scale.changes(np.array(part)))
                    for name, part in by_size({name: float(parts[row]) for name, parts in adds.items()}).items()
                },
                "rules": {
                    str(rule + 1): float(self.activations[row, rule]) for rule in np.flatnonzero(self.activations[row])
                },
                "strongest": {"rule": int(self.strongest[row]) + 1, "says": float(self.alone[row])},
                "labels": {str(name): str(label) for name, label in labels.iloc[row].items()},
                "fired": bool(self.fired[row]),
                "outside": [names[j] for j in np.flatnonzero(self.outside[row])],
                "unseen": [names[j] for j in np.flatnonzero(self.unseen[row])],
                "missing": self._missing_columns(row),
            }
            for row in range(len(self))
        ]

    def __str__(self) -> str:
        shown = [self._row_text(row) for row in range(min(len(self), ROWS_SHOWN))]
        if len(self) > ROWS_SHOWN:
            shown.append(f"... and {len(self) - ROWS_SHOWN} more rows; explanation[i] shows one")
        return printable("\n\n".join(shown), keep="\n")

    def __repr__(self) -> str:
        return f"<Explanation of {len(self)} predictions of {self.rule_base.target_name!r}>"

    def _repr_html_(self) -> str:
        from fruler.explain.report._notebook import explanation_html  # it reads explanations, not the other way round

        return explanation_html(self)

    def _names_where(self, flags: npt.NDArray[np.bool_]) -> str:
        return ", ".join(self.names[j] for j in np.flatnonzero(flags))

    def _missing_columns(self, row: int) -> list[str]:
        """Return the columns whose features are missing and used by the rules; features can share a column."""
        gaps = self.missing[row] & self.rule_base.uses
        return list(dict.fromkeys(one.column for one in self.rule_base.features if gaps[one.index].any()))

    def _row_text(self, row: int) -> str:
        tolerance, scale = part_tolerance(self.rule_base), scale_of(self.rule_base)
        table = [(scale.written(scale.target(self.base), tolerance), scale.base)]
        parts = shown_parts(self.parts(row), tolerance, PARTS_SHOWN)
        table += [(scale.part(part.adds, tolerance), part.text) for part in parts]
        wide = max(len(number) for number, _ in table)
        lines = [f"  {number:>{wide}}  {text}" for number, text in table]
        return "\n".join([self.headline(row), *lines, *(f"  {note}" for note in self.notes(row))])

    def headline(self, row: int = 0) -> str:
        """Return the prediction of a row in words, such as "price = 31.9 EUR".

        Parameters
        ----------
        row : int, default=0
            The row, from 0.

        Returns
        -------
        str
            The words.
        """
        return f"{self.rule_base.target_name} = {self._written(self.predictions[row])}"

    def notes(self, row: int = 0) -> list[str]:
        """Return notes on a row: bounds, fired rules, interval, and values outside the training data or missing.

        Parameters
        ----------
        row : int, default=0
            The row, from 0.

        Returns
        -------
        list of str
            One note per item.
        """
        weights, said = self.activations[row], self._written(self.alone[row])
        firing = [rule for rule in np.argsort(-weights, kind="stable") if weights[rule] >= _MIN_WEIGHT]
        named = [f"rule {rule + 1} ({weights[rule]:.0%})" for rule in firing[:_RULES_SHOWN]]
        others = firing[_RULES_SHOWN:]
        if others:
            named.append(f"{counted(len(others), 'other')} ({weights[others].sum():.0%})")
        lines = [*self._bounded(row), f"by {', '.join(named)}"]
        if not self.fired[row]:
            lines[-1] += ", the nearest: no rule fits"
        # The output of a rule that fires alone is the prediction.
        if len(firing) > 1 or said != self._written(self.predictions[row]):
            lines.append(f"rule {self.strongest[row] + 1} alone says {said}")
        if self.interval is not None:
            lower = self._number(self.interval[row, 0])
            lines.append(f"{COVERAGE:.0%} of such rows lie between {lower} and {self._written(self.interval[row, 1])}")
        if self.outside[row].any():
            lines.append(f"outside the training data: {self._names_where(self.outside[row])}")
        unseen = self.unseen[row] & ~self.outside[row]
        if unseen.any():
            rules = f"rule {firing[0] + 1} has" if len(firing) == 1 else "these rules have"
            lines.append(f"{rules} seen no such value of {self._names_where(unseen)}")
        unknown = self.unknown[row] if self.unknown else {}
        missing = [column for column in self._missing_columns(row) if column not in unknown]
        if missing:
            lines.append(f"missing, and estimated from the rest of the row: {', '.join(missing)}")
        if unknown:
            told = ", ".join(f"{column} {value!r}" for column, value in unknown.items())
            lines.append(f"not known, and estimated from the rest of the row: {told}")
        return lines

    def _written(self, value: float) -> str:
        """Write a value of the target, with its unit."""
        return f"{self._number(value)} {self.rule_base.target_unit}".rstrip()

    def _number(self, value: float) -> str:
        return scale_of(self.rule_base).written(value, part_tolerance(self.rule_base))

    def _bounded(self, row: int) -> list[str]:
        """Return a note if a bound replaces the sum of the parts as the prediction."""
        scale = scale_of(self.rule_base)
        free = scale.target(self.base + float(self.contributions[row].sum()))
        output, said = self.rule_base.output, self._written(free)
        beyond = {"least": (output.low, free < output.low), "most": (output.high, free > output.high)}
        for word, (bound, is_beyond) in beyond.items():
            if is_beyond and said != self._written(bound):
                return [f"the rules say {said}; predictions are at {word} {self._written(bound)}"]
        return []


def explain_rows(rule_base: RuleBase, given: Floats, X: Any) -> Explanation:
    """Explain the predictions of rows.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with a training summary.
    given : ndarray of shape (n_samples, n_inputs)
        The inputs of the rows, with NaN for missing values.
    X : array-like or data frame
        The table that the inputs were read from. Its unknown categories are named.
    """
    training, inference = rule_base.background.required("to compare a row with"), rule_base.inference
    values = rule_base.inputs.filled(given)
    activations, fired = inference.activations(values)
    used = [one for one, uses in zip(rule_base.variables, rule_base.uses, strict=True) if uses]
    return Explanation(
        rule_base=rule_base,
        values=values,
        base=training.base,
        contributions=parts_from(rule_base, inference.clipped(values), training.typical) - training.offsets,
        predictions=inference.predict(values),
        activations=activations,
        rule_outputs=inference.rule_outputs(values),
        fired=fired,
        outside=outside_training(rule_base, values),
        unseen=unseen_by_rules(rule_base, values, activations) & ~np.isnan(given),
        missing=np.isnan(given),
        unknown=tuple(unknown_values(X, used)) if np.isnan(given).any() else (),
        interval=_interval(rule_base, values),
    )


def _interval(rule_base: RuleBase, values: Floats) -> Floats | None:
    """Return the ends of prediction intervals; None if the model has too few held-out errors for them."""
    if rule_base.intervals is None or rule_base.intervals.coverages[-1] < COVERAGE:
        return None
    lower, upper, _ = prediction_intervals(rule_base, values, COVERAGE)
    return np.column_stack([lower, upper])
