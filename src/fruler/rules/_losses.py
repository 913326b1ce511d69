"""Losses: what a model minimises, and so whether it predicts a mean, a median or another quantile."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import xlogy

from fruler._arrays import Floats
from fruler._table.rows import Standardization, measure_scale
from fruler._wording import readable_number

if TYPE_CHECKING:
    from fruler.rules._output import Output

LossName = Literal["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"]
LOSS_NAMES: tuple[LossName, ...] = get_args(LossName)

# Errors beyond this share of the target's spread count linearly in the Huber loss; the spread is that of a normal
# distribution with the same quartiles.
_HUBER_SHARE, _QUARTILES = 0.5, 1.349
# The share of the rows nearest to a quantile that show how dense the rows are there.
_NEAREST = 0.2
# The smallest width of these rows, as a share of their mean distance: the target may repeat values.
_LEAST_WIDTH = 1e-3
# A prediction of a logarithm is at most this far from zero.
_FARTHEST = 345.0


class Working(NamedTuple):
    """A loss near predictions as a squared error: the response and the weight of each row.

    Up to a constant the loss is ``weight * (response - raw) ** 2`` for predictions near the given ones.
    """

    response: Floats
    weight: Floats


@dataclass(frozen=True)
class Loss(ABC):
    """A loss, as a function of the target and the raw prediction, which may be the logarithm of the mean.

    Attributes
    ----------
    reweighted : bool
        Whether a fit repeats least squares with working responses and weights.
    of_log_mean : bool
        Whether raw predictions are logarithms of a mean; otherwise the target has the scale of raw predictions.
    has_intervals : bool
        Whether errors on the scale of raw predictions exist for every target, so that intervals can be made of them.
    shown : float
        The factor of the mean loss where it is shown.
    """

    reweighted: ClassVar[bool] = True
    of_log_mean: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = True
    shown: ClassVar[float] = 1.0

    @property
    @abstractmethod
    def name(self) -> LossName:
        """The name in parameters and files."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The name of its mean over rows."""

    @abstractmethod
    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the loss of each row, zero or more."""

    @abstractmethod
    def working(self, y: Floats, raw: Floats) -> Working:
        """Return the loss near raw predictions as a squared error."""

    @abstractmethod
    def constant(self, y: Floats, weight: Floats) -> float:
        """Return the raw prediction that is best for all rows together, or nearly so."""

    def errors(self, y: Floats, raw: Floats) -> Floats:
        """Return errors of rows whose `typical` error is that of the mean loss."""
        return np.sqrt(self.value(y, raw))

    def typical(self, mean: Any) -> Any:
        """Return the typical error for a mean loss: in the unit of the target, if the loss has one."""
        return np.sqrt(mean)

    def mean(self, typical: Any) -> Any:
        """Return the mean loss for a typical error."""
        return np.square(typical)

    @property
    def short(self) -> str:
        """The name of the mean loss within a sentence."""
        return self.title

    @property
    def predicts(self) -> str:
        """What predictions are; "" if they are close to means."""
        return ""

    def told(self, typical: Any) -> Any:
        """Return a typical error as readers know it."""
        return typical

    def evidence(self, y: Floats) -> Floats:
        """Return what the rows say about the effects of categories, gaps and faults: by default their targets."""
        return y

    def require(self, y: Floats) -> None:  # noqa: B027
        """Refuse targets that the loss is not made for; here none.

        Raises
        ------
        ValueError
            If there are such targets.
        """

    def scale(self, y: Floats, weight: Floats | None) -> Standardization:
        """Return centre and spread of the raw predictions of a target."""
        return measure_scale(y, weight)

    def standardised(self, y: Floats, scale: Standardization) -> Floats:
        """Return a target so that standardised raw predictions fit it."""
        return scale.apply(y)

    def residuals(self, y: Floats, raw: Floats) -> Floats:
        """Return the errors of raw predictions."""
        return y - raw

    def unit(self, scale: Standardization) -> float:
        """Return the factor from the mean loss of standardised predictions to that which is shown."""
        return float(scale.spread) ** 2

    def interval_unit(self, ratio: float, scale: Standardization) -> float:
        """Return the factor from standardised residuals to those of intervals."""
        return float(scale.spread)

    def settled(self, y: Floats) -> Loss:
        """Return the loss with what it takes from the targets of a table."""
        return self

    def scaled(self, scale: Standardization) -> Loss:
        """Return the loss for standardised targets."""
        return self

    def near(self, y: Floats, raw: Floats) -> Loss:
        """Return the loss with what `working` takes from all rows together."""
        return self

    def mean_loss(self, output: Output, raw: Floats, target: Floats, weight: Floats | None) -> float:
        """Return the mean loss that is shown."""
        values = self.value(output.learned(target), output.bounded(raw))
        return float(np.average(values, weights=weight))

    def to_json(self) -> dict[str, Any]:
        """Return the name and the parameters."""
        return {"name": self.name, **asdict(self)}


class SquaredLoss(Loss):
    """The squared error: models predict means.

    Examples
    --------
    >>> SquaredLoss().value(np.array([3.0]), np.array([1.0])).tolist()
    [4.0]
    """

    reweighted, shown = False, 0.5
    name: ClassVar[LossName] = "squared_error"
    title, short = "typical error", "RMSE"

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the squared errors."""
        return np.square(y - raw)

    def errors(self, y: Floats, raw: Floats) -> Floats:
        """Return the errors."""
        return y - raw

    def working(self, y: Floats, raw: Floats) -> Working:
        """Return the target itself."""
        return Working(y, np.ones(len(y)))

    def constant(self, y: Floats, weight: Floats) -> float:
        """Return the mean."""
        return float(np.average(y, weights=weight))

    def unit(self, scale: Standardization) -> float:
        """Return the factor to half the mean squared error in the target's own units."""
        return super().unit(scale) / 2.0

    def interval_unit(self, ratio: float, scale: Standardization) -> float:
        """Return the ratio of the model's error to that of the residuals."""
        return float(np.sqrt(ratio))

    def mean_loss(self, output: Output, raw: Floats, target: Floats, weight: Floats | None) -> float:
        """Return half the mean squared error of predictions, in the target's own units."""
        return float(np.average(np.square(output.of(raw) - target), weights=weight)) / 2.0


