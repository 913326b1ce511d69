"""Errors for the template: on the training rows and on given rows, compared with simpler models."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler._table.rows import known_share
from fruler._wording import counted, name_with_unit, with_minus, with_unit
from fruler.explain.report._drawings import TARGET_SHARE, Axis, Chart, fixed, padded, shown
from fruler.explain.report._reference import Reference, View
from fruler.rules._measurement import marks_of, measure_truth
from fruler.rules._rule_base import RuleBase
from fruler.rules.truth import Truth

if TYPE_CHECKING:
    import pandas as pd


_MAX_DOTS = 500
_N_FOLDS = 5
# A linear regression on fewer rows per input than this is not cross-validated.
_MIN_ROWS_AN_INPUT = 2
HELD_OUT, TRAINING = "on held-out rows (cross-validation)", "on the training rows"
_N_BINS = 31
# Errors beyond this many typical errors are counted in the outermost bars.
_MAX_ERRORS_SHOWN = 5.0
_MAX_TICKS = 8
# Errors on rows of which the model has seen this share are errors on training rows.
_MOSTLY = 0.5


class Errors(NamedTuple):
    """The root mean squared errors of a model; None if they are not known."""

    name: str
    training: float | None = None
    left_out: float | None = None
    given: float | None = None


class Example(NamedTuple):
    """A row to try, with its observed target."""

    name: str
    row: list[float]
    observed: float


@dataclass(frozen=True, eq=False)
class Measured:
    """Given rows with their predictions and errors.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_inputs)
        The rows.
    observed, predicted : ndarray of shape (n_rows,)
        The observed and predicted targets of all rows.
    shown : ndarray of int
        The rows to draw as dots, at most 500.
    linear, linear_left_out : float
        The root mean squared error of a linear regression on these rows: on the rows themselves, and in
        cross-validation with five folds (NaN with too few rows).
    seen : float
        The share of these rows that the model was learned from; NaN if it is not known.
    stand_in : bool
        Whether these rows are used instead of the training rows, since the model has no training summary.
    truth : Truth
        How true the rules are one by one on these rows.
    examples : list of Example
        Rows to try.
    """

    values: Floats
    observed: Floats
    predicted: Floats
    shown: npt.NDArray[np.intp]
    linear: float
    linear_left_out: float
    seen: float
    stand_in: bool
    truth: Truth
    examples: list[Example]

    @property
    def are_training(self) -> bool:
        """Whether these are training rows of the model, at least half of them."""
        return self.seen >= _MOSTLY

    @property
    def residuals(self) -> Floats:
        """The observed minus the predicted values."""
        return self.observed - self.predicted

    @property
    def rmse(self) -> float:
        """The root mean squared error."""
        return root_mean_square(self.residuals)

    @property
    def explained(self) -> float | None:
        """The explained share of the target's variance (R²); None for a constant target."""
        spread = root_mean_square(self.observed - self.observed.mean())
        return 1.0 - (self.rmse / spread) ** 2 if spread > 0.0 else None


class GivenRows(NamedTuple):
    """Rows given to a report: their inputs with gaps and without, and their target."""

    given: Floats
    values: Floats
    target: Floats


def checked_rows(rule_base: RuleBase, X: Any, y: Any) -> GivenRows | None:
    """Return the given rows, or None without rows.

    Raises
    ------
    ValueError
        If only one of `X` and `y` is given, `X` has no rows, or `y` does not have one finite number per row.
    """
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError(
            f"{'y' if y is None else 'X'} is missing: a report on data needs both the inputs X and the target y; "
            "leave out both for a report without data."
        )
    given = rule_base.inputs.numbers(X)
    values = rule_base.inputs.filled(given)
    if not len(values):
        raise ValueError("X has no rows; give some, or leave X and y out.")
    try:
        target = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must be numbers, one for each of the {len(values)} rows of X: {error}.") from None
    if target.shape not in ((len(values),), (len(values), 1)) or not np.isfinite(target).all():
        raise ValueError(
            f"y must have one finite number for each of the {len(values)} rows of X; it has shape {target.shape}"
            f"{'' if np.isfinite(target).all() else ' and values that are not finite'}."
        )
    return GivenRows(given, values, target.reshape(-1))


