"""Groups and folds of one's own in `fit`: what they decide, and who knows of them."""

import numpy as np
import pandas as pd
import pytest
from helpers.estimators import make_quick_estimator
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit, cross_validate

from fruler import FuzzyRuleRegressor, load_model
from fruler._algorithms.growth.cross_validation import CrossValidation
from fruler.data import scan_table

N_GROUPS, N_EACH = 40, 10


def grouped(seed=0, n_groups=N_GROUPS):
    """Rows of groups with levels of their own, and an input that tells the groups apart."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), N_EACH)
    X = pd.DataFrame({"x": rng.uniform(size=len(group)), "age": rng.uniform(20.0, 80.0, n_groups)[group]})
    y = 6.0 * np.abs(X.x - 0.4) + 2.0 * rng.normal(size=n_groups)[group] + 0.3 * rng.normal(size=len(group))
    return X, y.rename("y"), pd.Series(group, name="patient")


X, y, PATIENT = grouped()


def quick(**parameters):
    return FuzzyRuleRegressor(random_state=0, **parameters)


@pytest.fixture(scope="module")
def by_patient():
    return quick().fit(X, y, groups=PATIENT)


def test_the_error_is_that_of_new_groups(by_patient):
    X_new, y_new, _ = grouped(1, n_groups=400)
    model = quick(warn_outside=False)
    error = {}
    for name, groups in (("groups", PATIENT), ("none", None)):
        model.fit(X, y, groups=groups)
        wrong = y_new - model.predict(X_new)
        error[name] = model.rule_base_.background.cv_rmse / np.sqrt(np.mean(np.square(wrong)))
    assert error["none"] < 0.8
    assert 0.75 < error["groups"] < 1.25


def test_the_printed_error_says_how_it_was_measured(by_patient, tmp_path):
    assert "On held-out groups (patient), half of" in " ".join(str(by_patient.rule_base_).split())
    by_patient.save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").rule_base_ == by_patient.rule_base_
    assert by_patient.with_rules(1).rule_base_.background.held_out == "held-out groups (patient)"
    assert "On later rows, half" in str(quick(cv=TimeSeriesSplit(3)).fit(X, y).rule_base_)
    assert "On held-out rows, half" in str(quick().fit(X, y).rule_base_)


def test_folds_and_truth_hold_out_whole_groups(monkeypatch):
    seen = []
    fold = CrossValidation.fold

    def watched(self, number, before=None):
        seen.append((self.problem.rows, self.folds[number]))
        return fold(self, number, before)

    monkeypatch.setattr(CrossValidation, "fold", watched)
    # Every row has its group as an input, which the folds can be recognised by.
    quick(max_evaluations=200).fit(X.assign(patient=PATIENT), y, groups=PATIENT)
    assert len(seen) == 5
    for rows, split in seen:
        own = rows.columns[-1]
        assert not set(own[split.held_out]) & set(own[split.fitted])
        assert len(split.held_out) + len(split.fitted) == len(y)


def test_copies_and_weights_stay_in_their_fold():
    weight = np.tile([1.0, 2.0], len(y) // 2)
    repeated = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = quick().fit(X, y, weight, groups=PATIENT)
    copied = quick().fit(X.iloc[repeated], y.iloc[repeated], groups=PATIENT.iloc[repeated])
    # Folds are drawn from the sizes of groups in rows, which copies do not change here.
    assert weighted.rule_base_.background.cv_rmse == pytest.approx(copied.rule_base_.background.cv_rmse, rel=1e-6)


def test_the_order_of_rows_does_not_matter(by_patient):
    order = np.random.default_rng(0).permutation(len(y))
    other = quick().fit(X.iloc[order], y.iloc[order], groups=PATIENT.iloc[order])
    np.testing.assert_allclose(other.predict(X), by_patient.predict(X), rtol=1e-8)


def test_rows_without_weight_have_no_say(by_patient):
    X_more, y_more, group = grouped(3, n_groups=5)
    weight = np.concatenate([np.ones(len(y)), np.zeros(len(y_more))])
    whole = pd.concat([X, X_more]), pd.concat([y, y_more]), pd.concat([PATIENT, group + 100])
    model = quick(cv=GroupKFold(4)).fit(X, y, groups=PATIENT)
    pairs = list(GroupKFold(4).split(X, y, PATIENT))
    other = quick(cv=pairs).fit(whole[0], whole[1], weight)
    assert other.rule_base_.background.cv_rmse == pytest.approx(model.rule_base_.background.cv_rmse)


def test_all_folds_that_are_asked_for_are_used():
    numbers = []
    for cv in (3, KFold(4), [(np.arange(300), np.arange(300, 400))]):
        model = quick(cv=cv).fit(X, y)
        numbers.append(model.rule_base_.intervals.n_rows)
    assert numbers == [400, 400, 100]


def test_calibration_holds_out_whole_groups():
    for name in ("growth", "l-metsk"):
        model = make_quick_estimator(name, 200).set_params(calibration=0.3)
        model.fit(X, y, groups=PATIENT)
        kept = np.setdiff1d(np.arange(len(y)), model._calibration.others)
        assert not set(PATIENT[kept]) & set(PATIENT[model._calibration.others])
        assert len(kept) == 120


def test_what_has_no_use_for_groups_says_so():
    for name in ("fruler", "l-metsk", "fs-mogfs", "a-metsk"):
        with pytest.raises(ValueError, match=r"does not cross-validate, and needs groups only to hold out rows with"):
            make_quick_estimator(name, 60).fit(X, y, groups=PATIENT)
    with pytest.raises(ValueError, match="calibration holds out random rows, but the folds of cv go forward in time"):
        quick(cv=TimeSeriesSplit(3), calibration=0.2).fit(X, y)
    with pytest.raises(ValueError, match="cv as pairs of row numbers leaves no rows to calibration"):
        quick(cv=[([0, 1], [2])], calibration=0.2).fit(X, y)
    with pytest.raises(ValueError, match="max_evaluations=100 is too few for 5 folds; at least 120 are needed"):
        quick(max_evaluations=100).fit(X, y, groups=PATIENT)


@pytest.mark.parametrize("cv", [1, "five", 2.5])
def test_a_cv_of_another_type_is_refused(cv):
    with pytest.raises(ValueError, match="The 'cv' parameter of FuzzyRuleRegressor must be"):
        quick(cv=cv).fit(X, y)


def test_groups_are_routed_by_scikit_learn():
    with config_context(enable_metadata_routing=True):
        model = quick().set_fit_request(groups=True)
        found = cross_validate(
            model, X, y, cv=GroupKFold(3), params={"groups": PATIENT}, return_estimator=True, error_score="raise"
        )
        told = {one.rule_base_.background.held_out for one in found["estimator"]}
        assert told == {"held-out groups (patient)"}


def test_batches_have_groups_in_a_column(by_patient):
    pytest.importorskip("pyarrow")
    scan = scan_table(X.assign(y=y, patient=PATIENT))
    model = quick().fit(scan, "y", groups="patient")
    assert model.rule_base_ == by_patient.rule_base_
    with pytest.raises(ValueError, match="cv as pairs of row numbers needs rows in memory"):
        quick(cv=[([0, 1], [2])]).fit(scan, "y")
    with pytest.raises(ValueError, match="The table has no column 'patent'"):
        quick().fit(scan, "y", groups="patent")


def test_a_search_resumes_with_the_same_folds_only(tmp_path):
    kept = quick(checkpoint=tmp_path, max_evaluations=400).fit(X, y, groups=PATIENT)
    again = clone(kept).fit(X, y, groups=PATIENT)
    assert again.rule_base_ == kept.rule_base_
    for groups in (None, PATIENT // 2):
        with pytest.raises(ValueError, match="cv has changed"):
            clone(kept).fit(X, y, groups=groups)


def test_stability_refits_models_with_folds():
    pairs = list(KFold(2).split(X))
    for cv in (3, pairs):
        assert quick(cv=cv, max_rules=2, max_curves=1).fit(X, y).stability(X, y, n=2).n_refits == 2
