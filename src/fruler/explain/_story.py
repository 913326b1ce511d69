"""The story of a model: what matters most and how, what sets the rules apart, and how far predictions miss."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fruler._arrays import Floats
from fruler._wording import number_within, with_unit
from fruler.explain._dependence import EffectCurve, background_rows, effect_curve
from fruler.explain._scales import Scale, scale_of
from fruler.rules._features import Feature
from fruler.rules._rule_base import RuleBase

# So many columns are named, each with at least this share of importance.
_NAMED, _LEAST_SHARE = 3, 0.05
# The values of an input between these shares of its rows are usual.
_USUAL = (0.05, 0.95)
# An effect that comes back by this share of its range has a turning point.
_TURNS = 0.2
# The rounding of errors, as a share of themselves, and of effects and places, as a share of their range.
_OF_MISS, _OF_RANGE = 0.05, 0.05


def story_of(rule_base: RuleBase) -> tuple[str, ...]:
    r"""Return the sentences of the story; none for what is not known.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0), 0.0))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 1.0], [20.0, -3.0]], target_name="y")
    >>> rows = np.linspace(0.0, 10.0, 101)[:, None]
    >>> for sentence in story_of(rules.with_training(rows, rules.predict(rows) + np.cos(1000.0 * rows[:, 0])))[:2]:
    ...     print(sentence.replace("\xa0", " "))
    x matters most: on average, y rises by 5 from 0 to 5 and falls by 15 from there to 10.
    The rules differ by x.
    """
    sentences = (
        _what_matters(rule_base),
        _what_differs(rule_base),
        errors_sentence(rule_base),
        alone_sentence(rule_base),
    )
    return tuple(filter(None, sentences))


def _what_matters(rule_base: RuleBase) -> str:
    """Name the columns that matter most, and tell the effects of the first."""
    if not rule_base.background.known or rule_base.target is not None:
        return ""
    moves = rule_base.background.input_importance
    columns: dict[str, list[tuple[float, Feature]]] = {}
    for feature in rule_base.features:
        columns.setdefault(feature.column, []).append((float(moves[feature.index].sum()), feature))
    sizes = {name: sum(size for size, _ in own) for name, own in columns.items()}
    order = sorted(sizes, key=lambda name: -sizes[name])[:_NAMED]
    named = [name for name in order if sizes[name] > _LEAST_SHARE * sum(sizes.values())]
    if not named:
        return ""
    verb = "matters" if len(named) == 1 else "matter"
    said = f"{', '.join(named[:-1])}{' and ' if len(named) > 1 else ''}{named[-1]} {verb} most"
    rows = background_rows(rule_base)
    effects: list[str] = []
    mixed: list[str] = []
    for name in named:
        size, feature = max(columns[name], key=lambda pair: pair[0])
        told = _effect(rule_base, feature, rows, size if rule_base.output.transform.keeps_units else 0.0)
        (effects if told else mixed).append(told or name)
    if effects:
        said += f": on average, {rule_base.target_name} {', and it '.join(effects)}"
    if mixed and rule_base.n_rules > 1:
        said += f". What {' and '.join(mixed)} {'does' if len(mixed) == 1 else 'do'} depends on the rule"
    return f"{said}."


def _effect(rule_base: RuleBase, feature: Feature, rows: Floats, least: float) -> str:
    """Write the effect of a feature on the mean prediction: "rises by 9,000 from carat 0.3 to 1.7".

    An effect below `least`, which is how far the feature moves predictions on average, cancels out between rules: it is
    not told.
    """
    j = feature.inputs[0]
    if feature.has_levels:
        return _of_levels(rule_base, feature, rows, least)
    variable, histogram = rule_base.variables[j], rule_base.background.histogram(j)
    if histogram is None or variable.tells_gaps:
        return ""
    edges, counts = histogram
    low, high = np.interp(_USUAL, np.append(0.0, np.cumsum(counts)) / counts.sum(), edges).tolist()
    if len(values := rule_base.background.values(j)):
        low, high = float(values[0]), float(values[-1])
    low, high = (roundest(end, _OF_RANGE * (high - low)) for end in (low, high))
    curve = effect_curve(rule_base, feature, rows, low, high)
    if not curve.extent > least:
        return ""
    places = [0, *_turning_points(curve), len(curve.values) - 1]
    parts = []
    for number, (start, end) in enumerate(pairwise(places)):
        ends = [variable.number_text(float(curve.values[k]), _OF_RANGE / 2.0 * (high - low)) for k in (start, end)]
        way = f"from there to {ends[1]}" if number else f"from {_named(rule_base, feature)}{ends[0]} to {ends[1]}"
        parts.append(f"{_moved(rule_base, curve.predictions[[start, end]], curve.extent)} {way}")
    return " and ".join(parts)


def roundest(value: float, within: float) -> float:
    """Return the number with the fewest digits that is this near to a value.

    Examples
    --------
    >>> roundest(42.3, 5.0), roundest(2006.0, 1.0), roundest(0.03, 0.1)
    (40.0, 2006.0, 0.0)
    """
    if abs(value) <= within:
        return 0.0
    for digits in range(1, 17):
        found = float(f"{value:.{digits}g}")
        if abs(found - value) <= within:
            return found
    return value


def _named(rule_base: RuleBase, feature: Feature) -> str:
    """Return the name of a feature before its values, unless a single one is told."""
    columns = {one.column for one, uses in zip(rule_base.variables, rule_base.uses, strict=True) if uses}
    return f"{feature.name} " if len(columns) > 1 else ""


def _turning_points(curve: EffectCurve) -> list[int]:
    """Return the place inside the range at which the effect turns most, if it does."""
    ends = curve.predictions[[0, -1]]
    found = []
    for place, beyond in (
        (int(curve.predictions.argmax()), float(curve.predictions.max() - ends.max())),
        (int(curve.predictions.argmin()), float(ends.min() - curve.predictions.min())),
    ):
        if beyond > _TURNS * curve.extent:
            found.append(place)
    return sorted(found)


def _moved(rule_base: RuleBase, ends: Floats, extent: float) -> str:
    start, end = ends.tolist()
    verb = "rises" if end > start else "falls"
    if rule_base.output.transform.keeps_units or min(start, end) <= 0.0:
        size = number_within(abs(end - start), _OF_RANGE * extent)
        return f"{verb} by {with_unit(size, rule_base.target_unit)}"
    return f"{verb} by {number_within(100.0 * abs(end / start - 1.0), 2.0)}%"


def _of_levels(rule_base: RuleBase, feature: Feature, rows: Floats, least: float) -> str:
    """Write the effect of categories: from the lowest to the highest."""
    occurs = rule_base.background.level_rows(feature)
    curve = effect_curve(rule_base, feature, rows, 0.0, 0.0)
    known = np.flatnonzero(occurs.sum(axis=0) >= 1.0) if occurs is not None else np.arange(len(curve.values))
    if len(known) < 2:
        return ""
    order = known[np.argsort(curve.predictions[known], kind="stable")]
    low, high = int(order[0]), int(order[-1])
    extent = float(curve.predictions[high] - curve.predictions[low])
    if not extent > least:
        return ""
    moved = _moved(rule_base, curve.predictions[[low, high]], extent or 1.0)
    return f"{moved} from {_named(rule_base, feature)}{feature.options[low].text} to {feature.options[high].text}"


def _what_differs(rule_base: RuleBase) -> str:
    """Name the inputs of the conditions, those of most rows first."""
    if not rule_base.background.known or not rule_base.looks_at.any():
        return ""
    shares = rule_base.background.shares @ rule_base.looks_at
    names: dict[str, float] = {}
    for feature in rule_base.features:
        if share := float(shares[feature.index].max()):
            names[feature.name] = share
    first, *others = sorted(names, key=lambda name: -names[name])
    return f"The rules differ by {', '.join([first, *others[:-1]])}{' and ' + others[-1] if others else ''}."


def miss_text(rule_base: RuleBase, rule: int) -> str:
    """Return the error that half of the predictions stay below where a rule applies; "" if it is not known."""
    intervals, scale = rule_base.intervals, scale_of(rule_base)
    if intervals is None or intervals.coverages[-1] < 0.5:
        return ""
    miss = float(intervals.radii(0.5)[rule])
    return _error(rule_base, scale, miss)


def _error(rule_base: RuleBase, scale: Scale, error: float) -> str:
    found = scale.change(error, _OF_MISS * error)
    return found.marked(number_within(found.number, found.tolerance))


def _miss(rule_base: RuleBase, error: float) -> str:
    scale = scale_of(rule_base)
    return with_unit(_error(rule_base, scale, error), scale.unit(rule_base.target_unit))


def _mean_error(rule_base: RuleBase, typical: float) -> str:
    """Write a typical error as the loss tells it."""
    loss = rule_base.output.loss
    told = float(loss.told(typical))
    return number_within(told, _OF_MISS * told) if loss.of_log_mean else _miss(rule_base, told)


def errors_sentence(rule_base: RuleBase) -> str:
    r"""Write how far predictions miss: half of them, nine of ten, and the root mean squared error; "" if not known.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> steps = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]], target_unit="m")
    >>> errors_sentence(steps.with_training([[0.0], [0.1], [1.0]], [0.6, 0.5, 1.4]))  # doctest: +ELLIPSIS
    'On the training rows, half of the predictions miss by less than 0.6\xa0m, nine of ten ...'
    """
    background = rule_base.background
    truth = background.truth
    if truth is None:
        edited = background.known and np.isnan(background.rmse)
        return "Errors were not measured since the rules were edited." if edited else ""
    where = f"On {background.held_out if truth.held_out else 'the training rows'}"
    loss, mean = rule_base.output.loss.short, _mean_error(rule_base, truth.together)
    if background.misses is None:
        return f"{where}, the {loss} is {mean}."
    half, most = (_miss(rule_base, miss) for miss in background.misses)
    return f"{where}, half of the predictions miss by less than {half}, nine of ten by less than {most}; {loss} {mean}."


def alone_sentence(rule_base: RuleBase) -> str:
    """Write the error if only the strongest rule predicts, if that is much larger; "" else."""
    truth = rule_base.background.truth
    if truth is None or rule_base.n_rules == 1 or truth.holds(rule_base.background.spread):
        return ""
    alone, article = _mean_error(rule_base, truth.alone), "a" if rule_base.output.loss.reweighted else "an"
    return f"Read the rules together: the strongest rule alone has {article} {rule_base.output.loss.short} of {alone}."