@dataclass(frozen=True)
class HuberLoss(Loss):
    """The squared error up to `delta`, beyond it linear: rows far out count less.

    Parameters
    ----------
    delta : float
        The error from which on the loss is linear; 0: half the spread of the target.

    Examples
    --------
    >>> HuberLoss(1.0).value(np.array([0.5, 3.0]), np.zeros(2)).tolist()
    [0.25, 5.0]
    """

    delta: float = 0.0
    name: ClassVar[LossName] = "huber"
    title = "typical error (Huber)"

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the loss of each row."""
        far = np.abs(y - raw)
        return np.where(far <= self.delta, np.square(far), self.delta * (2.0 * far - self.delta))

    def working(self, y: Floats, raw: Floats) -> Working:
        """Return the target, with less weight where the error is large."""
        return Working(y, self.delta / np.maximum(np.abs(y - raw), self.delta))

    def constant(self, y: Floats, weight: Floats) -> float:
        """Return the median."""
        return weighted_quantile(y, weight, 0.5)

    def evidence(self, y: Floats) -> Floats:
        """Return the targets within a few spreads of the median."""
        far = 4.0 * self.settled(y).delta
        return np.clip(y, np.median(y) - far, np.median(y) + far)

    def settled(self, y: Floats) -> HuberLoss:
        """Return the loss with its `delta` for a target."""
        low, high = np.quantile(y, [0.25, 0.75])
        spread = (high - low) / _QUARTILES if high > low else float(measure_scale(y).spread)
        return self if self.delta > 0.0 else HuberLoss(float(_HUBER_SHARE * spread))

    def scaled(self, scale: Standardization) -> HuberLoss:
        """Return the loss for standardised targets."""
        return HuberLoss(self.delta / float(scale.spread))


@dataclass(frozen=True)
class QuantileLoss(Loss):
    """The pinball loss: models predict a quantile.

    Parameters
    ----------
    quantile : float
        The share of the targets that should lie below the prediction.
    width : float
        How far from the prediction the nearest rows are; 0: to be found by `near`.

    Examples
    --------
    >>> QuantileLoss(0.9).value(np.array([2.0, -2.0]), np.zeros(2)).round(9).tolist()
    [1.8, 0.2]
    """

    quantile: float = 0.5
    width: float = 0.0

    @property
    def name(self) -> LossName:
        """The name in parameters and files."""
        return "quantile"

    @property
    def title(self) -> str:
        """The name of its mean over rows."""
        return f"mean pinball loss of the {self.quantile:g} quantile"

    @property
    def predicts(self) -> str:
        """The quantile."""
        return f"{self.quantile:g} quantiles"

    def evidence(self, y: Floats) -> Floats:
        """Return which targets are above the quantile: how far above does not matter."""
        return np.where(y > np.quantile(y, self.quantile), self.quantile, self.quantile - 1.0)

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the loss of each row."""
        missed = y - raw
        return np.maximum(self.quantile * missed, (self.quantile - 1.0) * missed)

    def errors(self, y: Floats, raw: Floats) -> Floats:
        """Return the loss of each row, which is in the unit of the target."""
        return self.value(y, raw)

    def typical(self, mean: Any) -> Any:
        """Return the mean loss."""
        return mean

    def mean(self, typical: Any) -> Any:
        """Return the mean loss."""
        return typical

    def working(self, y: Floats, raw: Floats) -> Working:
        """Return responses that move predictions by the slope of the loss, and weights of its curvature.

        The slope is exact. The curvature is about the density of the targets near the prediction: half the inverse of
        the distance from it, and of the distance of the nearest rows. So no step takes a row much farther to the other
        side than it is on this one.
        """
        tuned = self if self.width > 0.0 else self.near(y, raw)
        missed = y - raw
        slope = np.where(missed > 0.0, self.quantile, np.where(missed < 0.0, self.quantile - 1.0, 0.0))
        reach = np.abs(missed) + tuned.width
        return Working(raw + 2.0 * slope * reach, 0.25 / reach)

    def near(self, y: Floats, raw: Floats) -> QuantileLoss:
        """Return the loss with the width of the rows near predictions."""
        far = np.abs(y - raw)
        least = _LEAST_WIDTH * float(far.mean()) or 1.0
        return replace(self, width=max(float(np.quantile(far, _NEAREST)), least))

    def constant(self, y: Floats, weight: Floats) -> float:
        """Return the quantile of the target."""
        return weighted_quantile(y, weight, self.quantile)

    def unit(self, scale: Standardization) -> float:
        """Return the spread: the loss is in the unit of the target."""
        return float(scale.spread)

    def to_json(self) -> dict[str, Any]:
        """Return the name and the quantile."""
        return {"name": self.name, "quantile": self.quantile}


