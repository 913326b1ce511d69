"""Losses: their slopes, their best constants, scikit-learn's metrics, and what they refuse."""

import numpy as np
import pytest
from sklearn import metrics

from fruler._table.rows import measure_scale
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules._losses import (
    LOSS_NAMES,
    SQUARED,
    AbsoluteLoss,
    HuberLoss,
    QuantileLoss,
    TweedieLoss,
    loss_from,
    loss_given,
    weighted_quantile,
)
from fruler.rules._output import Output

LOSSES = [
    SQUARED,
    HuberLoss(0.7),
    AbsoluteLoss(),
    QuantileLoss(0.9),
    QuantileLoss(0.05),
    TweedieLoss(1.0),
    TweedieLoss(1.5),
    TweedieLoss(2.0),
    TweedieLoss(3.0),
]


def name_of(loss):
    return str(loss.to_json())


def targets(n_rows=200):
    rng = np.random.default_rng(0)
    return rng.gamma(2.0, 1.0, n_rows), rng.normal(0.3, 0.5, n_rows)


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_the_working_response_has_the_slope_of_the_loss(loss):
    y, raw = targets()
    step = 1e-6
    slope = (loss.value(y, raw + step) - loss.value(y, raw - step)) / (2.0 * step)
    response, weight = loss.working(y, raw)
    # An absolute error is twice the pinball loss of a half.
    factor = 2.0 if isinstance(loss, AbsoluteLoss) else 1.0
    assert -2.0 * factor * weight * (response - raw) == pytest.approx(slope, abs=1e-5)
    assert (weight > 0.0).all()


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_the_constant_is_the_best(loss):
    y, _ = targets()
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    found = loss.constant(y, weight)

    def mean_loss(constant):
        return np.average(loss.value(y, np.full(len(y), constant)), weights=weight)

    # The best constant of the Huber loss lies between the median and the mean.
    near = (-0.3, 0.3) if isinstance(loss, HuberLoss) else (-0.05, -0.01, 0.01, 0.05)
    assert all(mean_loss(found) <= mean_loss(found + step) for step in near)


def test_mean_losses_are_the_metrics_of_scikit_learn():
    y, raw = targets()
    mean = np.exp(raw)
    known = {
        SQUARED: metrics.mean_squared_error(y, raw),
        AbsoluteLoss(): metrics.mean_absolute_error(y, raw),
        QuantileLoss(0.9): metrics.mean_pinball_loss(y, raw, alpha=0.9),
        TweedieLoss(1.0): metrics.mean_poisson_deviance(y, mean),
        TweedieLoss(2.0): metrics.mean_gamma_deviance(y, mean),
        TweedieLoss(1.5): metrics.mean_tweedie_deviance(y, mean, power=1.5),
    }
    for loss, expected in known.items():
        assert loss.value(y, raw).mean() == pytest.approx(expected)
    far = np.abs(y - raw) > 0.7
    huber = HuberLoss(0.7).value(y, raw)
    assert huber[~far] == pytest.approx(np.square(y - raw)[~far])
    assert (huber[far] < np.square(y - raw)[far]).all()
    assert TweedieLoss(1.0).value(np.array([0.0]), np.array([-400.0])).tolist() == [pytest.approx(0.0)]


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_units(loss):
    y, raw = targets()
    weight = np.ones(len(y))
    settled = loss.settled(y)
    scale = settled.scale(y, weight)
    standardised, own = settled.standardised(y, scale), settled.scaled(scale)
    there = raw * scale.spread + scale.centre
    mean = own.value(standardised, raw).mean() * loss.unit(scale)
    assert mean == pytest.approx(loss.shown * settled.value(y, there).mean())
    assert loss.typical(loss.mean(1.7)) == pytest.approx(1.7)
    assert loss.mean(loss.errors(y, raw)).mean() == pytest.approx(loss.value(y, raw).mean())


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_in_files(loss):
    written = loss.to_json()
    parameters = [written.get(name) for name in ("quantile", "power", "delta")]
    assert loss_from(written["name"], *parameters) == loss


