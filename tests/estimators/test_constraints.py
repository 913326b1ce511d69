"""Constraints hold for whole models: random pairs of rows are searched for one that breaks them."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from fruler import FRULERRegressor, FuzzyRuleRegressor, load_model
from fruler._algorithms.growth.conversion import Conversion
from fruler._algorithms.growth.problem import Knowledge
from fruler._algorithms.growth.terms import TermLimits

N = 400
N_PAIRS = 4_000
COLUMNS = ["age", "size", "rooms", "noise"]


def against(seed=0, n=N):
    """Make a target that goes against every direction somewhere, with jumps and interactions."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(-2.0, 2.0, size=(n, 4)), columns=COLUMNS)
    y = 2.0 * np.sin(2.0 * X["age"]) + X["size"] * (X["rooms"] > 0.0) * 2.0 + X["age"] * X["rooms"] + (X["size"] > 1.0)
    return X, (y + rng.normal(0.0, 0.2, n)).to_numpy()


def mixed(seed=0, n=600):
    """The same with categories and gaps, some of which tell of the target."""
    X, y = against(seed, n)
    rng = np.random.default_rng(seed + 100)
    kind = rng.choice(["flat", "house", "boat"], n)
    y = y + np.where(kind == "boat", 2.0 * X["age"], 0.0) + 3.0 * (kind == "house")
    X["rooms"] += 0.8 * X["age"]
    X["kind"] = kind
    lost = rng.uniform(size=n) < 0.15
    y[lost] += 2.0
    X.loc[lost, "size"] = np.nan
    X.loc[rng.uniform(size=n) < 0.1, "rooms"] = np.nan
    X.loc[rng.uniform(size=n) < 0.1, "age"] = np.nan
    X.loc[rng.uniform(size=n) < 0.1, "kind"] = None
    return X, y


def drawn_rows(X, rng, n=N_PAIRS):
    """Rows inside and far outside of a table, with its categories and gaps."""
    rows = {}
    for name in X.columns:
        values = X[name].to_numpy()
        if values.dtype == object:
            rows[name] = rng.choice(values, n)
            continue
        low, high = np.nanmin(values), np.nanmax(values)
        reach = (high - low) * rng.choice([0.0, 0.5, 50.0], n, p=[0.6, 0.3, 0.1])
        rows[name] = rng.uniform(low - reach, high + reach)
        if np.isnan(values).any():
            rows[name][rng.uniform(size=n) < 0.2] = np.nan
    return pd.DataFrame(rows)


def steps(model, X, column, seed=0):
    """What predictions change by where a column rises, all else being the same; and how large they are."""
    rng = np.random.default_rng(seed)
    below = drawn_rows(X, rng)
    width = X[column].max() - X[column].min()
    below[column] = rng.uniform(X[column].min() - width, X[column].max() + width, len(below))
    above = below.copy()
    above[column] += width * 10.0 ** rng.uniform(-9.0, 0.5, len(below))
    said = model.predict(below), model.predict(above)
    return said[1] - said[0], np.maximum(np.abs(said[0]), np.abs(said[1]))


def largest_violation(model, X, column, sign):
    """The largest step against a direction, as a share of what is predicted there; exactly 0 where there is none."""
    changes, sizes = steps(model, X, column)
    return float(np.max(-sign * changes / (1.0 + sizes)))


def tolerance(model, column):
    """Slopes of rules are summed up without any loss of order; lines of a curve that fade, but for the last bits."""
    names = [model.rule_base_.names[curve.input] for curve in model.rule_base_.curves]
    return 1e-13 if column in names else 0.0


def all_models(model):
    """The model, and every other one of its front."""
    return [model, *(model.with_rules(n_rules) for n_rules in model.pareto_["rules"])]


def assert_monotonic(model, X, directions):
    for one in all_models(model):
        one.warn_outside = False
        for column, sign in directions.items():
            assert largest_violation(one, X, column, sign) <= tolerance(one, column)


@pytest.mark.parametrize("directions", [{"age": 1}, {"age": -1}, {"age": 1, "size": -1}, {"rooms": 1, "age": 1}])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_pair_of_rows_goes_against_a_direction(directions, seed):
    X, y = against(seed)
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints=directions).fit(X, y)
    assert_monotonic(model, X, directions)
    assert not model.rule_base_.looks_at[:, [COLUMNS.index(name) for name in directions]].any()
    # Without the constraint there are such pairs, and this search finds them.
    free = FuzzyRuleRegressor(random_state=0, warn_outside=False).fit(X, y)
    assert all(largest_violation(free, X, column, sign) > 0.05 for column, sign in directions.items())