class AbsoluteLoss(QuantileLoss):
    """The absolute error: models predict medians.

    Examples
    --------
    >>> AbsoluteLoss().value(np.array([2.0, -2.0]), np.zeros(2)).tolist()
    [2.0, 2.0]
    """

    name: ClassVar[LossName] = "absolute_error"
    title, predicts = "mean absolute error", "medians"

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the absolute errors."""
        return np.abs(y - raw)

    def to_json(self) -> dict[str, Any]:
        """Return the name."""
        return {"name": self.name}


@dataclass(frozen=True)
class TweedieLoss(Loss):
    """The deviance of a Tweedie distribution: models predict means on the log scale.

    Parameters
    ----------
    power : float
        The variance grows with this power of the mean: 1 for Poisson, 2 for gamma, in between many zeros.

    Examples
    --------
    >>> TweedieLoss(1.0).value(np.array([0.0, 2.0]), np.log([1.0, 2.0])).tolist()
    [2.0, 0.0]
    """

    power: float = 1.5
    of_log_mean = True

    @property
    def name(self) -> LossName:
        """The name in parameters and files."""
        return {1.0: "poisson", 2.0: "gamma"}.get(self.power, "tweedie")  # type: ignore[return-value]

    @property
    def title(self) -> str:
        """The name of its mean over rows."""
        special = {1.0: "mean Poisson deviance", 2.0: "mean gamma deviance"}
        return special.get(self.power, f"mean Tweedie deviance of power {self.power:g}")

    @property
    def predicts(self) -> str:
        """Means: with the link "log" alone predictions are nearer to medians."""
        return "means"

    def told(self, typical: Any) -> Any:
        """Return the mean deviance."""
        return self.mean(typical)

    @property
    def has_intervals(self) -> bool:  # type: ignore[override]
        """Whether all targets are above zero, so that they have logarithms."""
        return self.power >= 2.0

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the deviance of each row."""
        p, log_mean = self.power, np.clip(raw, -_FARTHEST, _FARTHEST)
        if p == 1.0:
            half = xlogy(y, y) - y * log_mean - y + np.exp(log_mean)
        elif p == 2.0:
            half = log_mean - np.log(y) + y * np.exp(-log_mean) - 1.0
        else:
            shares = np.power(y, 2.0 - p) / ((1.0 - p) * (2.0 - p)), y * np.exp((1.0 - p) * log_mean) / (1.0 - p)
            half = shares[0] - shares[1] + np.exp((2.0 - p) * log_mean) / (2.0 - p)
        return np.maximum(2.0 * half, 0.0)

    def working(self, y: Floats, raw: Floats) -> Working:
        """Return the step of Fisher scoring."""
        log_mean = np.clip(raw, -_FARTHEST, _FARTHEST)
        return Working(raw + y * np.exp(-log_mean) - 1.0, np.exp((2.0 - self.power) * log_mean))

    def constant(self, y: Floats, weight: Floats) -> float:
        """Return the logarithm of the mean."""
        return float(np.log(np.average(y, weights=weight)))

    def require(self, y: Floats) -> None:
        """Refuse negative targets, and zeros if the distribution has none."""
        wrong = np.flatnonzero(y < 0.0 if self.power < 2.0 else y <= 0.0)
        if len(wrong):
            row, number = wrong[0], readable_number(y[wrong[0]], 6)
            wanted, cure = ("targets of 0 or more", "") if self.power < 2.0 else ("targets above 0", ", or 'poisson'")
            raise ValueError(
                f"loss={self.name!r} needs {wanted}, but row {row} has {number}; correct the target, or use "
                f"loss='squared_error'{cure}."
            )

    def scale(self, y: Floats, weight: Floats | None) -> Standardization:
        """Return the logarithm of the mean, and a spread of one."""
        mean = float(np.average(y, weights=weight))
        if not mean > 0.0:
            raise ValueError(f"loss={self.name!r} needs a target above 0 in at least one row; all rows have 0.")
        return Standardization(np.asarray(np.log(mean)), np.asarray(1.0))

    def standardised(self, y: Floats, scale: Standardization) -> Floats:
        """Return the target as multiples of its mean."""
        return y / np.exp(scale.centre)

    def residuals(self, y: Floats, raw: Floats) -> Floats:
        """Return the errors of the logarithm, which are minus infinity for targets of zero."""
        with np.errstate(divide="ignore"):
            return np.log(y) - raw

    def unit(self, scale: Standardization) -> float:
        """Return the factor from the deviance of multiples of the mean to that of the target."""
        return float(np.exp((2.0 - self.power) * scale.centre))

    def to_json(self) -> dict[str, Any]:
        """Return the name, and the power if the name does not have it."""
        return {"name": self.name} | ({"power": self.power} if self.name == "tweedie" else {})