def test_the_threshold_of_huber_is_half_the_spread_of_most_rows():
    y = np.random.default_rng(0).normal(size=10_000)
    y[:100] = 1e6
    assert HuberLoss().settled(y).delta == pytest.approx(0.5, abs=0.03)
    assert HuberLoss(3.0).settled(y) == HuberLoss(3.0)
    mostly = np.zeros(100)
    mostly[:10] = 5.0
    assert HuberLoss().settled(mostly).delta == pytest.approx(0.5 * float(measure_scale(mostly).spread))


def test_weighted_quantiles_are_those_of_repeated_rows():
    y, counts = np.array([4.0, 1.0, 3.0, 2.0]), np.array([1, 3, 2, 4])
    for quantile in (0.1, 0.35, 0.5, 0.95):
        expected = np.quantile(np.repeat(y, counts), quantile, method="inverted_cdf")
        assert weighted_quantile(y, counts.astype(float), quantile) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("quantile", None, None), "needs a quantile between 0 and 1, as in quantile=0.9"),
        (("quantile", 1.0, None), r"quantile must be between 0 and 1, as in 0\.9; got 1\.0"),
        (("poisson", 0.5, None), "quantile=0.5 needs loss='quantile'; got loss='poisson'"),
        (("tweedie", None, 0.5), r"power must be from 1 \(Poisson\) to 3, where 2 is gamma, as in 1\.5; got 0\.5"),
        (("gamma", None, 1.5), "power=1.5 needs loss='tweedie'"),
    ],
)
def test_parameters_that_do_not_fit(given, message):
    with pytest.raises(ValueError, match=message):
        loss_given(*given)


def test_every_name_has_a_loss():
    made = [loss_given(name, 0.9 if name == "quantile" else None, None) for name in LOSS_NAMES]
    assert [loss.name for loss in made] == list(LOSS_NAMES)


@pytest.mark.parametrize(
    ("loss", "y", "message"),
    [
        (TweedieLoss(1.0), [1.0, -2.0], "loss='poisson' needs targets of 0 or more, but row 1 has -2"),
        (TweedieLoss(2.0), [1.0, 0.0], "loss='gamma' needs targets above 0, but row 1 has 0"),
    ],
)
def test_targets_that_do_not_fit(loss, y, message):
    with pytest.raises(ValueError, match=message):
        Output("log", loss=loss).learned(np.array(y))
    with pytest.raises(ValueError, match=r"needs a target above 0 in at least one row"):
        TweedieLoss(1.0).scale(np.zeros(3), None)


def test_outputs_know_their_loss():
    with pytest.raises(ValueError, match="loss='poisson' needs link='log'; got 'identity'"):
        Output(loss=TweedieLoss(1.0))
    assert Output.given("identity", None, TweedieLoss(1.0)).link == "log"
    assert Output(loss=AbsoluteLoss()).is_plain
    with pytest.raises(ValueError, match="bounds="):
        Output.given("identity", (1.0, None), TweedieLoss(1.0)).learned(np.array([0.0]))


def test_typical_errors_are_told_in_terms_of_the_loss():
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [1.0, 0.0]])
    X, y = np.array([[0.0], [0.1], [1.0]]), np.array([0.0, 1.0, 4.0])
    for output, predicted, said in (
        (Output("log", loss=TweedieLoss(1.0)), "Predictions are means of y.", "the mean Poisson deviance is "),
        (Output(loss=AbsoluteLoss()), "Predictions are medians of y.", "mean absolute error 1.3"),
        (
            Output(loss=QuantileLoss(0.9)),
            "Predictions are 0.9 quantiles of y.",
            "mean pinball loss of the 0.9 quantile ",
        ),
    ):
        made = RuleBase([x], rules.antecedents.ranges, [[0.0, 0.0], [1.0, 0.0]], output=output).with_training(X, y)
        text = " ".join(str(made).split())
        assert predicted in text
        assert said in text
        raw = made.inference.raw_predictions(X)
        assert made.training.truth.together == pytest.approx(output.loss.typical(output.loss.value(y, raw).mean()))