def measure_rows(rule_base: RuleBase, rows: GivenRows) -> Measured:
    """Predict rows and compare the predictions with the observed targets."""
    _, values, target = rows
    predicted = rule_base.predict(values)
    n, seen = len(target), _seen_share(rule_base, rows)
    are_training = seen >= _MOSTLY
    enough = n >= max(_N_FOLDS, _MIN_ROWS_AN_INPUT * (values.shape[1] + 1))
    return Measured(
        values=values,
        observed=target,
        predicted=predicted,
        shown=np.random.default_rng(0).permutation(n)[:_MAX_DOTS],
        linear=root_mean_square(target - _line(values, target, values)),
        linear_left_out=_left_out_error(values, target) if enough else float("nan"),
        seen=seen,
        stand_in=rule_base.training is None,
        truth=measure_truth(rule_base, values, target, held_out=not are_training),
        examples=_examples(values, target, predicted),
    )


def _seen_share(rule_base: RuleBase, rows: GivenRows) -> float:
    """Return the share of rows that the model was learned from, NaN if it is not known.

    The rows are compared as they were given: which values fill their gaps depends on the other rows.
    """
    training = rule_base.training
    if training is None:
        return float("nan")
    if training.marks is not None:
        return known_share(marks_of(rule_base, rows.given, rows.target), training.marks)
    low, high = rows.target.min(), rows.target.max()
    same = (training.n_rows, training.target_low, training.target_high) == (len(rows.target), low, high)
    return 1.0 if same else float("nan")


def model_errors(rule_base: RuleBase, measured: Measured | None) -> list[Errors]:
    """Return the errors of the model, of a linear regression if rows are given, and of the mean."""
    training, background = rule_base.training, rule_base.background
    own = Errors("This model", _known(background.rmse), _known(background.cv_rmse))
    spread = None if training is None else training.target_spread
    # Held out or not, the mean is as good as the same.
    mean = Errors("Always the mean", spread, None if own.left_out is None else spread)
    if measured is None:
        return [own, mean] if training is not None else []
    left_out = _known(measured.linear_left_out)
    if measured.are_training:
        return [own, Errors("Linear regression", measured.linear, left_out), mean]
    # A linear regression that was fitted on these rows would have seen them, unlike the model.
    line = Errors("Linear regression, cross-validated on these rows", given=left_out)
    centre = measured.observed.mean() if training is None else training.target_mean
    own = own._replace(given=measured.rmse)
    mean = mean._replace(given=root_mean_square(measured.observed - centre))
    return [own, mean] if left_out is None else [own, line, mean]


def error_rows(reference: Reference, errors: list[Errors]) -> View | None:
    """Return the table of errors: the columns with known errors, and a bar for the last error of each row."""
    if not errors:
        return None
    titles = {"training": TRAINING, "left_out": HELD_OUT, "given": "on the given rows"}
    columns = [name for name in titles if any(getattr(row, name) is not None for row in errors)]
    figures = [[getattr(row, name) for name in columns] for row in errors]
    largest = max(value for row in figures for value in row if value is not None) or 1.0
    tolerance = TARGET_SHARE * reference.background.target_spread
    rows = [
        {
            "name": row.name,
            "texts": ["" if value is None else fixed(value, tolerance) for value in values],
            "share": [value for value in values if value is not None][-1] / largest,
        }
        for row, values in zip(errors, figures, strict=True)
    ]
    return {"columns": [titles[name] for name in columns], "rows": rows}


def _known(error: float) -> float | None:
    return error if np.isfinite(error) else None


def root_mean_square(values: Floats) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


def _line(values: Floats, target: Floats, wanted: Floats) -> Floats:
    """Fit a linear regression to rows, and return its predictions for other rows."""
    centre, size = values.mean(axis=0), values.std(axis=0)
    size = np.where(size > 0.0, size, 1.0)
    design = (values - centre) / size
    slopes = np.linalg.lstsq(design, target - target.mean(), rcond=None)[0]
    return np.asarray(((wanted - centre) / size) @ slopes + target.mean())


def _left_out_error(values: Floats, target: Floats) -> float:
    fold = np.random.default_rng(0).permutation(len(target)) % _N_FOLDS
    residuals = np.empty(len(target))
    for k in range(_N_FOLDS):
        rest, part = fold != k, fold == k
        residuals[part] = target[part] - _line(values[rest], target[rest], values[part])
    return root_mean_square(residuals)


