"""Losses of the growth: one rule as in scikit-learn's models, several rules, units, weights, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from sklearn.linear_model import (
    GammaRegressor,
    HuberRegressor,
    PoissonRegressor,
    QuantileRegressor,
    TweedieRegressor,
)
from sklearn.metrics import mean_pinball_loss, mean_poisson_deviance

from fruler import FuzzyRuleRegressor, load_model
from fruler.data import scan_table
from fruler.explain.plots import FrontDisplay

ONE_RULE = {"max_rules": 1, "max_curves": 0, "regularization": 0.0, "random_state": 0}


def inputs(n_rows=600, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n_rows, 3))


def level(X):
    return 0.8 * X[:, 0] + np.where(X[:, 1] > 0.0, 1.0, -0.5) + 0.6 * X[:, 2] * (X[:, 1] > 0.0)


def line(X):
    return 0.5 + 0.8 * X[:, 0] - 0.6 * X[:, 1] + 0.4 * X[:, 2]


def fit(loss, X, y, weight=None, **parameters):
    return FuzzyRuleRegressor(loss=loss, **{"random_state": 0, **parameters}).fit(X, y, weight)


MEANS = {
    "poisson": (lambda rng, mean: rng.poisson(mean), PoissonRegressor(alpha=0.0), {}),
    "gamma": (lambda rng, mean: rng.gamma(2.0, mean / 2.0), GammaRegressor(alpha=0.0), {}),
    "tweedie": (
        lambda rng, mean: rng.poisson(mean) * rng.gamma(3.0, 1.0, len(mean)),
        TweedieRegressor(power=1.3, link="log", alpha=0.0),
        {"power": 1.3},
    ),
}


@pytest.mark.parametrize("loss", MEANS)
def test_one_rule_is_the_generalised_linear_model(loss):
    draw, known, parameters = MEANS[loss]
    X, rng = inputs(), np.random.default_rng(1)
    y, weight = draw(rng, np.exp(line(X))), rng.uniform(0.5, 2.0, len(X))
    model = fit(loss, X, y, weight, **ONE_RULE, **parameters)
    expected = known.set_params(tol=1e-10, max_iter=1000).fit(X, y, weight)
    assert model.rule_base_.consequents.slopes[0] == pytest.approx(expected.coef_, abs=1e-4)
    assert model.predict(X) == pytest.approx(expected.predict(X), rel=1e-4)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_one_rule_is_the_linear_quantile_regression(quantile):
    X, rng = inputs(), np.random.default_rng(1)
    y = line(X) + (1.0 + 0.5 * X[:, 0]) * rng.standard_t(3, len(X))
    model = fit("quantile", X, y, quantile=quantile, **ONE_RULE)
    expected = QuantileRegressor(quantile=quantile, alpha=0.0).fit(X, y)
    best, found = (mean_pinball_loss(y, one.predict(X), alpha=quantile) for one in (expected, model))
    assert best <= found <= 1.003 * best
    assert np.mean(y <= model.predict(X)) == pytest.approx(quantile, abs=0.012)
    if quantile == 0.5:
        assert fit("absolute_error", X, y, **ONE_RULE).predict(X) == pytest.approx(model.predict(X))


def test_one_rule_is_the_linear_huber_regression():
    X, rng = inputs(), np.random.default_rng(1)
    y = line(X) + 0.3 * rng.standard_t(2, len(X))
    model = fit("huber", X, y, **ONE_RULE)
    delta = model.rule_base_.output.loss.delta
    # scikit-learn's threshold counts in units of a spread that it estimates.

    def known(epsilon):
        return HuberRegressor(alpha=0.0, epsilon=epsilon, max_iter=1000, tol=1e-9).fit(X, y)

    expected = known(brentq(lambda epsilon: epsilon * known(epsilon).scale_ - delta, 1.05, 4.0, xtol=1e-6))
    assert model.predict(X) == pytest.approx(expected.predict(X), abs=2e-3)


def test_several_rules_find_the_means_of_counts():
    X, rng = inputs(1_500), np.random.default_rng(1)
    y, new = rng.poisson(np.exp(level(X))), inputs(3_000, 2)
    counts = np.random.default_rng(3).poisson(np.exp(level(new)))
    model = fit("poisson", X, y)
    assert 2 <= model.n_rules_ <= 4
    best, found = (mean_poisson_deviance(counts, one) for one in (np.exp(level(new)), model.predict(new)))
    assert found < 1.03 * best
    assert model.rule_base_.output.link == "log"
    row = model.pareto_[model.pareto_["rules"] == model.n_rules_].iloc[0]
    assert row.error == pytest.approx(mean_poisson_deviance(y, model.predict(X)))
    assert row.cv_error == pytest.approx(model.truth_.together**2)
    assert found == pytest.approx(row.cv_error, rel=0.1)
    assert np.isnan(row.rmse)
    shown = FrontDisplay.from_estimator(model)
    assert shown.line_.get_ydata() == pytest.approx(model.pareto_["error"].to_numpy())
    assert shown.ax_.get_ylabel() == "mean Poisson deviance"


def test_several_rules_find_quantiles():
    X, rng = inputs(2_000), np.random.default_rng(1)
    spread = np.where(X[:, 1] > 0.0, 1.0, 0.3)
    y, new, later = level(X) + spread * rng.normal(size=2_000), inputs(3_000, 2), np.random.default_rng(3)
    wanted = level(new) + np.where(new[:, 1] > 0.0, 1.0, 0.3) * later.normal(size=3_000)
    low, high = (fit("quantile", X, y, quantile=quantile) for quantile in (0.05, 0.95))
    for model, quantile in ((low, 0.05), (high, 0.95)):
        assert np.mean(wanted <= model.predict(new)) == pytest.approx(quantile, abs=0.02)
        # The quantile is right in both halves, not only in the mean.
        narrow = new[:, 1] < 0.0
        assert np.mean(wanted[narrow] <= model.predict(new[narrow])) == pytest.approx(quantile, abs=0.03)
    assert (low.predict(new) < high.predict(new)).mean() > 0.999
    assert low.pareto_["error"].min() > 0.0


def test_rows_far_out_hardly_move_medians():
    X, rng = inputs(800), np.random.default_rng(1)
    y = level(X) + 0.1 * rng.normal(size=800)
    y[::50] += 200.0
    for loss in ("absolute_error", "huber"):
        missed = np.abs(fit(loss, X, y).predict(X) - level(X)).mean()
        assert missed < 0.2 < np.abs(fit("squared_error", X, y).predict(X) - level(X)).mean()


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie", "absolute_error", "huber"])
def test_the_unit_of_the_target_does_not_matter(loss):
    X, rng = inputs(500), np.random.default_rng(1)
    y = rng.poisson(np.exp(level(X))) + (0.5 if loss == "gamma" else 0.0)
    one, other = (fit(loss, X, unit * y).rule_base_ for unit in (1.0, 1000.0))
    assert (one.antecedents.ranges == other.antecedents.ranges).all()
    assert other.predict(X) == pytest.approx(1000.0 * one.predict(X))
    assert [variable.partition for variable in one.variables] == [variable.partition for variable in other.variables]


def test_exposure_is_the_weight_of_rates():
    X, rng = inputs(1_500), np.random.default_rng(1)
    exposure = rng.uniform(0.05, 1.0, len(X))
    claims = rng.poisson(exposure * np.exp(level(X) - 1.0))
    model = fit("poisson", X, claims / exposure, exposure)
    assert (exposure * model.predict(X)).sum() == pytest.approx(claims.sum(), rel=0.01)
    assert np.abs(np.log(model.predict(X)) - (level(X) - 1.0)).mean() < 0.3
    twice = fit("poisson", np.repeat(X[:300], 2, axis=0), np.repeat(claims[:300], 2))
    weighted = fit("poisson", X[:300], claims[:300], np.full(300, 2.0))
    assert weighted.predict(X) == pytest.approx(twice.predict(X))


def test_categories_are_numbered_by_what_the_loss_sees():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"place": rng.choice(list("abcdef"), 900), "x": rng.uniform(size=900)})
    effects = table["place"].map(dict(zip("abcdef", [0.0, 1.0, 2.0, 0.5, 1.5, 2.5], strict=True)))
    y = effects + 0.2 * rng.standard_t(1.1, 900)
    model = fit("absolute_error", table, y)
    assert np.abs(model.predict(table) - effects).mean() < 0.15


def test_saved_resumed_and_in_batches_alike(tmp_path):
    X = pd.DataFrame(inputs(400), columns=list("abc"))
    y = pd.Series(np.random.default_rng(1).poisson(np.exp(level(X.to_numpy()))), name="n")
    model = fit("poisson", X, y, n_jobs=2)
    assert model.rule_base_ == fit("poisson", X, y).rule_base_
    model.save(tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert again.rule_base_ == model.rule_base_
    assert again.get_params()["loss"] == "poisson"
    short = fit("poisson", X, y, warm_start=True, early_stopping=1)
    resumed = short.set_params(early_stopping=3).fit(X, y)
    assert resumed.rule_base_ == model.rule_base_
    pd.concat([X, y], axis=1).to_csv(tmp_path / "rows.csv", index=False)
    scanned = FuzzyRuleRegressor(loss="poisson", random_state=0).fit(scan_table(tmp_path / "rows.csv"), "n")
    assert scanned.predict(X) == pytest.approx(model.predict(X))


@pytest.mark.slow
def test_a_sample_of_a_large_table_is_fitted_to_all_of_it(tmp_path):
    X = pd.DataFrame(inputs(30_000), columns=list("abc"))
    y = pd.Series(np.random.default_rng(1).poisson(np.exp(level(X.to_numpy()))), name="n")
    pd.concat([X, y], axis=1).to_csv(tmp_path / "rows.csv", index=False)
    scan = scan_table(tmp_path / "rows.csv", max_memory=8)
    model = FuzzyRuleRegressor(loss="poisson", random_state=0).fit(scan, "n")
    assert model.rule_base_.training.n_rows == 30_000
    assert model.predict(X).sum() == pytest.approx(y.sum(), rel=1e-4)


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"loss": "poisson"}, [1.0, -1.0, 2.0], "loss='poisson' needs targets of 0 or more, but row 1 has -1"),
        ({"loss": "poisson"}, [0.0, 0.0, 0.0], "needs a target above 0 in at least one row"),
        ({"loss": "gamma"}, [1.0, 0.0, 2.0], "loss='gamma' needs targets above 0, but row 1 has 0"),
        ({"loss": "quantile"}, [1.0, 0.0, 2.0], "loss='quantile' needs a quantile"),
        ({"loss": "quantile", "quantile": 1.5}, [1.0, 0.0, 2.0], "quantile must be between 0 and 1"),
        ({"loss": "tweedie", "power": 0.5}, [1.0, 0.0, 2.0], "power must be from 1"),
        ({"loss": "poisson"}, [1.0, np.inf, 2.0], "infinity"),
        ({"loss": "poisson", "calibration": 0.3}, [1.0, 0.0, 2.0], "does not have; leave it out"),
        ({"loss": "mean"}, [1.0, 0.0, 2.0], "The 'loss' parameter"),
    ],
)
def test_what_does_not_fit(parameters, y, message):
    with pytest.raises(ValueError, match=message):
        FuzzyRuleRegressor(**parameters).fit([[0.0], [1.0], [2.0]], y)


def test_targets_that_may_be_zero_have_no_intervals():
    X, rng = inputs(200), np.random.default_rng(0)
    counts = fit("poisson", X, rng.poisson(2.0, 200))
    with pytest.raises(ValueError, match=r"loss='poisson' has no prediction intervals.*quantile=0\.05"):
        counts.predict_interval(X)
    with pytest.raises(ValueError, match="has no prediction intervals"):
        counts.rule_base_.with_intervals(X, rng.poisson(2.0, 200))
    amounts = rng.gamma(2.0, np.exp(line(X)) / 2.0)
    for loss in ("gamma", "absolute_error", "huber"):
        lower, upper, _ = fit(loss, X, amounts).predict_interval(X, 0.8)
        assert np.mean((lower <= amounts) & (amounts <= upper)) == pytest.approx(0.8, abs=0.1)