def test_the_search_for_violations_sees_fits_without_limits(monkeypatch):
    X, y = against()
    monkeypatch.setattr(TermLimits, "broken_by", lambda self, coefficients: False)
    monkeypatch.setattr(Conversion, "_in_directions", lambda self, coefficients: coefficients)
    monkeypatch.setattr("fruler._algorithms.growth.conversion.monotone_lines", lambda partition, lines, sign: lines)
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"age": 1}, warn_outside=False).fit(X, y)
    assert largest_violation(model, X, "age", 1) > 0.05


def test_the_search_for_violations_sees_splits_on_the_input(monkeypatch):
    X, y = against()
    monkeypatch.setattr(Knowledge, "may_split", property(lambda self: np.ones(len(self.signs), dtype=bool)))
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"age": 1}, warn_outside=False).fit(X, y)
    assert largest_violation(model, X, "age", 1) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"max_curves": 0},
        {"fuzziness": 0.0},
        {"locality": 0.5, "regularization": 0.0},
        {"extrapolation": "clip"},
        {"max_evaluations": 60},
        {"split_points": {"age": [-1.0, 0.5]}},
        {"early_stopping": 6, "max_rules": 3},
    ],
)
def test_directions_hold_with_other_settings(settings):
    X, y = against(2)
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"age": 1, "size": 1}, **settings).fit(X, y)
    assert_monotonic(model, X, {"age": 1, "size": 1})


def test_directions_hold_with_weights():
    X, y = against(3)
    weight = np.random.default_rng(0).uniform(0.0, 3.0, N)
    weight[::7] = 0.0
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"age": -1}).fit(X, y, weight)
    assert_monotonic(model, X, {"age": -1})


@pytest.mark.parametrize("seed", [0, 1])
def test_directions_hold_with_categories_and_gaps(seed):
    X, y = mixed(seed)
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"age": 1, "size": -1}).fit(X, y)
    assert_monotonic(model, X, {"age": 1, "size": -1})


def test_gaps_that_are_filled_in_from_a_constrained_input_would_break_it(monkeypatch):
    X, y = against()
    X["rooms"] = X["age"] + 0.3 * X["rooms"]
    y = X["noise"] - 3.0 * X["rooms"] + 0.1 * y
    X.loc[::5, "rooms"] = np.nan
    settings = {"random_state": 0, "monotonic_constraints": {"age": 1}, "warn_outside": False}
    assert_monotonic(FuzzyRuleRegressor(**settings).fit(X, y), X, {"age": 1})
    monkeypatch.setattr(FuzzyRuleRegressor, "_fillers", lambda self, names, sources: None)
    assert largest_violation(FuzzyRuleRegressor(**settings).fit(X, y), X, "age", 1) > 0.1


def test_a_curve_follows_what_rises():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0.0, 1.0, size=(500, 2)), columns=["age", "size"])
    y = 5.0 / (1.0 + np.exp(-12.0 * (X["age"] - 0.5))) + X["size"] + rng.normal(0.0, 0.1, 500)
    free = FuzzyRuleRegressor(random_state=0).fit(X, y)
    held = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"age": 1}).fit(X, y)
    assert held.rule_base_.n_curves == 1
    assert held.score(X, y) > 0.98
    assert held.score(X, y) > free.score(X, y) - 0.01
    assert_monotonic(held, X, {"age": 1})


def test_what_is_true_costs_nothing():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(0.0, 1.0, size=(300, 3)), columns=["age", "size", "rooms"])
    y = 3.0 * X["age"] + X["size"] * (X["size"] > 0.5) * 5.0 - 2.0 * X["rooms"] * (X["size"] > 0.5)
    y += rng.normal(0.0, 0.1, 300)
    free = FuzzyRuleRegressor(random_state=0).fit(X, y)
    held = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"age": 1}).fit(X, y)
    errors = [np.sqrt(np.mean((model.predict(X) - y) ** 2)) for model in (held, free)]
    assert errors[0] < 1.02 * errors[1]


@pytest.mark.slow
def test_an_array_is_as_good_as_a_dict_and_numbers_as_names():
    X, y = against()
    expected = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"size": 1}).fit(X, y).predict(X)
    for given in ([0, 1, 0, 0], np.array([0, 1, 0, 0]), {1: 1}, {"size": 1, "age": 0}):
        model = FuzzyRuleRegressor(random_state=0, monotonic_constraints=given)
        np.testing.assert_array_equal(model.fit(X, y).predict(X), expected)
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints=[0, 1, 0, 0])
    np.testing.assert_array_equal(model.fit(X.to_numpy(), y).predict(X.to_numpy()), expected)


