"""The measured parts of a rule base as JSON objects, and back: training summary, truth and intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fruler._arrays import Floats
from fruler.rules._background import TrainingSummary
from fruler.rules._json.checked import Checked
from fruler.rules.intervals import METHODS, Intervals
from fruler.rules.truth import Truth

_ERRORS = ("together", "alone")


def truth_to_json(truth: Truth) -> dict[str, Any]:
    """Return a truth as a JSON object, with null for a rule that is nowhere the strongest.

    Examples
    --------
    >>> truth_to_json(Truth(0.9, 1.0, [0.9, float("nan")], [1.0, float("nan")], held_out=True))
    {'together': 0.9, 'alone': 1.0, 'held_out': True, 'rules': [{'together': 0.9, 'alone': 1.0}, None]}
    """
    pairs = zip(truth.rule_together.tolist(), truth.rule_alone.tolist(), strict=True)
    return {
        "together": truth.together,
        "alone": truth.alone,
        "held_out": truth.held_out,
        "rules": [None if math.isnan(pair[0]) else dict(zip(_ERRORS, pair, strict=True)) for pair in pairs],
    }


def truth_from_json(written: Checked) -> Truth:
    """Return the truth in a JSON object.

    Raises
    ------
    ValueError
        If the object is not a truth.
    """
    members = written.keys((*_ERRORS, "held_out", "rules"))
    rules = [None if rule.value is None else rule.keys(_ERRORS) for rule in members["rules"].items()]
    together, alone = (
        np.array([math.nan if rule is None else rule[name].number() for rule in rules]) for name in _ERRORS
    )
    of_all = [members[name].number() for name in _ERRORS]
    return written.made("is not a truth", Truth, *of_all, together, alone, members["held_out"].one_of(True, False))


# The names of the numbers of the target and of an input: in the file, and in the summary.
_TARGET = {"low": "target_low", "high": "target_high", "mean": "target_mean", "spread": "target_spread"}
_INPUT = {
    "low": "low",
    "high": "high",
    "typical": "typical",
    "offset": "offsets",
    "importance": "input_importance",
}
# Optional members of an input, with one number per rule.
_PLACES = ("centres", "spreads", "seen")
# Optional members of an input that later versions added: its few values, and whether they are whole numbers.
_KIND = ("values", "whole")
# Optional member of the target, for a model with a link.
_RAW_SPREAD = "raw_spread"
_FIGURES = ("n_rows", "base", "rmse", "cv_rmse")
_OPTIONAL = ("truth", "curve_means", "held_out", "marks", "misses", "level_rows")


def summary_to_json(summary: TrainingSummary, names: list[str]) -> dict[str, Any]:
    """Return a summary as a JSON object, without the importance of rules, which is written with the rules."""
    columns = [getattr(summary, attribute).tolist() for attribute in _INPUT.values()]
    inputs = [dict(zip(_INPUT, figures, strict=True)) for figures in zip(*columns, strict=True)]
    for written, histogram in zip(inputs, summary.histograms.tolist(), strict=True):
        written["histogram"] = [_counted(weight) for weight in histogram]
    # Unknown members are left out, so that older versions can read the file.
    for key in _PLACES:
        of_rules = getattr(summary, key)
        if of_rules is not None:
            for written, figures in zip(inputs, of_rules.T.tolist(), strict=True):
                written[key] = [int(bins) for bins in figures] if key == "seen" else figures
    if summary.values is not None and summary.whole is not None:
        for written, few, whole in zip(inputs, summary.values, summary.whole.tolist(), strict=True):
            written |= {"values": few.tolist(), "whole": bool(whole)}
    return {
        "n_rows": summary.n_rows,
        "base": summary.base,
        **{name: None if math.isnan(value := getattr(summary, name)) else value for name in ("rmse", "cv_rmse")},
        # Left out if unknown, so that older versions can read the file.
        **({} if summary.truth is None else {"truth": truth_to_json(summary.truth)}),
        **({} if summary.curve_means is None else {"curve_means": summary.curve_means.tolist()}),
        **({"held_out": summary.held_out} if summary.held_out else {}),
        **({} if summary.marks is None else {"marks": [int(mark) for mark in summary.marks]}),
        **({} if summary.misses is None else {"misses": [float(miss) for miss in summary.misses]}),
        **({} if not summary.level_rows else {"level_rows": [rows.tolist() for rows in summary.level_rows]}),
        "target": {key: getattr(summary, attribute) for key, attribute in _TARGET.items()}
        | ({} if summary.raw_spread is None else {_RAW_SPREAD: summary.raw_spread}),
        "inputs": dict(zip(names, inputs, strict=True)),
    }


def summary_from_json(written: Checked, names: list[str], rule_importance: Floats) -> TrainingSummary:
    """Return the summary in a JSON object, for inputs with these names.

    Raises
    ------
    ValueError
        If the object is not a summary.
    """
    members = written.keys((*_FIGURES, "target", "inputs"), _OPTIONAL)
    target = members["target"].keys(tuple(_TARGET), (_RAW_SPREAD,))
    of_inputs = members["inputs"].members()
    if set(of_inputs) != set(names):
        raise ValueError(f"{members['inputs'].place} must have the names of all inputs, and no others")
    inputs = [of_inputs[name].keys((*_INPUT, "histogram"), (*_PLACES, *_KIND)) for name in names]
    figures: dict[str, Any] = {
        "n_rows": members["n_rows"].count(1),
        "base": members["base"].number(),
        "rmse": members["rmse"].number_or_none(),
        "cv_rmse": members["cv_rmse"].number_or_none(),
        "truth": truth_from_json(members["truth"]) if "truth" in members else None,
        "curve_means": _of_curves(members.get("curve_means"), len(rule_importance)),
        "held_out": members["held_out"].text() if "held_out" in members else "",
    }
    figures["marks"] = members["marks"].numbers() if "marks" in members else None
    if "misses" in members:
        figures["misses"] = _pair(members["misses"])
    if "level_rows" in members:
        of_features = members["level_rows"].items()
        figures["level_rows"] = tuple(_of_levels(feature, len(rule_importance)) for feature in of_features)
    if inputs and all(name in figure for figure in inputs for name in _KIND):
        figures["values"] = tuple(figure["values"].numbers() for figure in inputs)
        figures["whole"] = [float(figure["whole"].one_of(True, False)) for figure in inputs]
    figures |= {attribute: target[key].number() for key, attribute in _TARGET.items()}
    figures["raw_spread"] = target[_RAW_SPREAD].number() if _RAW_SPREAD in target else None
    figures |= {attribute: [figure[key].number() for figure in inputs] for key, attribute in _INPUT.items()}
    histograms = [figure["histogram"].numbers() for figure in inputs]
    if len({len(histogram) for histogram in histograms}) > 1:
        raise ValueError(f"{members['inputs'].place} must have histograms of one length")
    figures |= {key: _of_rules([figure.get(key) for figure in inputs], len(rule_importance)) for key in _PLACES}
    figures |= {"histograms": np.array(histograms), "rule_importance": rule_importance}
    return written.made("is not a summary", TrainingSummary, **figures)


def _of_rules(written: list[Checked | None], n_rules: int) -> Floats | None:
    """Return the numbers of each rule and input; None if no input has them."""
    known = [of_input for of_input in written if of_input is not None]
    if not known:
        return None
    rows = [of_input.numbers() for of_input in known]
    if len(known) < len(written) or any(len(row) != n_rules for row in rows):
        raise ValueError(f"{known[0].place} must have one number for each of the {n_rules} rules, in all inputs")
    return np.array(rows).T


def _of_curves(written: Checked | None, n_rules: int) -> Floats | None:
    """Return the mean of each curve over the rows of each rule, if it is known."""
    if written is None:
        return None
    rows = [of_curve.numbers() for of_curve in written.items()]
    if any(len(row) != n_rules for row in rows):
        raise ValueError(f"{written.place} must have a number for each of the {n_rules} rules in each list")
    return np.array(rows).reshape(-1, n_rules)


def _of_levels(written: Checked, n_rules: int) -> Floats:
    """Return the number of rows of each category in each rule, shape (n_rules, n_levels)."""
    rows = [of_rule.numbers() for of_rule in written.items()]
    if len(rows) != n_rules or len({len(row) for row in rows}) > 1:
        raise ValueError(f"{written.place} must have a list of one length for each of the {n_rules} rules")
    return np.array(rows)


def _pair(written: Checked) -> tuple[float, float]:
    """Return two numbers."""
    numbers = written.numbers()
    if len(numbers) != 2:
        raise ValueError(f"{written.place} must be two numbers")
    return float(numbers[0]), float(numbers[1])


def _counted(weight: float) -> float:
    """Return a count of rows as a whole number; only sums of weights need a decimal point."""
    return int(weight) if weight.is_integer() and abs(weight) < 2**53 else weight


_LISTS = ("coverages", "scores", "spreads")


def intervals_to_json(intervals: Intervals) -> dict[str, Any]:
    """Return intervals as a JSON object.

    Examples
    --------
    >>> intervals_to_json(Intervals([0.25, 0.5], [0.8, 1.0], [1.5], 3, "calibration"))
    {'method': 'calibration', 'n_rows': 3, 'coverages': [0.25, 0.5], 'scores': [0.8, 1.0], 'spreads': [1.5]}
    """
    lists = {name: getattr(intervals, name).tolist() for name in _LISTS}
    # Left out if unknown, so that older versions can read the file.
    misses = {} if intervals.misses is None else {"misses": [float(miss) for miss in intervals.misses]}
    return {"method": intervals.method, "n_rows": intervals.n_rows, **lists, **misses}


def intervals_from_json(written: Checked) -> Intervals:
    """Return the intervals in a JSON object.

    Raises
    ------
    ValueError
        If the object does not hold intervals.
    """
    members = written.keys(("method", "n_rows", *_LISTS), ("misses",))
    lists = {name: members[name].numbers() for name in _LISTS}
    method, n_rows = members["method"].one_of(*METHODS), members["n_rows"].count(1)
    misses = _pair(members["misses"]) if "misses" in members else None
    return written.made("is not valid", Intervals, **lists, n_rows=n_rows, method=method, misses=misses)