SQUARED = SquaredLoss()
# The parameters that losses have in model files.
LOSS_PARAMETERS = ("quantile", "power", "delta")

_MADE: dict[str, Callable[[Any, Any], Loss]] = {
    "squared_error": lambda quantile, power: SQUARED,
    "absolute_error": lambda quantile, power: AbsoluteLoss(),
    "huber": lambda quantile, power: HuberLoss(),
    "quantile": lambda quantile, power: QuantileLoss(float(quantile)),
    "poisson": lambda quantile, power: TweedieLoss(1.0),
    "gamma": lambda quantile, power: TweedieLoss(2.0),
    "tweedie": lambda quantile, power: TweedieLoss(1.5 if power is None else float(power)),
}


def loss_given(name: LossName, quantile: float | None, power: float | None) -> Loss:
    """Return the loss of an estimator's parameters.

    Raises
    ------
    ValueError
        If a parameter is missing, or belongs to another loss.

    Examples
    --------
    >>> loss_given("quantile", 0.9, None)
    QuantileLoss(quantile=0.9, width=0.0)
    """
    for parameter, value, own in (("quantile", quantile, "quantile"), ("power", power, "tweedie")):
        if value is not None and name != own:
            raise ValueError(f"{parameter}={value!r} needs loss={own!r}; got loss={name!r}.")
    if name == "quantile" and quantile is None:
        raise ValueError("loss='quantile' needs a quantile between 0 and 1, as in quantile=0.9.")
    if quantile is not None and not 0.0 < quantile < 1.0:
        raise ValueError(f"quantile must be between 0 and 1, as in 0.9; got {quantile!r}.")
    if power is not None and not 1.0 <= power <= 3.0:
        raise ValueError(f"power must be from 1 (Poisson) to 3, where 2 is gamma, as in 1.5; got {power!r}.")
    return _MADE[name](quantile, power)


def loss_from(name: LossName, quantile: float | None, power: float | None, delta: float | None) -> Loss:
    """Return the loss with a name and the parameters of a model file."""
    return HuberLoss(float(delta or 0.0)) if name == "huber" else loss_given(name, quantile, power)


def weighted_quantile(y: Floats, weight: Floats, quantile: float) -> float:
    """Return the smallest target with at least a share of the weight up to it.

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0]), 0.5)
    2.0
    """
    order = np.argsort(y, kind="stable")
    share = np.cumsum(weight[order])
    return float(y[order][np.searchsorted(share, quantile * share[-1])])