def test_the_model_file_keeps_what_was_held(tmp_path):
    X, y = against()
    for directions, groups in (
        ({"age": 1, 1: 0}, [["age", 2]]),
        ([1, 0, 0, 0], "pairwise"),
        (np.array([1, 0, 0, -1]), None),
    ):
        settings = {"monotonic_constraints": directions, "interaction_constraints": groups}
        model = FuzzyRuleRegressor(random_state=0, max_evaluations=40, **settings).fit(X, y)
        model.save(tmp_path / "m.json")
        read = load_model(tmp_path / "m.json")
        np.testing.assert_array_equal(read.predict(X), model.predict(X))
        assert read.interaction_constraints == groups
        assert read.monotonic_constraints == (directions.tolist() if hasattr(directions, "tolist") else directions)
        np.testing.assert_array_equal(clone(read).fit(X, y).predict(X), model.predict(X))
        assert "monotonic_constraints" in model.report() or not isinstance(directions, dict)


def mixed_difference(model, X, first, second, seed=0):
    """The largest interaction of two sets of columns: f(both changed) - f(one) - f(other) + f(neither)."""
    rng = np.random.default_rng(seed)
    neither, other = drawn_rows(X, rng, 2_000), drawn_rows(X, rng, 2_000)
    neither[[*first, *second]] = neither[[*first, *second]].where(neither[[*first, *second]].notna(), other)
    changed = [neither.assign(**{name: other[name] for name in names}) for names in (first, second)]
    both = changed[0].assign(**{name: other[name] for name in second})
    said = [model.predict(rows) for rows in (both, *changed, neither)]
    size = np.maximum.reduce([np.abs(one) for one in said])
    return float(np.max(np.abs(said[0] - said[1] - said[2] + said[3]) / (1.0 + size)))


def groups_of(columns, groups):
    """Every pair of columns that share no group."""
    named = {name for group in groups for name in group}
    whole = [set(group) for group in groups] + [set(columns) - named]
    return [
        (one, other)
        for k, one in enumerate(columns)
        for other in columns[:k]
        if not any({one, other} <= group for group in whole)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "groups", [[["age", "rooms"]], [["size", "rooms"], ["age", "rooms"], ["noise"]], [["age"], ["size"]]]
)
def test_columns_of_different_groups_do_not_interact(groups):
    X, y = against(4)
    model = FuzzyRuleRegressor(random_state=0, interaction_constraints=groups).fit(X, y)
    apart = groups_of(COLUMNS, groups)
    assert apart
    for one in all_models(model):
        one.warn_outside = False
        for first, second in apart:
            assert mixed_difference(one, X, [first], [second]) < 1e-11
    free = FuzzyRuleRegressor(random_state=0, warn_outside=False).fit(X, y)
    assert max(mixed_difference(free, X, [first], [second]) for first, second in apart) > 0.01


def test_columns_of_a_group_may_interact():
    X, y = against(4)
    model = FuzzyRuleRegressor(random_state=0, interaction_constraints=[["size", "rooms"]], warn_outside=False)
    assert mixed_difference(model.fit(X, y), X, ["size"], ["rooms"]) > 0.1


def test_groups_hold_with_categories_and_gaps():
    X, y = mixed(5)
    groups = [["age", "kind"], ["size", "rooms"]]
    model = FuzzyRuleRegressor(random_state=0, interaction_constraints=groups, warn_outside=False).fit(X, y)
    assert model.n_rules_ > 1
    for first, second in groups_of(list(X.columns), groups):
        assert mixed_difference(model, X, [first], [second]) < 1e-11
    # A gap that is filled in from another group makes them interact.
    gaps = FuzzyRuleRegressor(random_state=0, interaction_constraints=groups).fit(X, y).rule_base_.gaps
    names = model.rule_base_.names
    of_age = [place for place, j in enumerate(gaps.inputs) if names[j] == "age"]
    of_rooms = [place for place, j in enumerate(gaps.inputs) if names[j] == "rooms"]
    assert of_age
    assert of_rooms
    assert not gaps.slopes[np.ix_(of_age, of_rooms)].any()


