"""The figures that stand out: how large and how good a model is, and on which rows that was measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fruler._wording import counted
from fruler.explain.report.measurement import Measured
from fruler.explain.report.numbers import TARGET_SHARE, fixed, with_unit
from fruler.explain.report.reference import Reference
from fruler.explain.scales import scale_of
from fruler.rules.rule_base import RuleBase
from fruler.rules.truth import Truth

HELD_OUT, TRAINING = "on held-out rows (cross-validation)", "on the training rows"


class Headline(NamedTuple):
    """A figure with its name, and what belongs to it: the rows it was measured on, or what to compare it with."""

    figure: str
    name: str
    note: str


def headlines(rule_base: RuleBase, reference: Reference, measured: Measured | None, inputs_used: int) -> list[Headline]:
    """Return the figures that stand out.

    The error, what it explains and the error of the strongest rule alone are measured on the same kind of rows: on
    those given, unless the model was learned from them; else on held-out rows; and on the training rows only where
    nothing else is known.
    """
    unit, tolerance = rule_base.target_unit, TARGET_SHARE * reference.target_spread
    found = _sizes(rule_base, inputs_used)
    training = rule_base.training
    truth: Truth | None
    if measured is not None and not measured.are_training:
        error, truth = measured.rmse, measured.truth
        where = where_alone = f"on {counted(len(measured.observed), 'given row')}"
        explained = measured.explained
    elif training is None:
        return found
    else:
        held_out = bool(np.isfinite(training.cv_rmse))
        error, truth = (training.cv_rmse if held_out else training.rmse), training.truth
        where = HELD_OUT if held_out else TRAINING
        where_alone = HELD_OUT if truth is not None and truth.held_out else TRAINING
        explained = 1.0 - (error / training.target_spread) ** 2 if training.target_spread > 0.0 else None
    found.append(Headline(with_unit(fixed(error, tolerance), unit), "typical error (RMSE)", where))
    if truth is not None and rule_base.n_rules > 1:
        holds = truth.holds(reference.spread)
        advice = "rules can be read one by one" if holds else "read the rules together, not one by one"
        together, alone = (error_text(rule_base, reference, own) for own in (truth.together, truth.alone))
        # The error above is of the target; this is of what stands for it, and says nothing beside the other.
        beside = "" if rule_base.output.transform.keeps_units else f", beside {together} of all rules together"
        found.append(Headline(alone, "strongest rule alone", f"{where_alone}{beside}: {advice}"))
    if explained is not None:
        found.append(Headline(_share_text(explained), "of the variance explained (R²)", where))
    return found


def error_text(rule_base: RuleBase, reference: Reference, error: float) -> str:
    """Write an error of what the rules say."""
    scale = scale_of(rule_base)
    told = scale.change(error, TARGET_SHARE * reference.spread)
    return with_unit(told.marked(fixed(told.number, told.tolerance)), scale.unit(rule_base.target_unit))


def _sizes(rule_base: RuleBase, inputs_used: int) -> list[Headline]:
    with_what = f"with {counted(rule_base.n_coefficients, 'slope')}"
    if rule_base.target is not None:
        with_what = f"with {counted(rule_base.target.partition.n_labels, 'label')} of {rule_base.target_name}"
    if rule_base.curves:
        with_what += f" and {counted(rule_base.n_curves, 'curve')}"
    rules, inputs = rule_base.n_rules, len(rule_base.variables)
    return [
        Headline(str(rules), "rule" if rules == 1 else "rules", with_what),
        Headline(str(inputs_used), "input used" if inputs_used == 1 else "inputs used", f"of {inputs}"),
    ]


def _share_text(share: float) -> str:
    return f"{share:.1%}".replace("-", "−") if share > 0.9 else f"{share:.0%}".replace("-", "−")