def _examples(values: Floats, target: Floats, predicted: Floats) -> list[Example]:
    order = np.argsort(target, kind="stable")
    chosen = [
        ("Lowest observed", order[0]),
        ("Middle observed", order[(len(order) - 1) // 2]),
        ("Highest observed", order[-1]),
        ("Largest miss", np.argmax(np.abs(target - predicted))),
    ]
    return [Example(name, values[row].tolist(), float(target[row])) for name, row in chosen]


class Headline(NamedTuple):
    """A result with its name, and a note: the rows on which it was measured, or a number to compare it with."""

    figure: str
    name: str
    note: str


def headlines(reference: Reference, measured: Measured | None) -> list[Headline]:
    """Return the main results: how far predictions miss, the share of the variance explained, and the model's size.

    Errors and R² are measured on the given rows, unless these are training rows; else on held-out rows; and on the
    training rows only if no other errors are known.
    """
    rule_base, training, background = reference.rule_base, reference.rule_base.training, reference.background
    size, truth = _size(rule_base), None if training is None else training.truth
    if measured is not None and not measured.are_training:
        error, truth, explained = measured.rmse, measured.truth, measured.explained
        where = f"on {counted(len(measured.observed), 'given row')}"
        half = reference.target(float(np.median(np.abs(measured.residuals))), _about)
    elif training is None:
        return [size]
    else:
        error, where = background.error, HELD_OUT if np.isfinite(training.cv_rmse) else TRAINING
        explained = 1.0 - (error / training.target_spread) ** 2 if training.target_spread > 0.0 else None
        half = "" if background.misses is None else reference.change(background.misses[0], _about)
    found = [Headline(half, "half of the predictions miss by less", where)] if half else []
    if rule_base.output.loss.reweighted and truth is not None:
        found.append(Headline(reference.loss(truth.together), rule_base.output.loss.title, where))
    else:
        found.append(Headline(reference.target(error, fixed), "root mean squared error (RMSE)", where))
    if explained is not None:
        share = f"{explained:.1%}" if explained > 0.9 else f"{explained:.0%}"
        found.append(Headline(with_minus(share), "of the variance explained (R²)", where))
    return [*found, size]


def _about(value: float, tolerance: float) -> str:
    """Write an error, of which nobody needs more than two digits."""
    return shown(value, max(tolerance, abs(value) / 20.0))


def _size(rule_base: RuleBase) -> Headline:
    used = sum(bool(rule_base.uses[feature.index].any()) for feature in rule_base.features)
    with_what = f"with {used} of {counted(len(rule_base.features), 'input')}"
    return Headline(str(rule_base.n_rules), "rule" if rule_base.n_rules == 1 else "rules", with_what)


def error_pictures(measured: Measured, unit: str) -> list[View]:
    """Return plots of the observed against the predicted values, and of the distribution of the errors."""
    return [_scatter(measured, unit), _misses(measured, unit)]


def _scatter(measured: Measured, unit: str) -> View:
    observed, predicted = measured.observed[measured.shown], measured.predicted[measured.shown]
    limits = padded(np.concatenate([observed, predicted]))
    x_title, y_title = (name_with_unit(name, unit) for name in ("predicted", "observed"))
    chart = Chart("Predicted against observed values", Axis(limits, x_title), Axis(limits, y_title))
    chart.line(np.array(limits), np.array(limits), "diagonal")
    chart.dots(predicted, observed, "dots")
    n = len(measured.observed)
    whose = counted(n, "row") if n == len(observed) else f"{len(observed)} of {n:,} rows, chosen at random"
    caption = f"Each dot is a row ({whose}). On the line a prediction is exact."
    return {"svg": chart.svg(), "caption": caption}


def _misses(measured: Measured, unit: str) -> View:
    residuals, rmse = measured.residuals, measured.rmse
    farthest = float(np.abs(residuals).max())
    limit = min(farthest, _MAX_ERRORS_SHOWN * rmse) or 1.0
    counts, edges = np.histogram(np.clip(residuals, -limit, limit), bins=_N_BINS, range=(-limit, limit))
    title = name_with_unit("observed − predicted", unit)
    chart = Chart("Distribution of the errors", Axis((-limit, limit), title), Axis((0.0, counts.max() * 1.05), "rows"))
    chart.bars(edges, counts.astype(np.float64), "bars")
    chart.line(np.zeros(2), np.array([0.0, counts.max() * 1.05]), "diagonal")
    quantiles = np.quantile(np.abs(residuals), [0.5, 0.9, 1.0]).tolist()
    half, most, largest = (with_unit(shown(miss, rmse / 20.0), unit) for miss in quantiles)
    caption = (
        f"Half of the predictions miss by less than {half}, nine in ten by less than {most}; the largest miss is "
        f"{largest}."
    )
    if limit < farthest:
        caption += " The outermost bars count all that lie beyond them."
    return {"svg": chart.svg(), "caption": caption}


def front_view(front: pd.DataFrame, reference: Reference) -> View:
    """Return a plot and a table of the models of other sizes; the model of the report is marked."""
    rule_base = reference.rule_base
    front = _one_of_each_size(front, rule_base)
    figures = front.reindex(columns=["rules", "error", "cv_error", "truth"])
    rules, *means, truth = figures.to_numpy(dtype=np.float64).T
    loss = rule_base.output.loss
    # Errors of the front are half of the mean squared errors, or the means of another loss.
    training, left_out = (loss.told(loss.typical(mean / loss.shown)) for mean in means)
    known = np.concatenate([training[np.isfinite(training)], left_out[np.isfinite(left_out)]])
    low = 0.0 if known.min() < 0.3 * known.max() else padded(known, 0.12)[0]
    chart = Chart(
        "Error against the number of rules",
        Axis((min(float(rules.min()), 1.0) - 0.5, float(rules.max()) + 0.5), "rules", ticks=_whole_ticks(rules)),
        Axis(
            (low, padded(known, 0.08)[1]), name_with_unit(loss.short, "" if loss.of_log_mean else rule_base.target_unit)
        ),
    )
    has_left_out = bool(np.isfinite(left_out).any())
    for errors, kind in ((training, "soft"), (left_out, "strong")):
        at = np.isfinite(errors)
        if at.any():
            chart.line(rules[at], errors[at], f"line {kind if has_left_out else 'strong'}")
            chart.dots(rules[at], errors[at], f"dots {kind if has_left_out else 'strong'}")
    chosen = _chosen(front, rule_base)
    if chosen is not None:
        headline = left_out if np.isfinite(left_out[chosen]) else training
        chart.dots(rules[[chosen]], headline[[chosen]], "ring")
    tolerance = TARGET_SHARE * (float(known.max()) if loss.of_log_mean else reference.background.target_spread)
    texts = ([fixed(value, tolerance) if np.isfinite(value) else "" for value in own] for own in (training, left_out))
    truths = [f"{value:.2f}" if np.isfinite(value) else "" for value in truth]
    return {
        "svg": chart.svg(),
        "rows": list(zip(front["rules"], front["coefficients"], *texts, truths, strict=True)),
        "chosen": chosen,
        "left_out": has_left_out,
        "truth": any(truths),
    }


def _one_of_each_size(front: pd.DataFrame, rule_base: RuleBase) -> pd.DataFrame:
    """Return the model with the most terms for every number of rules, but the model of the report for its own."""
    chosen, rules = _chosen(front, rule_base), front["rules"].to_numpy()
    last = np.append(rules[1:] != rules[:-1], True)
    if chosen is not None:
        last = np.where(rules == rules[chosen], np.arange(len(rules)) == chosen, last)
    return front[last]


def _whole_ticks(numbers: Floats) -> list[tuple[float, str]]:
    """Return at most eight ticks at numbers of rules."""
    every = np.unique(numbers)
    return [(number, f"{number:,.0f}") for number in every[:: math.ceil(len(every) / _MAX_TICKS)].tolist()]


def _chosen(front: pd.DataFrame, rule_base: RuleBase) -> int | None:
    same = (front["rules"] == rule_base.n_rules).to_numpy()
    if same.sum() > 1:
        same = same & (front["coefficients"] == rule_base.n_coefficients).to_numpy()
    return int(np.flatnonzero(same)[0]) if same.any() else None