def test_the_inputs_of_a_date_are_in_the_group_of_its_column():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2015-03-01") + pd.to_timedelta(rng.integers(0, 365 * 5, 800), unit="D")
    X = pd.DataFrame({"sold": days, "size": rng.uniform(0.0, 1.0, 800), "age": rng.uniform(0.0, 1.0, 800)})
    winter = np.isin(X["sold"].dt.month, [11, 12, 1])
    y = winter * (1.0 + 4.0 * X["size"]) + X["age"] * 3.0 * winter + rng.normal(0.0, 0.1, 800)
    model = FuzzyRuleRegressor(random_state=0, interaction_constraints=[["sold", "size"]], warn_outside=False)
    model.fit(X, y)
    changed = X.sample(frac=1.0, random_state=1).reset_index(drop=True)
    said = [model.predict(X.assign(**{name: changed[name] for name in names})) for names in ([], ["sold"], ["age"])]
    both = model.predict(changed.assign(size=X["size"]))
    assert np.abs(both - said[1] - said[2] + said[0]).max() < 1e-10
    assert any("day of year" in rule.antecedent for rule in model.rule_base_.rules)


def test_no_interactions_is_a_sum_of_functions_of_one_column():
    X, y = against(6)
    model = FuzzyRuleRegressor(random_state=0, interaction_constraints="no_interactions", warn_outside=False).fit(X, y)
    for first, second in groups_of(COLUMNS, [[name] for name in COLUMNS]):
        assert mixed_difference(model, X, [first], [second]) < 1e-11


def test_pairwise_lets_two_interact_but_not_three():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0.0, 1.0, size=(800, 3)), columns=["a", "b", "c"])
    y = 4.0 * (X["a"] > 0.5) * (X["b"] > 0.5) * X["c"] + rng.normal(0.0, 0.05, 800)
    model = FuzzyRuleRegressor(random_state=0, interaction_constraints="pairwise").fit(X, y)
    assert model.n_rules_ > 1
    for rule in model.rule_base_.rules:
        assert len(rule.antecedent) <= 2
    draws = rng.uniform(0.0, 1.0, size=(2, 2_000, 3))
    third = sum(
        (-1) ** (i + j + k)
        * model.predict(
            pd.DataFrame(np.column_stack([draws[i, :, 0], draws[j, :, 1], draws[k, :, 2]]), columns=["a", "b", "c"])
        )
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
    )
    assert np.abs(third).max() < 1e-11


def test_pairwise_holds_in_rows_with_gaps():
    rng = np.random.default_rng(0)
    z = rng.uniform(0.0, 1.0, size=(600, 4))
    z[:, 0] = 0.5 * z[:, 0] + 0.3 * z[:, 1] + 0.2 * z[:, 2]
    X = pd.DataFrame(z, columns=["a", "b", "c", "d"])
    y = 4.0 * (X["a"] > 0.5) * X["d"] + (X["b"] > 0.5) * X["c"] + rng.normal(0.0, 0.05, 600)
    X.loc[rng.random(600) < 0.2, "a"] = np.nan
    model = FuzzyRuleRegressor(random_state=0, interaction_constraints="pairwise").fit(X, y)
    draws = rng.uniform(0.0, 1.0, size=(2, 2_000, 3))
    third = 0.0
    for i, j, k in np.ndindex(2, 2, 2):
        rows = pd.DataFrame({"a": np.nan, "b": draws[i, :, 0], "c": draws[j, :, 1], "d": draws[k, :, 2]})
        third = third + (-1) ** (i + j + k) * model.predict(rows)
    assert np.abs(third).max() < 1e-11


def test_both_kinds_hold_together():
    X, y = against(7)
    groups, directions = [["age", "rooms"]], {"age": 1, "size": 1}
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints=directions, interaction_constraints=groups)
    model.fit(X, y)
    assert_monotonic(model, X, directions)
    for first, second in groups_of(COLUMNS, groups):
        assert mixed_difference(model, X, [first], [second]) < 1e-11


