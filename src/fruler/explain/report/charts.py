"""The pictures of errors and of the models of other sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fruler._typing import Floats
from fruler._wording import counted, name_with_unit
from fruler.explain.effects import target_spread
from fruler.explain.report.drawings import Chart, padded
from fruler.explain.report.measurement import Measured
from fruler.explain.report.numbers import TARGET_SHARE, fixed, shown, with_unit
from fruler.rules.rule_base import RuleBase

if TYPE_CHECKING:
    import pandas as pd

_N_BINS = 31
_MAX_FIGURES_OPEN = 10
# Misses beyond this many typical errors are counted in the outermost bars.
_MAX_ERRORS_SHOWN = 5.0


@dataclass(frozen=True)
class Picture:
    """A picture and the words below it."""

    svg: str
    caption: str


@dataclass(frozen=True)
class FrontPicture:
    """The models of other sizes: a picture, and its figures as rows of texts."""

    svg: str
    rows: list[tuple[str, str, str, str, str]]
    chosen: int | None
    unit: str
    left_out: bool
    truth: bool

    @property
    def is_long(self) -> bool:
        """Whether its figures are better folded away."""
        return len(self.rows) > _MAX_FIGURES_OPEN


def error_pictures(measured: Measured, unit: str) -> list[Picture]:
    """Return predicted against observed values, and how often the model misses by how much."""
    return [_scatter(measured, unit), _misses(measured, unit)]


def _scatter(measured: Measured, unit: str) -> Picture:
    observed, predicted = measured.observed[measured.shown], measured.predicted[measured.shown]
    limits = padded(np.concatenate([observed, predicted]))
    x_title, y_title = (name_with_unit(name, unit) for name in ("predicted", "observed"))
    chart = Chart("Predicted against observed values", limits, limits, x_title, y_title)
    chart.line(np.array(limits), np.array(limits), "diagonal")
    chart.dots(predicted, observed, "dots")
    n = len(measured.observed)
    whose = counted(n, "row") if n == len(observed) else f"{len(observed)} of {n:,} rows, chosen at random"
    return Picture(chart.svg(), f"Each dot is a row ({whose}). On the line a prediction is exact.")


def _misses(measured: Measured, unit: str) -> Picture:
    residuals, rmse = measured.residuals, measured.rmse
    farthest = float(np.abs(residuals).max())
    limit = min(farthest, _MAX_ERRORS_SHOWN * rmse) or 1.0
    counts, edges = np.histogram(np.clip(residuals, -limit, limit), bins=_N_BINS, range=(-limit, limit))
    title = name_with_unit("observed − predicted", unit)
    chart = Chart("How often the model misses by how much", (-limit, limit), (0.0, counts.max() * 1.05), title, "rows")
    chart.bars(edges, counts.astype(np.float64), "bars")
    chart.line(np.zeros(2), np.array([0.0, counts.max() * 1.05]), "diagonal")
    half, most = np.quantile(np.abs(residuals), [0.5, 0.9])
    tolerance = rmse / 20.0
    caption = (
        f"Half of the predictions miss by less than {with_unit(shown(float(half), tolerance), unit)}, nine in ten by "
        f"less than {with_unit(shown(float(most), tolerance), unit)}; the largest miss is "
        f"{with_unit(shown(farthest, tolerance), unit)}."
    )
    if limit < farthest:
        caption += " The outermost bars count all that lie beyond them."
    return Picture(chart.svg(), caption)


def front_picture(front: pd.DataFrame, rule_base: RuleBase) -> FrontPicture:
    """Return the error of the models of other sizes, with the one of this report marked."""
    rules = front["rules"].to_numpy(dtype=np.float64)
    training, left_out = (_root(front, name) for name in ("error", "cv_error"))
    known = np.concatenate([training[np.isfinite(training)], left_out[np.isfinite(left_out)]])
    low = 0.0 if known.min() < 0.3 * known.max() else padded(known, 0.12)[0]
    chart = Chart(
        "Error against the number of rules",
        (min(float(rules.min()), 1.0) - 0.5, float(rules.max()) + 0.5),
        (low, padded(known, 0.08)[1]),
        "rules",
        name_with_unit("RMSE", rule_base.target_unit),
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
    tolerance = TARGET_SHARE * target_spread(rule_base)
    truth = front["truth"].to_numpy(dtype=np.float64) if "truth" in front.columns else np.full(len(front), np.nan)
    rows = [
        (
            str(n_rules),
            str(n_slopes),
            _text(float(training[k]), tolerance),
            _text(float(left_out[k]), tolerance),
            f"{truth[k]:.2f}" if np.isfinite(truth[k]) else "",
        )
        for k, (n_rules, n_slopes) in enumerate(zip(front["rules"], front["coefficients"], strict=True))
    ]
    return FrontPicture(chart.svg(), rows, chosen, rule_base.target_unit, has_left_out, bool(np.isfinite(truth).any()))


def _root(front: pd.DataFrame, name: str) -> Floats:
    # The front has half the mean squared errors.
    if name not in front.columns:
        return np.full(len(front), np.nan)
    return np.asarray(np.sqrt(2.0 * front[name].to_numpy(dtype=np.float64)))


def _text(value: float, tolerance: float) -> str:
    return fixed(value, tolerance) if np.isfinite(value) else ""


def _chosen(front: pd.DataFrame, rule_base: RuleBase) -> int | None:
    same = (front["rules"] == rule_base.n_rules).to_numpy()
    if same.sum() > 1:
        same &= (front["coefficients"] == rule_base.n_coefficients).to_numpy()
    return int(np.flatnonzero(same)[0]) if same.any() else None
