"""Models with few terms: the limit holds everywhere, and the terms that stay are the ones that matter."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from fruler import FuzzyRuleRegressor, load_model
from fruler._algorithms.growth.structure import Structure
from fruler.data import make_friedman
from fruler.explain.plots import FrontDisplay
from fruler.explain.report._error_views import front_view
from fruler.explain.report._reference import Reference

DATA = make_friedman(250, random_state=0)


def fit(max_terms, **parameters):
    return FuzzyRuleRegressor(max_terms=max_terms, random_state=0, **parameters).fit(DATA.data, DATA.target)


@pytest.fixture(scope="module")
def limited():
    return fit(6)


def test_no_model_has_more_terms(limited):
    assert limited.rule_base_.n_terms <= 6
    front = limited.pareto_
    assert front["terms"].max() <= 6
    assert (front["terms"] == 0).any()
    # The same rules with fewer terms have a larger error.
    for _, own in front.groupby("rules"):
        assert own["terms"].is_monotonic_increasing
        assert own["error"].is_monotonic_decreasing
    assert fit(None).rule_base_.n_terms > 6
    constants = fit(0)
    assert constants.n_rules_ > 1
    assert (constants.rule_base_.consequents.slopes == 0.0).all()
    assert not constants.rule_base_.curves


def test_the_error_is_that_of_the_model(limited):
    rmse = np.sqrt(np.mean(np.square(limited.predict(DATA.data) - DATA.target)))
    [row] = limited.pareto_[
        (limited.pareto_["rules"] == limited.n_rules_) & (limited.pareto_["terms"] == limited.rule_base_.n_terms)
    ].itertuples()
    assert row.rmse == pytest.approx(rmse)
    new = make_friedman(2_000, random_state=1)
    held_out = np.sqrt(np.mean(np.square(limited.predict(new.data) - new.target)))
    assert row.cv_rmse == pytest.approx(held_out, rel=0.15)


def test_the_terms_that_matter_stay():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = X @ [5.0, 0.5, -3.0, 1.0, 2.0] + 0.1 * rng.normal(size=400)
    model = FuzzyRuleRegressor(max_rules=1, max_curves=0, max_terms=3, regularization=0.0, random_state=0).fit(X, y)
    slopes = model.rule_base_.consequents.slopes[0]
    assert np.flatnonzero(slopes).tolist() == [0, 2, 4]
    # They are fitted again without the others.
    assert slopes[[0, 2, 4]] == pytest.approx(LinearRegression().fit(X[:, [0, 2, 4]], y).coef_)


def test_a_curve_counts_its_lines():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3.0, 3.0, (500, 1))
    y = np.sin(2.0 * x[:, 0]) + 0.05 * rng.normal(size=500)
    free = FuzzyRuleRegressor(max_rules=1, random_state=0).fit(x, y)
    [curve] = free.rule_base_.curves
    assert free.rule_base_.n_terms == curve.n_pieces > 3
    few = FuzzyRuleRegressor(max_rules=1, max_terms=3, random_state=0).fit(x, y).rule_base_
    assert 0 < few.n_terms <= 3


def test_structures_count_as_models_do():
    structure = Structure.undivided(2).with_bend(0, 0.0, 0.1).with_bend(0, 1.0, 0.1)
    kept = np.array([True, True, True, False, True, False, False])
    # The slope of the other input, the first line, which has the shared slope, and the line of the first bend.
    assert structure.n_terms_to_read(kept) == 3
    kept[1] = False
    assert structure.n_terms_to_read(kept) == 3
    smaller, left = structure.without_idle_bends(kept.astype(float))
    assert smaller.bends.places.tolist() == [0.0]
    assert left.tolist() == [True] * 5 + [False] * 2


def test_the_best_model_of_the_front_within_limits(limited, tmp_path):
    small = limited.with_rules(max_terms=2)
    assert small.rule_base_.n_terms <= 2
    fitting = limited.pareto_[limited.pareto_["terms"] <= 2]
    assert small.rule_base_.background.cv_rmse == pytest.approx(fitting["cv_rmse"].min())
    both = limited.with_rules(2, max_terms=3)
    assert (both.n_rules_ <= 2) & (both.rule_base_.n_terms <= 3)
    # With a limit on rules alone the model is the largest, as ever.
    assert limited.with_rules(2).rule_base_.n_terms == limited.pareto_.query("rules == 2")["terms"].max()
    limited.save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").pareto_.equals(limited.pareto_)
    with pytest.raises(TypeError, match="needs n_rules, max_terms or both"):
        limited.with_rules()
    with pytest.raises(TypeError, match="max_terms must be an integer"):
        limited.with_rules(max_terms=1.5)
    with pytest.raises(ValueError, match=r"has 0 terms or fewer; the smallest has \d+\. Fit again with max_terms=0"):
        fit(None, max_rules=1).with_rules(max_terms=0)


def test_other_losses_and_constraints_keep_to_the_limit():
    rules = FuzzyRuleRegressor(
        loss="absolute_error", max_terms=3, monotonic_constraints={0: 1}, max_rules=3, random_state=0
    )
    assert rules.fit(DATA.data, DATA.target).pareto_["terms"].max() <= 3


def test_reports_show_one_model_of_each_size(limited, tmp_path):
    small = limited.with_rules(limited.n_rules_, max_terms=2)
    for model in (limited, small):
        page = tmp_path / f"{model.rule_base_.n_terms}.html"
        model.report(DATA.data, DATA.target, page)
        assert "Error against the number of rules" in page.read_text(encoding="utf-8")
    reference, front = Reference(small.rule_base_), front_view(limited.pareto_, Reference(small.rule_base_))
    rules, *_ = zip(*front["rows"], strict=True)
    assert list(rules) == sorted(set(limited.pareto_["rules"]))
    assert front["rows"][front["chosen"]][1] == reference.rule_base.n_coefficients
    shown = FrontDisplay.from_estimator(limited)
    own = limited.pareto_.groupby("rules")["rmse"].last()
    assert shown.line_.get_ydata() == pytest.approx(own.to_numpy())
