"""Edited, refitted and updated models: edits are exact, and all other numbers are the optimum given them."""

import numpy as np
import pandas as pd
import pytest
from helpers.estimators import make_quick_estimator
from helpers.exported import run_python
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import TimeSeriesSplit

from fruler import FuzzyRuleRegressor, load_model
from fruler.data import load_example
from fruler.export import export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules.edits import DropTerm, FixAmount, FixLevel, FixSlope, MoveSplit, RenameLabel, SetFlat

WEATHER = load_example("weather")
X, y = WEATHER.data, WEATHER.target
WARM = "max_temperature_before"


def farm(n=400):
    """Return a table with a curve, categories and gaps in a column of dates' kind."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "rain": rng.uniform(0.0, 600.0, n),
            "warmth": rng.normal(15.0, 6.0, n),
            "soil": rng.choice(["clay", "sand", "loam", "peat"], n),
        }
    )
    soils = table["soil"].map({"clay": 2.0, "sand": -3.0, "loam": 1.0, "peat": 0.0}).to_numpy()
    bent = 0.03 * np.minimum(table["rain"], 300.0) + np.where(table["warmth"] > 18.0, -1.5, 0.4) * (
        table["warmth"] - 18
    )
    return table, pd.Series(bent + soils + rng.normal(0.0, 0.7, n), name="yield")


FARM, HARVEST = farm()


@pytest.fixture(scope="module")
def model():
    return FuzzyRuleRegressor(random_state=0, keep_sums=True).fit(X, y)


@pytest.fixture(scope="module")
def plain():
    """Return a model fitted without a ridge, to the joint error alone."""
    return FuzzyRuleRegressor(random_state=0, regularization=0.0, locality=0.0).fit(X, y)


@pytest.fixture(scope="module")
def bent():
    return FuzzyRuleRegressor(random_state=0, keep_sums=True).fit(FARM, HARVEST)


def slopes_of(model, name):
    return model.rules_[f"coef {name}"].to_numpy()


def test_a_refit_to_the_same_rows_changes_nothing(model):
    again = model.refit(X, y)
    assert_allclose(again.predict(X), model.predict(X), atol=1e-6)
    assert_array_equal(again.rules_.filter(like="if "), model.rules_.filter(like="if "))


def test_a_refit_of_a_curve_to_the_same_rows_changes_nothing(bent):
    # The numbers of categories come from these rows, so that their slope gets a little larger.
    numbers = FARM.drop(columns="soil")
    model = FuzzyRuleRegressor(random_state=0).fit(numbers, HARVEST)
    assert model.rule_base_.n_curves == 2
    assert_allclose(model.refit(numbers, HARVEST).predict(numbers), model.predict(numbers), atol=1e-6)


def least_squares(rules, table, target, fixed, ties=(), locality=0.0, weight=None):
    """Solve for intercepts and slopes by a dense solve of the KKT equations, in other coordinates than the package."""
    values = rules.inputs_of(table)
    weights, _ = rules.activations(table)
    rows = np.column_stack([np.ones(len(values)), (values - values.mean(axis=0)) / values.std(axis=0)])
    m, q = weights.shape[1], rows.shape[1]
    counted = np.ones(len(values)) if weight is None else weight
    joint = (weights[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    blocks, targets = [np.sqrt((1 - locality) * counted)[:, None] * joint], [np.sqrt((1 - locality) * counted) * target]
    for k in range(m):
        own = np.zeros((len(rows), m, q))
        own[:, k] = rows * np.sqrt(locality * counted * weights[:, k])[:, None]
        blocks.append(own.reshape(len(rows), -1))
        targets.append(np.sqrt(locality * counted * weights[:, k]) * target)
    design, wanted = np.vstack(blocks), np.concatenate(targets)
    # One equation for each slope that is zero or fixed, and for each pair that is tied.
    equations, right = [], []
    for k, j, value in fixed:
        row = np.zeros((m, q))
        row[k, 1 + j] = 1.0
        equations.append(row.ravel())
        right.append(value * values[:, j].std())
    equations += [tie(m, q, values) for tie in ties]
    right += [0.0] * len(ties)
    equations = np.array(equations)
    n = len(equations)
    system = np.block([[design.T @ design, equations.T], [equations, np.zeros((n, n))]])
    found = np.linalg.lstsq(system, np.concatenate([design.T @ wanted, right]), rcond=1e-12)[0][: m * q].reshape(m, q)
    slopes = found[:, 1:] / values.std(axis=0)
    return np.column_stack([found[:, 0] - slopes @ values.mean(axis=0), slopes])


def same_slope(j, k, other):
    def tie(m, q, values):
        row = np.zeros((m, q))
        row[k, 1 + j], row[other, 1 + j] = 1.0, -1.0
        return row.ravel()

    return tie


def no_jump(j, place, k, other):
    def tie(m, q, values):
        row = np.zeros((m, q))
        at = (place - values[:, j].mean()) / values[:, j].std()
        row[k, [0, 1 + j]], row[other, [0, 1 + j]] = (1.0, at), (-1.0, -at)
        return row.ravel()

    return tie


@pytest.mark.parametrize("locality", [0.0, 0.4, 1.0])
def test_other_terms_are_the_least_squares_optimum_given_the_edits(plain, locality):
    assert plain.n_rules_ > 1
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    model._locality, model.regularization_ = locality, 0.0
    weight = np.linspace(0.5, 2.0, len(y))
    last = model.n_rules_
    # A split that moves frees no level, but the intercepts of this reference are free: drop what ties them.
    edits = [FixSlope(WARM, 0.5, rule=last), DropTerm("wind_speed")]
    edited = model.edited(edits, X, y, weight)
    rules, j = edited.rule_base_, list(X.columns)
    found = np.column_stack([rules.consequents.intercepts, rules.slopes])
    assert found[last - 1, 1 + j.index(WARM)] == 0.5
    assert not found[:, 1 + j.index("wind_speed")].any()
    fixed = [(k, c, 0.0) for k, c in zip(*np.nonzero(rules.slopes == 0.0), strict=True)]
    fixed.append((last - 1, j.index(WARM), 0.5))
    ties = [
        same_slope(c, k, other)
        for c in range(len(j))
        for k in range(last)
        for other in range(k)
        if rules.slopes[k, c] == rules.slopes[other, c] != 0.0
    ]
    split = rules.variables[j.index("day_of_year")].partition.split_points
    before = model.rule_base_
    for k, other in ((1, 0),):
        # These two rules of the model differ in the day alone, and join there without a jump; the edit leaves that.
        lines = np.column_stack([before.consequents.intercepts, before.slopes])
        gap = (lines[k] - lines[other])[[0, 1 + j.index("day_of_year")]] @ [1.0, *split]
        assert abs(gap) < 1e-9
        ties.append(no_jump(j.index("day_of_year"), split[0], k, other))
    expected = least_squares(before, X, y, fixed, ties, locality, weight)
    assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_the_ridge_is_that_of_the_fit():
    rng = np.random.default_rng(0)
    table = rng.normal(5.0, 2.0, (60, 2))
    target = table @ [1.0, -2.0] + 0.1 * rng.normal(size=60)
    model = FuzzyRuleRegressor(regularization=30.0, max_rules=1, max_curves=0, random_state=0).fit(table, target)
    scaled = (table - table.mean(axis=0)) / table.std(axis=0)
    gram = scaled.T @ scaled / 60 + 0.5 * np.eye(2)
    slopes = np.linalg.solve(gram, scaled.T @ (target - target.mean()) / 60) / table.std(axis=0)
    assert_allclose(model.refit(table, target).rule_base_.slopes[0], slopes)


def test_a_fixed_slope_is_the_slope_and_stays_so(model):
    value = 0.1 + 0.2
    edited = model.edited(FixSlope(WARM, value, rule=2), X, y)
    assert slopes_of(edited, WARM)[1] == value
    assert slopes_of(edited, WARM)[0] != value
    for later in (edited.refit(X[::2], y[::2]), edited.updated(X[:50], y[:50]), edited.edited(DropTerm("wind_speed"))):
        assert slopes_of(later, WARM)[1] == value
    everywhere = model.edited(FixSlope("humidity", value), X, y)
    assert_array_equal(slopes_of(everywhere, "humidity"), value)


def test_a_later_edit_of_the_same_slope_counts(model):
    edited = model.edited([FixSlope(WARM, 0.5, rule=2), FixSlope(WARM, 0.25, rule=2)], X, y)
    assert slopes_of(edited, WARM)[1] == 0.25
    assert slopes_of(edited.edited(DropTerm(WARM, rule=2), X, y), WARM)[1] == 0.0


def test_a_fixed_level_holds_at_its_place(model):
    place = {WARM: 10.0, "min_temperature_before": 0.0, "pressure": 1000.0, "wind_speed": 10.0, "day_of_year": 50.0}
    for edited in (model.edited(FixLevel(1, 7.5, at=place), X, y), model.edited(FixLevel(1, 7.5, at=place))):
        edited = edited.edited(FixSlope(WARM, 0.5, rule=1)).refit(X[::2], y[::2])
        row = pd.DataFrame([{**dict.fromkeys(X.columns, 0.0), **place}])
        assert_allclose(edited.rule_base_.rule_outputs(row)[0, 0], 7.5)
    # Without a place the level is that at the mean of the rule's rows.
    edited = model.edited(FixLevel(3, 18.25), X, y)
    assert_allclose(edited.rule_base_.rule_outputs(edited.rule_base_.training.centres)[2, 2], 18.25, rtol=1e-3)


def test_a_split_point_moves_and_rules_still_join_there(model):
    day = list(X.columns).index("day_of_year")
    for edited in (
        model.edited(MoveSplit("day_of_year", 211, 200.0), X, y),
        model.edited(MoveSplit("day_of_year", 211, 200)),
    ):
        assert edited.rule_base_.variables[day].partition.split_points == (200.0,)
    edited = model.edited(MoveSplit("day_of_year", 211, 200.0), X, y)
    rules = edited.rule_base_
    lines = np.column_stack([rules.consequents.intercepts, rules.slopes])
    assert_allclose((lines[1] - lines[0])[[0, 1 + day]] @ [1.0, 200.0], 0.0, atol=1e-9)


def test_amounts_of_categories_are_exact_and_others_are_fitted(bent):
    edited = bent.edited(FixAmount("soil", "peat", -1.0), FARM, HARVEST)
    assert_allclose(edited.rules_["coef soil=peat"], -1.0, rtol=1e-14)
    again = edited.refit(FARM[::2], HARVEST[::2])
    assert_allclose(again.rules_["coef soil=peat"], -1.0, rtol=1e-14)
    assert again.rules_["coef soil=clay"].iloc[0] != edited.rules_["coef soil=clay"].iloc[0]
    row = FARM.head(1)
    gaps = edited.predict(row.assign(soil="peat")) - edited.predict(row.assign(soil="sand"))
    assert_allclose(gaps, -1.0 - edited.rules_["coef soil=sand"].iloc[0])


def gap(model, one, other):
    row = FARM.head(1)
    return float((model.predict(row.assign(soil=one)) - model.predict(row.assign(soil=other)))[0])


def test_amounts_may_be_compared_with_other_categories(bent):
    edits = [FixAmount("soil", "peat", -1.0, against="clay"), FixAmount("soil", "sand", 0.5, against="peat")]
    for edited in (bent.edited(edits), bent.edited(edits, FARM, HARVEST), bent.edited(edits[::-1], FARM, HARVEST)):
        assert gap(edited, "peat", "clay") == pytest.approx(-1.0)
        assert gap(edited, "sand", "peat") == pytest.approx(0.5)
    # The other numbers are the optimum: the means of the errors of both groups of soils that may move are zero.
    free = bent.edited(edits, FARM, HARVEST)
    free = FuzzyRuleRegressor(regularization=0.0, random_state=0).fit(FARM, HARVEST).edited(edits, FARM, HARVEST)
    errors = pd.Series(HARVEST - free.predict(FARM)).groupby(FARM["soil"] == "loam").mean()
    assert_allclose(errors, 0.0, atol=1e-9)
    again = free.edited(FixAmount("soil", "clay", 1.0, against="peat"), FARM, HARVEST)
    assert gap(again, "clay", "peat") == pytest.approx(1.0)
    everything = [FixAmount("soil", soil, 0.5 * k) for k, soil in enumerate(["clay", "loam", "peat", "sand"])]
    assert gap(bent.edited(everything, FARM, HARVEST), "sand", "clay") == pytest.approx(1.5)
    with pytest.raises(ValueError, match="no category 'mud'; it has clay, loam, peat, sand"):
        bent.edited(FixAmount("soil", "mud", 1.0))


def test_a_curve_is_flat_outside_a_range(bent):
    grid = np.array([-100.0, 20.0, 60.0, 300.0, 400.0, 500.0, 900.0])
    for edited in (bent.edited(SetFlat("rain", 60.0, 300), FARM, HARVEST), bent.edited(SetFlat("rain", 60.0, 300))):
        for later in (edited, edited.refit(FARM[::2], HARVEST[::2])):
            heights = later.rule_base_.curve_of(0).values(grid)
            assert_allclose(heights[[0, 1]], heights[2], rtol=1e-12)
            assert_allclose(heights[[4, 5, 6]], heights[3], rtol=1e-12)
            assert heights[3] > heights[2]


def test_a_slope_of_all_rules_becomes_a_curve_that_is_flat_outside(model):
    edited = model.edited(SetFlat("min_temperature_before", above=10), X, y)
    assert edited.curves_["input"].unique().tolist() == ["min_temperature_before"]
    heights = edited.rule_base_.curves[0].values([5.0, 10.0, 20.0])
    assert heights[0] != heights[1] == heights[2]
    assert not slopes_of(edited, "min_temperature_before").any()
    left = model.edited(SetFlat("min_temperature_before", above=50.0 - 30.0))
    inside = X[X["min_temperature_before"] < 20]
    assert_allclose(left.predict(inside), model.predict(inside))


def test_a_dropped_curve_is_gone_and_the_slope_can_be_fixed_instead(bent):
    assert not bent.edited(DropTerm("rain"), FARM, HARVEST).rule_base_.uses[0]
    line = bent.edited(FixSlope("rain", 0.01), FARM, HARVEST).rule_base_
    assert line.curve_of(0) is None
    assert line.slopes[0, 0] == 0.01


def test_without_rows_everything_else_stays(model):
    edited = model.edited(FixSlope(WARM, 0.5, rule=2))
    change = np.abs(edited.rule_base_.slopes - model.rule_base_.slopes)
    assert (change != 0.0).sum() == 1
    assert_array_equal(edited.rule_base_.consequents.intercepts, model.rule_base_.consequents.intercepts)
    shown = edited.explain(X[:5])
    assert_allclose(shown.base + shown.contributions.sum(axis=1), edited.predict(X[:5]))


def test_errors_of_another_model_are_not_shown(model):
    edited = model.edited(FixSlope(WARM, 0.5, rule=2))
    background = edited.rule_base_.background
    assert np.isnan([background.rmse, background.cv_rmse]).all()
    assert edited.truth_ is None
    with pytest.raises(ValueError, match="no held-out errors"):
        edited.predict_interval(X)
    again = edited.refit(X, y)
    errors = y - again.predict(X)
    assert_allclose(again.rule_base_.background.rmse, np.sqrt(np.mean(errors**2)))
    assert again.truth_.held_out
    lower, upper, _ = again.predict_interval(X, 0.9)
    assert 0.85 < np.mean((lower <= y) & (y <= upper)) < 0.97
    assert again.rule_base_.background.error > again.rule_base_.background.rmse


def test_a_new_label_keeps_the_errors(model):
    renamed = model.edited(RenameLabel("day_of_year", "low", "early"), by="Ann")
    assert renamed.rules_["if day_of_year"].iloc[0] == "early"
    assert renamed.truth_ == model.truth_
    assert str(renamed.changes_[0]).endswith("Ann: the label 'low' of 'day_of_year' renamed to 'early'")


def test_updates_with_parts_equal_a_refit_to_all_rows(model):
    weight = np.linspace(0.5, 3.0, len(y))
    first = FuzzyRuleRegressor(random_state=0, keep_sums=True).fit(X[:300], y[:300], weight[:300])
    part = first.updated(X[300:500], y[300:500], weight[300:500]).updated(X[500:], y[500:], weight[500:])
    assert_allclose(part.predict(X), first.refit(X, y, weight).predict(X), atol=1e-9)
    training = part.rule_base_.training
    assert training.n_rows == len(y)
    assert_allclose(training.rmse, np.sqrt(np.average((y - part.predict(X)) ** 2, weights=weight)))
    assert_allclose([training.low, training.high], [X.min(), X.max()])
    assert_allclose(training.target_mean, np.average(y, weights=weight))
    assert part.rule_base_.intervals is not None


def test_updates_keep_edits(bent):
    edits = [FixAmount("soil", "peat", -1.0), SetFlat("rain", above=320), FixSlope("warmth", 0.1)]
    half = bent.edited(edits, FARM[:200], HARVEST[:200])
    part = half.updated(FARM[200:], HARVEST[200:])
    whole = bent.edited(edits, FARM, HARVEST)
    assert_allclose(part.predict(FARM), half.refit(FARM, HARVEST).predict(FARM), atol=1e-9)
    assert_allclose(part.rules_["coef soil=peat"], -1.0)
    assert_allclose(part.predict(FARM), whole.predict(FARM), atol=1e-9)


def test_an_update_finds_out_that_the_structure_no_longer_holds(bent):
    table, target = farm(800)
    same = bent.updated(table[400:], target[400:])
    assert same.update_.holds
    assert "still holds" in str(same.update_)
    # From now on rain helps up to 450 instead of 300.
    more = target + 0.03 * np.clip(table["rain"] - 300.0, 0.0, 150.0)
    other = bent.updated(table[400:], more[400:])
    assert not other.update_.holds
    moved = other.update_.splits
    assert moved["input"].tolist() == ["rain"]
    assert moved["better at"].iloc[0] == pytest.approx(450, abs=50)


def test_sums_are_dropped_by_an_edit_that_they_do_not_fit(model):
    assert model.edited(FixSlope(WARM, 0.5)).updated(X[:50], y[:50]).changes_[-1].fit == "update"
    with pytest.raises(ValueError, match="keeps no sums over its rows"):
        model.edited(MoveSplit("day_of_year", 211, 200)).updated(X[:50], y[:50])


@pytest.mark.parametrize("link", ["identity", "log"])
def test_links_gaps_weights_and_dates_work(link, tmp_path):
    rng = np.random.default_rng(1)
    table, target = farm(300)
    table["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, 300), unit="D")
    table.loc[::7, "rain"] = np.nan
    target = np.exp(target / 5.0) + 0.01 * np.arange(300)
    model = FuzzyRuleRegressor(random_state=0, link=link, keep_sums=True).fit(table[:200], target[:200])
    edited = model.edited(DropTerm("soil"), table, target)
    assert (edited.predict(table) != model.predict(table)).any()
    assert_allclose(
        model.updated(table[200:], target[200:]).predict(table), model.refit(table, target).predict(table), rtol=1e-8
    )
    edited.save(tmp_path / "m.json")
    assert_array_equal(load_model(tmp_path / "m.json").predict(table), edited.predict(table))


@pytest.mark.parametrize("name", ["fruler", "l-metsk", "a-metsk"])
def test_models_of_other_algorithms_are_refitted_as_the_growth_searches(name):
    model = make_quick_estimator(name, 100).fit(X, y)
    again = model.refit(X, y)
    assert np.mean((again.predict(X) - y) ** 2) <= np.mean((model.predict(X) - y) ** 2) * 1.05


def test_directions_are_kept():
    model = FuzzyRuleRegressor(random_state=0, monotonic_constraints={"rain": 1}).fit(FARM, HARVEST)
    # Here yields fall with rain.
    again = model.refit(FARM, -HARVEST)
    grid = np.linspace(-90.0, 900.0, 200)
    values = again.predict(pd.DataFrame({"rain": grid, "warmth": 10.0, "soil": "clay"}))
    assert (np.diff(values) >= -1e-12).all()
    with pytest.raises(ValueError, match="against its direction"):
        model.edited(FixSlope("rain", -1.0))


def test_edits_survive_files_and_exports(model, bent, tmp_path):
    edits = [FixSlope(WARM, 0.5, rule=2), DropTerm("wind_speed"), MoveSplit("day_of_year", 211, 200), FixLevel(1, 0.5)]
    edited = model.edited(edits, X, y, by="Ann")
    edited.save(tmp_path / "m.json")
    read = load_model(tmp_path / "m.json")
    assert read.changes_ == edited.changes_
    assert_array_equal(read.predict(X), edited.predict(X))
    # A model from a file can be refitted and updated as well, with the same result.
    assert_array_equal(read.refit(X[:400], y[:400]).predict(X), edited.refit(X[:400], y[:400]).predict(X))
    assert_array_equal(read.updated(X[:99], y[:99]).predict(X), edited.updated(X[:99], y[:99]).predict(X))
    assert slopes_of(read.refit(X[:400], y[:400]), WARM)[1] == 0.5
    exported = export_model(read.rule_base_, "python")
    [[answers, names, _]] = run_python([exported], [X[:20].to_numpy().tolist()])
    assert names == list(X.columns)
    assert_allclose(answers, edited.predict(X[:20]), rtol=1e-12)


def test_the_report_lists_the_changes(model):
    page = model.edited(DropTerm("wind_speed"), X, y, by="Ann & Co").report(X, y)
    assert "dropped from all rules" in page
    assert "Ann &amp; Co" in page


def test_an_edited_model_is_not_mixed_up_with_models_of_other_sizes(model):
    with pytest.raises(ValueError, match="before it was edited"):
        model.edited(DropTerm("wind_speed"), X, y).with_rules(1)
    with pytest.raises(ValueError, match="keeps no sums"):
        model.with_rules(1).updated(X, y)
    # A new fit begins anew.
    again = model.edited(DropTerm("wind_speed"), X, y)
    assert again.fit(X[:200], y[:200]).changes_ == ()


def test_rules_written_by_hand_can_be_edited_and_refitted():
    from fruler._model_file.file import Model
    from fruler.estimators._saved_model import regressor_of

    x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0)))
    hand = regressor_of(Model(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]])))
    edited = hand.edited(MoveSplit("x", 5, 4)).edited(FixSlope("x", 3.0, rule=1))
    assert edited.rules_["coef x"].tolist() == [3.0, 0.0]
    rows = pd.DataFrame({"x": np.linspace(0.0, 10.0, 50)})
    assert edited.refit(rows, 3.0 * rows["x"]).rules_["coef x"].tolist() == [3.0, 0.0]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (DropTerm("wind"), "There is no input 'wind'"),
        (DropTerm("dew_point"), "No rule has a slope of 'dew_point', and it has no curve"),
        (DropTerm("humidity", rule=1), "Rule 1 has no slope of 'humidity'"),
        (DropTerm("humidity", rule=9), "There is no rule 9; the model has 4 rules"),
        (FixLevel(9, 1.0), "There is no rule 9"),
        (FixLevel(1, 1.0, at={"wind": 1.0}), "There is no input 'wind'"),
        (FixAmount("humidity", "wet", 1.0), "'humidity' has no categories with amounts"),
        (MoveSplit("humidity", 50, 60), "'humidity' has no split points that can move"),
        (MoveSplit("day_of_year", 100, 60), "no split point near 100; it has 211"),
        (MoveSplit("day_of_year", 211, 400), "can only move between 1 and 365; got 400"),
        (MoveSplit("day_of_year", "spring", 400), "spring"),
        (SetFlat("humidity", above=60), "Rules differ in the slope of 'humidity'"),
        (SetFlat("min_temperature_before", above=60), "must increase, from"),
        (RenameLabel("day_of_year", "early", "late"), "There is no label 'early'"),
        (RenameLabel("day_of_year", "low", "high"), "distinct|twice|different"),
        ("drop wind", "edits must be edits of fruler.rules.edits"),
    ],
)
def test_an_edit_that_cannot_be_made_is_refused_in_one_sentence(model, edit, message):
    with pytest.raises(ValueError, match=message) as caught:
        model.edited([edit])
    assert "\n" not in str(caught.value)


def test_rows_that_cannot_be_fitted_are_refused_in_one_sentence(model):
    with pytest.raises(ValueError, match="at least one edit"):
        model.edited([], X, y)
    with pytest.raises(ValueError, match="Both X and y"):
        model.edited(DropTerm("wind_speed"), X)
    with pytest.raises(ValueError, match="must not be negative"):
        model.refit(X, y, -np.ones(len(y)))
    with pytest.raises(ValueError, match="needs targets above 0"):
        FuzzyRuleRegressor(link="log").fit(X[:50], y[:50] + 40).refit(X, y - 100)
    labels = make_quick_estimator("fs-mogfs", 50)
    if labels.fit(X[::4], y[::4]).rule_base_.target is not None:
        with pytest.raises(ValueError, match="are labels, which have no terms"):
            labels.refit(X, y)


def test_errors_are_measured_in_the_folds_that_are_asked_for():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 15)
    table = pd.DataFrame({"x": rng.normal(size=300), "group": rng.normal(size=20)[groups]})
    target = table["x"] + 3.0 * rng.normal(size=20)[groups] + 0.1 * rng.normal(size=300)
    model = FuzzyRuleRegressor(random_state=0, max_rules=1).fit(table, target, groups=groups)
    rows, whole = model.refit(table, target), model.refit(table, target, groups=groups)
    assert rows.rule_base_.background.error < whole.rule_base_.background.error
    assert whole.rule_base_.background.held_out == "held-out groups"
    forward = FuzzyRuleRegressor(random_state=0, max_rules=1, cv=TimeSeriesSplit(3)).fit(table, target)
    assert forward.refit(table, target).rule_base_.background.held_out == "later rows"
    assert np.isnan(model.refit(table[:5], target[:5]).rule_base_.background.cv_rmse)


@pytest.mark.parametrize(
    ("loss", "settings"), [("poisson", {}), ("quantile", {"quantile": 0.8}), ("huber", {}), ("gamma", {})]
)
def test_a_refit_minimises_the_loss_of_the_fit(loss, settings):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.uniform(0.0, 2.0, 400), "z": rng.uniform(0.0, 1.0, 400)})
    target = rng.poisson(np.exp(0.5 + table["x"])) + (0.0 if loss == "poisson" else 1.0)
    model = FuzzyRuleRegressor(random_state=0, loss=loss, max_rules=1, max_curves=0, **settings).fit(table, target)
    again = model.refit(table, target)
    assert_allclose(again.predict(table), model.predict(table), rtol=0.05)
    edited = model.edited(FixSlope("x", 0.75), table, target)
    rules = edited.rule_base_
    assert rules.slopes[0, 0] == 0.75
    # With the ridge of some rows, the level is nearly the best for the loss.
    function, wanted = rules.output.loss, rules.output.learned(target)
    raw = rules.raw_predictions(table)
    values = [function.value(wanted, raw + change).mean() for change in (-0.1, -0.02, 0.0, 0.02, 0.1)]
    assert min(values[1:4]) == min(values)
    assert values[2] <= min(values) * 1.01
    with pytest.raises(ValueError, match="keep_sums has no sums to keep"):
        FuzzyRuleRegressor(loss=loss, keep_sums=True, **settings).fit(table, target)
