"""How FRULER reads the points that the paper leaves open, and those that cannot have been run as printed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, get_args, get_type_hints

from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints

# The smallest value of whole numbers that cannot be zero; which ends belong to the range of a real number.
_LEAST = {"min_samples": 2, "max_coefficients": 1, "max_epochs": 1, "lambda_rows": 2}
_CLOSED = {"fall": "neither", "first_rate": "neither", "thin_out_tolerance": "both"}


def _read(calibrated: Any, *, printed: Any) -> Any:
    return field(default=calibrated, metadata={"printed": printed})


@dataclass(frozen=True, repr=False)
class Reading:
    """One reading of the FRULER paper, for `FRULERRegressor(reading=...)`.

    The defaults are the calibrated reading; ``reading="printed"`` has every line as printed. "Readings of the paper" in
    the documentation has a table of all lines.

    Parameters
    ----------
    core_unit : {"standardised", "given"}, default="standardised"
        The unit of the output in the size of the first core (Eq. 6), which divides a squared error by a range.
    isolation : {"either", "between"}, default="either"
        The graph whose edges keep a row from being isolated in line 6 of the thin-out; "between" as printed.
    thin_out_tolerance : float or None, default=0.1
        The share by which the thin-out may raise the error; infinite as printed, `None` for no thin-out.
    thin_out_floor : bool, default=True
        Whether the thin-out must leave as many rows as a linear rule has coefficients.
    min_samples : int, default=30
        The minimum number of rows on each side of a split.
    first_split_free : bool, default=True
        Whether the first split is free in BIC, as printed.
    linear_error : {"mean", "weighted"}, default="mean"
        LinearError: the mean squared error of both sides, or as printed. Has an effect with ``splits="printed"``.
    bic_error : {"pooled", "summed"}, default="pooled"
        The error in BIC: the mean over the rows of all intervals, or as printed the sum of the intervals' means.
    keep_copies : bool, default=True
        Whether equal chromosomes stay in the population, as printed.
    threshold_per_input : float or None, default=26.0
        The first threshold L of incest prevention, per input; `None` for the printed p · max(g) / 4.
    fall, fall_without_new, fall_without_better : float, default=0.4, 0.2, 0.2
        How far L falls: in every generation, if no new individual entered, and if the best one stayed the same.
    pcblx : {"truncated", "clipped"}, default="truncated"
        How PCBLX keeps to the limits of a displacement: it draws inside them, as KEEL does, or clips children.
    count_copies : bool, default=True
        Whether children that are equal to an individual of the population are counted as evaluations.
    count_lambda_search : bool, default=False
        Whether the evaluations of the short search for λ are counted.
    max_coefficients : int or None, default=3000
        The maximum number of coefficients of a candidate; `None` as printed.
    step : {"bounded", "printed"}, default="bounded"
        The step of the gradient descent: η0 / (1 + λ η0 t), or the printed η0 / (λ t).
    first_rate : float, default=0.1
        The η0 that is halved until the result worsens.
    min_gain : float, default=3e-4
        The share of the variance that an epoch must gain to count as an improvement; 0 as printed.
    max_epochs : int, default=1000
        The maximum number of epochs; the paper has none, and without one a descent may not end.
    l1_interval : int, default=2
        The ℓ1 penalty is taken after this many rows per rule; 0 for every row, as printed.
    halve_final_rate : bool, default=True
        Whether η0 is halved in the final fit on all rows while that fit is worse than the search's.
    lambda_data_bases : {"searched", "random", "linear"}, default="searched"
        The data bases that λ is chosen for: ten random ones, then the best of a short search; the former only; or one
        linear rule.
    lambda_rows : int, default=2000
        The maximum number of rows to fit on in the search for λ, and of rows to measure errors on.
    lambda_patience : int or None, default=2
        The number of worse λ in a row after which smaller ones are not tried; `None` tries all.
    lambda_gain, lambda_gain_instead : float, default=0.02, 0.1
        The share by which a smaller λ must lower the error; the second if λ = 1 suits random data bases best.

    See Also
    --------
    FRULERRegressor : The estimator that takes a reading.

    Examples
    --------
    >>> from fruler import FRULERRegressor, Reading
    >>> FRULERRegressor(reading=Reading(keep_copies=False))
    FRULERRegressor(reading=Reading(keep_copies=False))
    """

    core_unit: Literal["standardised", "given"] = _read("standardised", printed="given")
    isolation: Literal["either", "between"] = _read("either", printed="between")
    thin_out_tolerance: float | None = _read(0.1, printed=math.inf)
    thin_out_floor: bool = _read(True, printed=False)
    min_samples: int = 30
    first_split_free: bool = True
    linear_error: Literal["mean", "weighted"] = _read("mean", printed="weighted")
    bic_error: Literal["pooled", "summed"] = _read("pooled", printed="summed")
    keep_copies: bool = True
    threshold_per_input: float | None = _read(26.0, printed=None)
    fall: float = 0.4
    fall_without_new: float = 0.2
    fall_without_better: float = 0.2
    pcblx: Literal["truncated", "clipped"] = "truncated"
    count_copies: bool = True
    count_lambda_search: bool = False
    max_coefficients: int | None = _read(3_000, printed=None)
    step: Literal["bounded", "printed"] = _read("bounded", printed="printed")
    first_rate: float = 0.1
    min_gain: float = _read(3e-4, printed=0.0)
    max_epochs: int = 1_000
    l1_interval: int = _read(2, printed=0)
    halve_final_rate: bool = _read(True, printed=False)
    lambda_data_bases: Literal["searched", "random", "linear"] = _read("searched", printed="random")
    lambda_rows: int = 2_000
    lambda_patience: int | None = _read(2, printed=None)
    lambda_gain: float = _read(0.02, printed=0.0)
    lambda_gain_instead: float = 0.1

    def __post_init__(self) -> None:
        validate_parameter_constraints(_constraints(), vars(self), caller_name="Reading")

    def __repr__(self) -> str:
        changes = (f"{one.name}={value!r}" for one in fields(self) if (value := getattr(self, one.name)) != one.default)
        return f"Reading({', '.join(changes)})"


def reading_of(written: Any) -> Reading | str:
    """Return the reading in a model file: a name, or fields; fields that only other versions have are left out."""
    if not isinstance(written, dict):
        return str(written)
    there = {one.name: written[one.name] for one in fields(Reading) if one.name in written}
    given: dict[str, Any] = {name: math.inf if value == "inf" else value for name, value in there.items()}
    return Reading(**given)


@cache
def _constraints() -> dict[str, list[Any]]:
    """Return the constraints on the fields, from their types."""
    found: dict[str, list[Any]] = {}
    for name, hint in get_type_hints(Reading).items():
        kinds, options = [one for one in get_args(hint) or (hint,) if isinstance(one, type)], get_args(hint)
        allowed: dict[type, Any] = {
            bool: "boolean",
            int: Interval(Integral, _LEAST.get(name, 0), 2**31 - 1, closed="both"),
            float: Interval(Real, 0, math.inf, closed=_CLOSED.get(name, "left")),
            type(None): None,
        }
        found[name] = [allowed[kind] for kind in kinds] or [StrOptions(set(options))]
    return found


CALIBRATED = Reading()
READINGS = {
    "calibrated": CALIBRATED,
    "printed": Reading(**{one.name: one.metadata.get("printed", one.default) for one in fields(Reading)}),
}
