"""Edited, refitted and updated models: the outputs of rules fitted to rows, with what a person fixed."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.utils import check_array, check_consistent_length

from fruler._algorithms.growth.conversion import monotone_lines
from fruler._arrays import Floats
from fruler._table.reading import equal_rows
from fruler._table.rows import spread_evenly
from fruler._wording import readable_number
from fruler.learning._folds import Folds, own_folds
from fruler.rules._background import N_BINS, TrainingSummary
from fruler.rules._consequents import LinearConsequents
from fruler.rules._curves import Curve
from fruler.rules._measurement import (
    MAX_ROWS_EXPLAINED,
    histogram,
    mean_contributions,
    rule_errors,
    training_summary,
)
from fruler.rules._output import Output
from fruler.rules._refit import Held, RowSums, Terms, renumbered
from fruler.rules._rule_base import RuleBase
from fruler.rules.edits import Change, Edit, FixLevel, changed, lines_of, settled, split_points_of, with_split
from fruler.rules.intervals import HeldOutErrors, Intervals, cross_validated_intervals
from fruler.rules.truth import TruthSums

if TYPE_CHECKING:
    from fruler.estimators._fitted import RuleModel

Model = TypeVar("Model", bound="RuleModel")

# The number of folds in which the errors of a refitted model are measured.
_N_FOLDS = 10
# Losses that weigh rows anew are fitted in at most so many rounds, until predictions change by no more than this share.
_MAX_ROUNDS, _STILL = 50, 1e-8
# The number of rows drawn for each rule, where the rows themselves are not known.
_N_DRAWN = 100
# The places to which a split point is moved on trial, as quantiles of the rows between its neighbours.
_TRIALS = np.linspace(0.1, 0.9, 9)
# It is tried with at most so many of the new rows, and at least so many between its neighbours ...
_MAX_TRIED, _MIN_BETWEEN = 20_000, 20
# ... and would move if the error falls by more than this share, and rows·log(error²) by more than this times log(rows).
_LEAST_FALL, _PRICE = 0.01, 3.0


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows to fit a model to, without rows of weight zero.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_inputs)
        The inputs, with gaps filled.
    target, raw : ndarray of shape (n_rows,)
        The target, and the target that raw predictions are fitted to: before the link, or a working response.
    weight : ndarray of shape (n_rows,)
        The weights.
    folds : Folds or None
        The folds to measure errors in; None: there are too few rows.
    """

    values: Floats
    target: Floats
    raw: Floats
    weight: Floats
    folds: Folds | None

    @classmethod
    def checked(cls, model: RuleModel, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> GivenRows:
        """Check rows."""
        if X is None or y is None:
            raise ValueError("Both X and y are needed to fit the outputs again.")
        weight = np.ones(len(np.asarray(y))) if sample_weight is None else np.asarray(sample_weight)
        check_consistent_length(X, y, weight)
        target, weight = (
            check_array(one, ensure_2d=False, input_name=name, dtype=np.float64).reshape(-1)
            for one, name in ((y, "y"), (weight, "sample_weight"))
        )
        if (weight < 0.0).any() or not weight.any():
            raise ValueError("sample_weight must not be negative, and some of it must be above zero.")
        # New rows may lie outside the range that values were clipped to.
        rules = replace(model.rule_base_, extrapolation="linear")
        values = rules.inference.clipped(rules.inputs.filled(model._inputs(X)))
        cv = None if getattr(model, "_has_pairs", False) else getattr(model, "cv", None)
        if cv is None and groups is None and len(np.unique(equal_rows(values, target))) >= _N_FOLDS:
            cv = _N_FOLDS
        folds = own_folds(cv, values, target, groups, 0)
        some = np.flatnonzero(weight)
        rows = cls(values, target, rules.output.learned(target), weight, None).take(some)
        return replace(rows, folds=None if folds is None else folds.take(some))

    def take(self, some: Any) -> GivenRows:
        """Return some of the rows, without folds."""
        return GivenRows(self.values[some], self.target[some], self.raw[some], self.weight[some], None)

    def around(self, output: Output, raw: Floats) -> GivenRows:
        """Return rows whose squared errors are the loss near raw predictions."""
        if not output.loss.reweighted:
            return self
        wanted = output.learned(self.target)
        response, weight = output.loss.near(wanted, raw).working(wanted, raw)
        return replace(self, raw=response, weight=self.weight * weight)

    def sums(self, rules: RuleBase, held: Held, like: RowSums | None = None) -> RowSums:
        """Return the sums of these rows."""
        return RowSums.over(rules, self.values, self.raw, self.weight, held, like)


@dataclass(frozen=True, eq=False)
class Update:
    """Whether the structure of a model still holds for new rows.

    Attributes
    ----------
    rmse : DataFrame
        The root mean squared error on the earlier rows and on the new ones, before and after the update, in the unit of
        the target; with ``link="log"``, of its logarithm.
    splits : DataFrame
        The split points that the new rows would move: one row each, with the input, its place, the better place, and by
        how much the error on the new rows falls there, in percent.
    holds : bool
        Whether the model before the update is about as good on the new rows as on the earlier ones, and no split point
        would move.
    """

    rmse: pd.DataFrame
    splits: pd.DataFrame
    holds: bool

    def __str__(self) -> str:
        text = "Error before and after the update:\n" + self.rmse.to_string(float_format=readable_number)
        if len(self.splits):
            moves = self.splits.to_string(index=False, float_format=readable_number)
            text += "\nSplit points that the new rows would move:\n" + moves
        said = "still holds" if self.holds else "no longer holds: learn the model again from all rows"
        return f"{text}\nThe structure of the model {said}."


def edited_model(model: Model, edits: Sequence[Edit], rows: GivenRows | None, by: str) -> Model:
    """Return a model with edits; all else is fitted to rows, or left as it is."""
    before = rules = model.rule_base_
    done: list[Edit] = []
    for edit in edits:
        if not isinstance(edit, Edit):
            raise ValueError(f"edits must be edits of fruler.rules.edits, such as DropTerm('rain'); got {edit!r}.")
        rules = edit.applied(rules)
        done.append(settled(edit, rules) if isinstance(edit, FixLevel) else edit)
    if not done:
        raise ValueError("edited needs at least one edit; to fit the outputs to new rows, use refit(X, y).")
    if in_directions(rules, model._directions(rules)) is not None:
        raise ValueError("The edits give an input a slope against its direction in monotonic_constraints.")
    if rows is not None:
        return _refitted(model, rules, tuple(done), rows, by)
    other = _changed(model, Change(tuple(done), "", 0, _now(), by))
    if rules.training is not before.training:
        rules = _held(other, rules).kept_by(rules)
        if not _same_terms(before, rules):
            # The sums are those of other terms.
            other._sums = None
        rules = replace(rules, training=_unmeasured(before, rules), intervals=None)
    other._set_rule_base(rules)
    return other


def refitted_model(model: Model, rows: GivenRows, by: str) -> Model:
    """Return a model whose outputs are fitted to rows."""
    lines_of(model.rule_base_)
    return _refitted(model, model.rule_base_, (), rows, by)


def updated_model(model: Model, rows: GivenRows, by: str) -> Model:
    """Return a model whose outputs are fitted to its earlier rows and to new ones."""
    old, rules = model._sums, model.rule_base_
    if old is None:
        raise ValueError(
            "This model keeps no sums over its rows; fit or refit it with keep_sums=True, or use refit with all rows."
        )
    other = _changed(model, Change((), "update", len(rows.raw), _now(), by))
    fit = _Fit(other, replace(rules, extrapolation="linear"), rules)
    new = rows.sums(fit.rules, fit.held, old)
    total = other._sums = old + new
    fitted, after = fit.solved(total)
    before = Terms(fit.rules, fit.held, total, rules).coefficients
    rmse = pd.DataFrame(
        {"before": [old.rmse(before), new.rmse(before)], "after": [old.rmse(after), new.rmse(after)]},
        index=["earlier rows", "new rows"],
    )
    summary, intervals = fit.measured(fitted, rows, total)
    fit.take(fitted, rows, summary, intervals)
    if rules.training is not None:
        own = total.rmse(after) if rules.output.transform.keeps_units else summary.rmse
        other._set_rule_base(_pooled(rules, other.rule_base_, rows, old, new, own))
    splits = _moving_splits(model, rules, rows)
    # An error of n rows varies by about 1 / sqrt(2 n) of itself.
    most = 1.0 + 3.0 * np.sqrt(0.5 / old.n_rows + 0.5 / new.n_rows)
    worse = rmse.loc["new rows", "before"] > most * rmse.loc["earlier rows", "before"]
    other.update_ = Update(rmse, splits, not worse and not len(splits))
    return other


def sums_of_fit(model: RuleModel, X: Any, y: Any, sample_weight: Any) -> RowSums:
    """Return the sums of the rows of a fit."""
    _require_sums(model.rule_base_)
    rules = replace(model.rule_base_, extrapolation="linear")
    return GivenRows.checked(model, X, y, sample_weight).sums(rules, _held(model, rules))


def _require_sums(rules: RuleBase) -> None:
    """Refuse rules that no sums over rows can be kept for."""
    lines_of(rules)
    if rules.output.loss.reweighted:
        raise ValueError(
            f"With loss={rules.output.loss.name!r} the weights of rows depend on the model, so keep_sums has no sums "
            "to keep; leave it out, and use refit with all rows."
        )


def _changed(model: Model, change: Change) -> Model:
    other = copy.copy(model)
    other.changes_ = (*model.changes_, change)
    other._front, other._calibration = (), None
    return other


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _held(model: RuleModel, rules: RuleBase) -> Held:
    return Held.by([edit for change in model.changes_ for edit in change.edits], rules)


def _refitted(model: Model, rules: RuleBase, edits: tuple[Edit, ...], rows: GivenRows, by: str) -> Model:
    other = _changed(model, Change(edits, "refit", len(rows.raw), _now(), by))
    # The range to clip to is that of the new rows.
    fit = _Fit(other, replace(rules, extrapolation="linear"), model.rule_base_)
    rows = replace(rows, values=renumbered(rows.values, model.rule_base_, rules))
    keep = getattr(model, "keep_sums", False)
    if keep:
        _require_sums(rules)
    fitted, sums = fit.fitted(rows)
    other._sums = sums if keep else None
    summary, intervals = fit.measured(fitted, rows, sums)
    fit.take(fitted, rows, summary, intervals)
    return other


class _Fit:
    """Fits the outputs of a model's rules to sums over rows.

    Parameters
    ----------
    model : RuleModel
        The model, with its edits.
    rules : RuleBase
        The rules to fit.
    like : RuleBase
        The rules before the last edits, which show where rules join without a jump.
    """

    def __init__(self, model: RuleModel, rules: RuleBase, like: RuleBase) -> None:
        self.model, self.rules, self.like = model, rules, like
        self.held = _held(model, rules)
        self.objective, self.signs = model._objective(), model._directions(rules)

    def solved(self, sums: RowSums) -> tuple[RuleBase, Floats]:
        """Return rules with the outputs of least error that have the directions asked for, and their coefficients."""
        rules: RuleBase | None = self.rules
        while rules is not None:
            terms = Terms(rules, self.held, sums, self.like)
            found = terms.solved(self.objective)
            made = terms.rule_base(found)
            rules = in_directions(made, self.signs)
        return with_monotone_curves(made, self.signs), found

    def fitted(self, rows: GivenRows) -> tuple[RuleBase, RowSums]:
        """Return rules fitted to rows, and the sums of the rows, in the last round for losses that weigh rows anew."""
        made, raw = self.rules, self.rules.inference.raw_predictions(rows.values)
        for _ in range(_MAX_ROUNDS):
            sums = rows.around(made.output, raw).sums(self.rules, self.held)
            made, before = self.solved(sums)[0], raw
            raw = made.inference.raw_predictions(renumbered(rows.values, self.rules, made))
            if not made.output.loss.reweighted or np.abs(raw - before).max() <= _STILL * np.ptp(raw):
                break
        return made, sums

    def measured(self, fitted: RuleBase, rows: GivenRows, sums: RowSums) -> tuple[TrainingSummary, Intervals | None]:
        """Return the summary of rows and the intervals: the outputs are fitted again without the rows of each fold."""
        values = renumbered(rows.values, self.rules, fitted)
        cv_error, truth, intervals = np.nan, None, None
        if rows.folds is not None:
            loss = fitted.output.loss
            missed, together, alone, strongest, losses = [], [], [], [], []
            everything = np.arange(len(rows.raw))
            for held_out, kept in rows.folds.splits:
                others = held_out if kept is None else np.setdiff1d(everything, kept)
                if loss.reweighted:
                    left = self.fitted(rows.take(np.setdiff1d(everything, others)))[0]
                else:
                    left = self.solved(sums - rows.take(others).sums(self.rules, self.held, sums))[0]
                part = rows.take(held_out)
                own = renumbered(part.values, self.rules, left)
                errors, raw = rule_errors(left, own, part.target), left.inference.raw_predictions(own)
                residuals = loss.residuals(left.output.learned(part.target), left.output.bounded(raw))
                missed.append(HeldOutErrors(residuals, left.inference.activations(own)[0], part.weight))
                together.append(loss.mean(errors.together))
                alone.append(loss.mean(errors.alone))
                strongest.append(errors.strongest)
                losses.append(loss.mean_loss(left.output, raw, part.target, part.weight))
            weight = np.concatenate([part.weight for part in missed])
            joined = (np.concatenate(together), np.concatenate(alone), weight, np.concatenate(strongest))
            truth = TruthSums.over_rows(*joined, fitted.n_rules).truth(held_out=True, typical=loss.typical)
            cv_error = float(np.average(losses, weights=[part.weight.sum() for part in missed]))
            intervals = cross_validated_intervals(missed) if loss.has_intervals else None
        summary = training_summary(fitted, values, rows.target, rows.weight, cv_error=cv_error, truth=truth)
        told = "" if rows.folds is None or rows.folds.told == Folds.told else rows.folds.told
        return replace(summary, held_out=told), intervals

    def take(self, fitted: RuleBase, rows: GivenRows, summary: TrainingSummary, intervals: Intervals | None) -> None:
        """Set the rules of the model, with the summary of its rows."""
        activations, fired = fitted.inference.activations(renumbered(rows.values, self.rules, fitted))
        support, extrapolation = rows.weight @ activations / rows.weight.sum(), self.model.rule_base_.extrapolation
        parts = {"training": summary, "intervals": intervals, "extrapolation": extrapolation, "support": support}
        self.model._set_rule_base(replace(fitted, **parts))
        if self.model.was_learned:
            self.model.n_uncovered_ = int((~fired).sum())


def _pooled(before: RuleBase, fitted: RuleBase, rows: GivenRows, old: RowSums, new: RowSums, rmse: float) -> RuleBase:
    """Return rules fitted to earlier and new rows with the summary of all these rows."""
    one, two = before.training, fitted.training
    if one is None or two is None:
        return fitted
    weights = np.array([old.weight, new.weight])
    of_rules = weights[:, None] * [before.background.shares, fitted.background.shares]
    low, high = np.minimum(one.low, two.low), np.maximum(one.high, two.high)
    bins = []
    for j, ends in enumerate(zip(low, high, strict=True)):
        middles = [np.linspace(part.low[j], part.high[j], 2 * N_BINS + 1)[1::2] for part in (one, two)]
        bins.append(histogram(np.concatenate(middles), np.append(one.histograms[j], two.histograms[j]), *ends))
    of_target = _moments([(part.target_mean, part.target_spread) for part in (one, two)], weights)
    places: dict[str, Any] = {}
    if one.centres is not None and two.centres is not None:
        counts = np.repeat(of_rules[:, :, None], len(low), axis=2) + np.finfo(float).tiny
        centres, spreads = _moments([(part.centres, part.spreads) for part in (one, two)], counts)
        places = {"centres": np.clip(centres, low, high), "spreads": spreads}
    sample, weight = _drawn(before)
    shift = fitted.inference.raw_predictions(sample) - before.inference.raw_predictions(sample)
    base = float(np.average([one.base + np.average(shift, weights=weight), two.base], weights=weights))
    typical = one.typical if old.weight >= new.weight else two.typical
    some = spread_evenly(len(rows.raw), MAX_ROWS_EXPLAINED)
    sample = np.vstack([sample, renumbered(rows.values[some], before, fitted)])
    of_both = (old.weight * weight / weight.sum(), new.weight * rows.weight[some] / rows.weight[some].sum())
    contributions = mean_contributions(fitted, sample, np.concatenate(of_both), typical, base)._asdict()
    summary = replace(two, n_rows=one.n_rows + two.n_rows, low=low, high=high, histograms=np.array(bins), rmse=rmse)
    summary = replace(summary, typical=typical, base=base, **contributions, **places)
    target: dict[str, Any] = {
        "target_low": min(one.target_low, two.target_low),
        "target_high": max(one.target_high, two.target_high),
    }
    target |= {"target_mean": float(of_target[0]), "target_spread": float(of_target[1])}
    summary = replace(summary, **target)
    return replace(fitted, training=summary, support=of_rules.sum(axis=0) / weights.sum())


def _moments(parts: Sequence[Any], weights: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of sets of rows together, from those of each set."""
    means, spreads = (np.array(one) for one in zip(*parts, strict=True))
    mean = np.average(means, axis=0, weights=weights)
    return mean, np.sqrt(np.average(np.square(spreads) + np.square(means - mean), axis=0, weights=weights))


def _drawn(rules: RuleBase) -> tuple[Floats, Floats]:
    """Return rows drawn where those of the rules lie, and their weights."""
    background = rules.background
    low, high = background.ranges.T
    places = background.places or np.tile([[background.typical], [(high - low) / 4.0]], (1, rules.n_rules, 1))
    drawn = np.random.default_rng(0).normal(size=(_N_DRAWN, *places[0].shape))
    sample = np.clip(places[0] + places[1] * drawn, low, high).reshape(-1, len(low))
    return sample, np.tile(background.shares, _N_DRAWN)


def _unmeasured(before: RuleBase, rules: RuleBase) -> TrainingSummary | None:
    """Return the summary of rules that were edited without rows: no errors, and contributions at drawn rows."""
    summary = rules.training
    if summary is None:
        return None
    low, high = summary.low.copy(), summary.high.copy()
    for j, variable in enumerate(rules.variables):
        if variable.levels is not None:
            low[j], high[j] = min(low[j], *variable.levels.values), max(high[j], *variable.levels.values)
    sample, weight = _drawn(before)
    shift = rules.inference.raw_predictions(sample) - before.inference.raw_predictions(sample)
    base = summary.base + float(np.average(shift, weights=weight))
    typical = renumbered(summary.typical[None], before, rules)[0]
    parts = mean_contributions(rules, sample, weight, typical, base)._asdict()
    summary = replace(summary, rmse=np.nan, cv_rmse=np.nan, truth=None, curve_means=None)
    return replace(summary, low=low, high=high, typical=typical, base=base, **parts)


def _same_terms(one: RuleBase, other: RuleBase) -> bool:
    """Return whether sums over rows for some rules are also sums for other rules."""
    parts = []
    for rules in (one, other):
        labels = [(own.partition.split_points, own.partition.fuzziness, own.source) for own in rules.variables]
        curves = [(own.input, own.partition.split_points, own.partition.fuzziness) for own in rules.curves]
        parts.append((labels, curves))
    return parts[0] == parts[1]


def in_directions(rules: RuleBase, signs: Floats) -> RuleBase | None:
    """Return rules without slopes in a wrong direction, given as 1, -1 or 0 for each input; None if none is wrong."""
    lines = lines_of(rules)
    wrong = lines[:, 1:] * signs < 0.0
    pieces = [curve.coefficients[:, 1] * signs[curve.input] < 0.0 for curve in rules.curves]
    if not wrong.any() and not any(piece.any() for piece in pieces):
        return None
    lines[:, 1:][wrong] = 0.0
    curves = []
    for curve, piece in zip(rules.curves, pieces, strict=True):
        # The steps between the lines stay.
        steps, slopes = curve.steps, np.where(piece, 0.0, curve.coefficients[:, 1])
        jumps = steps[1:, 0] + steps[1:, 1] * curve.partition.split_points
        bends = np.diff(slopes)
        first = np.cumsum([curve.coefficients[0, 0], *(jumps - bends * curve.partition.split_points)])
        curves.append(Curve(curve.input, curve.partition, np.column_stack([first, slopes])))
    return changed(rules, consequents=LinearConsequents(lines), curves=curves)


def with_monotone_curves(rules: RuleBase, signs: Floats) -> RuleBase:
    """Return rules whose curves have their directions to the last bit."""
    if not any(signs[curve.input] for curve in rules.curves):
        return rules
    curves = [
        Curve(one.input, one.partition, monotone_lines(one.partition, one.coefficients, int(signs[one.input])))
        if signs[one.input]
        else one
        for one in rules.curves
    ]
    return changed(rules, curves=curves)


def _moving_splits(model: RuleModel, rules: RuleBase, rows: GivenRows) -> pd.DataFrame:
    """Return the split points that would lie elsewhere with new rows alone."""
    some = rows.take(spread_evenly(len(rows.raw), _MAX_TRIED))
    n, found = len(some.raw), []

    def error(tried: RuleBase) -> float:
        fit = _Fit(model, tried, rules)
        sums = some.sums(tried, fit.held)
        return sums.rmse(fit.solved(sums)[1])

    present = error(rules)
    for j, in_curve, number, split, low, high in split_points_of(rules):
        between = some.values[(low < some.values[:, j]) & (some.values[:, j] < high), j]
        trials = np.quantile(between, _TRIALS).tolist() if len(between) >= _MIN_BETWEEN else []
        errors = [(error(with_split(rules, j, in_curve, number, to)), to) for to in trials if low < to < high]
        best, to = min(errors, default=(present, split))
        falls = 1.0 - best / present if present > 0.0 else 0.0
        if falls > _LEAST_FALL and -2.0 * n * np.log1p(-falls) > _PRICE * np.log(n):
            variable = rules.variables[j]
            told = [variable.written(one) or one for one in (split, float(to))]
            found.append((variable.name, *told, 100.0 * falls))
    return pd.DataFrame(found, columns=["input", "split point", "better at", "error falls by %"])