def test_parameters_are_cloned_and_set():
    model = FuzzyRuleRegressor(monotonic_constraints={"age": 1}, interaction_constraints=[["age", "size"]])
    copy = clone(model)
    assert copy.get_params()["monotonic_constraints"] == {"age": 1}
    assert copy.get_params()["interaction_constraints"] == [["age", "size"]]
    X, y = against()
    copy.set_params(monotonic_constraints={"age": -1}, interaction_constraints=None, random_state=0).fit(X, y)
    assert_monotonic(copy, X, {"age": -1})
    assert "monotonic_constraints" not in FRULERRegressor().get_params()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"monotonic_constraints": {"agee": 1}}, "column 'agee', which X does not have; did you mean 'age'"),
        ({"monotonic_constraints": {7: 1}}, "column 7, which X does not have; the columns are 'age'"),
        ({"monotonic_constraints": {"age": 2}}, r"must be 1 \(rising\), -1 \(falling\) or 0 .* got 2 .*'age'"),
        ({"monotonic_constraints": {"age": None}}, "got None for the column 'age'"),
        ({"monotonic_constraints": {"age": "+"}}, r"got '\+' for the column 'age'"),
        ({"monotonic_constraints": {"age": 1, 0: 1}}, "names a column twice"),
        ({"monotonic_constraints": [1, 0]}, "one number for each of the 4 columns"),
        ({"monotonic_constraints": [[1, 0, 0, 0]]}, "one number for each of the 4 columns"),
        ({"monotonic_constraints": [1, 0, 0, np.nan]}, "got nan for the column 'noise'"),
        ({"interaction_constraints": [["age", "rom"]]}, "column 'rom', which X does not have"),
        ({"interaction_constraints": ["age", "rooms"]}, "must be groups of columns, as in .* got 'age' for a group"),
        ({"interaction_constraints": [0, 1]}, "got 0 for a group"),
        ({"interaction_constraints": "none"}, "groups of columns, 'no_interactions' or 'pairwise'; got 'none'"),
        ({"monotonic_constraints": 1}, "'monotonic_constraints' parameter .* must be"),
    ],
)
def test_what_is_wrong_with_a_constraint_is_said(settings, message):
    X, y = against(n=60)
    with pytest.raises(ValueError, match=message):
        FuzzyRuleRegressor(**settings).fit(X, y)


def test_text_and_dates_have_no_direction():
    X, y = mixed(n=200)
    X["sold"] = pd.date_range("2020-01-01", periods=200)
    with pytest.raises(ValueError, match="column 'kind', which holds categories, which have no order; leave it out"):
        FuzzyRuleRegressor(monotonic_constraints={"kind": 1}).fit(X, y)
    with pytest.raises(ValueError, match="column 'sold', which holds dates, which become several inputs"):
        FuzzyRuleRegressor(monotonic_constraints={"sold": 1}).fit(X, y)
    # Zero says nothing, of whatever column.
    FuzzyRuleRegressor(monotonic_constraints={"kind": 0, "sold": 0}, max_evaluations=5).fit(X, y)


def test_a_checkpoint_is_not_resumed_with_other_constraints(tmp_path):
    X, y = against(n=150)
    settings = {"random_state": 0, "checkpoint": tmp_path}
    FuzzyRuleRegressor(monotonic_constraints={"age": 1}, **settings).fit(X, y)
    again = FuzzyRuleRegressor(monotonic_constraints={"age": 1, "size": 0}, **settings).fit(X, y)
    assert again.resumed_ > 0
    for other in ({"monotonic_constraints": {"age": -1}}, {}, {"interaction_constraints": [["age"]]}):
        with pytest.raises(ValueError, match="_constraints was "):
            FuzzyRuleRegressor(**other, **settings).fit(X, y)


def test_a_longer_fit_resumes_under_the_same_constraints():
    X, y = against(8)
    settings = {"random_state": 0, "monotonic_constraints": {"age": 1}, "interaction_constraints": [["age", "rooms"]]}
    whole = FuzzyRuleRegressor(**settings, max_rules=6).fit(X, y)
    parts = FuzzyRuleRegressor(**settings, max_rules=2, warm_start=True).fit(X, y)
    parts.set_params(max_rules=6).fit(X, y)
    assert parts.resumed_ > 0
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))
    parts.set_params(monotonic_constraints={"age": -1})
    with pytest.raises(ValueError, match="monotonic_constraints was "):
        parts.fit(X, y)


def test_a_limited_time_still_gives_a_model_that_obeys():
    X, y = against(9, 2_000)
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"age": 1, "rooms": -1}, time_limit=0.05).fit(X, y)
    assert_monotonic(model, X, {"age": 1, "rooms": -1})


def test_a_model_file_with_two_directions_of_a_column_is_refused(tmp_path):
    X, y = against()
    FuzzyRuleRegressor(random_state=0, max_evaluations=40, monotonic_constraints={"age": 1}).fit(X, y).save(
        tmp_path / "m.json"
    )
    document = json.loads((tmp_path / "m.json").read_text())
    document["learning"]["settings"]["monotonic_constraints"] *= 2
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="must be a column that has no direction yet; got 'age'"):
        load_model(tmp_path / "m.json")
