"""The summary of the training data as a JSON object, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.rules.json.checked import Checked
from fruler.rules.json.truth import truth_from_json, truth_to_json
from fruler.rules.summary import TrainingSummary

# What the file calls the figures of the target and of an input, and what the summary does.
_TARGET = {"low": "target_low", "high": "target_high", "mean": "target_mean", "spread": "target_spread"}
_INPUT = {
    "low": "low",
    "high": "high",
    "typical": "typical",
    "offset": "offsets",
    "importance": "input_importance",
}
# Of an input for each rule, where it is known.
_PLACES = ("centres", "spreads")
# Of a target that something else stands for.
_RAW_SPREAD = "raw_spread"
_FIGURES = ("n_rows", "base", "rmse", "cv_rmse")


def summary_to_json(summary: TrainingSummary, names: list[str]) -> dict[str, Any]:
    """Return an object that says all of a summary but the importance of rules, which stands with the rules."""
    columns = [getattr(summary, attribute).tolist() for attribute in _INPUT.values()]
    inputs = [dict(zip(_INPUT, figures, strict=True)) for figures in zip(*columns, strict=True)]
    for written, histogram in zip(inputs, summary.histograms.tolist(), strict=True):
        written["histogram"] = [_counted(weight) for weight in histogram]
    # Where it is not known a file is what it was before, which older versions read.
    for key in _PLACES:
        of_rules = getattr(summary, key)
        if of_rules is not None:
            for written, figures in zip(inputs, of_rules.T.tolist(), strict=True):
                written[key] = figures
    return {
        "n_rows": summary.n_rows,
        "base": summary.base,
        "rmse": summary.rmse,
        "cv_rmse": None if math.isnan(summary.cv_rmse) else summary.cv_rmse,
        # Where it is not known a file is what it was before there was a truth, which older versions read.
        **({} if summary.truth is None else {"truth": truth_to_json(summary.truth)}),
        **({} if summary.curve_means is None else {"curve_means": summary.curve_means.tolist()}),
        "target": {key: getattr(summary, attribute) for key, attribute in _TARGET.items()}
        | ({} if summary.raw_spread is None else {_RAW_SPREAD: summary.raw_spread}),
        "inputs": dict(zip(names, inputs, strict=True)),
    }


def summary_from_json(written: Checked, names: list[str], rule_importance: Floats) -> TrainingSummary:
    """Return the summary that an object says of inputs with these names.

    Raises
    ------
    ValueError
        If it is not one.
    """
    members = written.keys((*_FIGURES, "target", "inputs"), ("truth", "curve_means"))
    target = members["target"].keys(tuple(_TARGET), (_RAW_SPREAD,))
    of_inputs = members["inputs"].members()
    if set(of_inputs) != set(names):
        raise ValueError(f"{members['inputs'].place} must have the names of all inputs, and no others")
    inputs = [of_inputs[name].keys((*_INPUT, "histogram"), _PLACES) for name in names]
    figures: dict[str, Any] = {
        "n_rows": members["n_rows"].count(1),
        "base": members["base"].number(),
        "rmse": members["rmse"].number(),
        "cv_rmse": members["cv_rmse"].number_or_none(),
        "truth": truth_from_json(members["truth"]) if "truth" in members else None,
        "curve_means": _of_curves(members.get("curve_means"), len(rule_importance)),
    }
    figures |= {attribute: target[key].number() for key, attribute in _TARGET.items()}
    figures["raw_spread"] = target[_RAW_SPREAD].number() if _RAW_SPREAD in target else None
    figures |= {attribute: [figure[key].number() for figure in inputs] for key, attribute in _INPUT.items()}
    histograms = [figure["histogram"].numbers() for figure in inputs]
    if len({len(histogram) for histogram in histograms}) > 1:
        raise ValueError(f"{members['inputs'].place} must have histograms of one length")
    figures |= {key: _of_rules([figure.get(key) for figure in inputs], len(rule_importance)) for key in _PLACES}
    try:
        return TrainingSummary(histograms=np.array(histograms), rule_importance=rule_importance, **figures)
    except ValueError as error:
        raise ValueError(f"{written.place} is no summary: {error}") from None


def _of_rules(written: list[Checked | None], n_rules: int) -> Floats | None:
    """Return figures of each rule and input; None where no input has them."""
    known = [of_input for of_input in written if of_input is not None]
    if not known:
        return None
    rows = [of_input.numbers() for of_input in known]
    if len(known) < len(written) or any(len(row) != n_rules for row in rows):
        raise ValueError(f"{known[0].place} must be a number for each of the {n_rules} rules, and all inputs have it")
    return np.array(rows).T


def _of_curves(written: Checked | None, n_rules: int) -> Floats | None:
    """Return what each curve adds on average over the rows of each rule, where it is known."""
    if written is None:
        return None
    rows = [of_curve.numbers() for of_curve in written.items()]
    if any(len(row) != n_rules for row in rows):
        raise ValueError(f"{written.place} must have a number for each of the {n_rules} rules in each list")
    return np.array(rows).reshape(-1, n_rules)


def _counted(weight: float) -> float:
    """Rows are counted in whole numbers; only weights need a point."""
    return int(weight) if weight.is_integer() and abs(weight) < 2**53 else weight
