"""Every field of a reading does what it says, and is kept wherever parameters are kept."""

import json
import math
import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from helpers.tasks import make_task
from sklearn.base import clone

from fruler import ClassConditionalSelector, FRULERRegressor, Reading, load_model
from fruler._algorithms.fruler.chromosome import make_chromosome
from fruler._algorithms.fruler.discretization import nested_splits
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.evolution import Evolution
from fruler._algorithms.fruler.fitness import FitnessEvaluator
from fruler._algorithms.fruler.instance_selection import select_instances
from fruler._algorithms.fruler.operators import cross_displacements, initial_population
from fruler._algorithms.fruler.options import FRULEROptions
from fruler._algorithms.fruler.reading import READINGS
from fruler._algorithms.fruler.regularization import choose_regularization
from fruler._algorithms.genetic import Workers
from fruler._kernels import nearest
from fruler.data import make_friedman
from fruler.selectors._selector import output_classes, subset_degrees

TASK = make_task()
DATA = make_friedman(300, random_state=0)
X, y = DATA.data, DATA.target
CALIBRATED, PRINTED = READINGS["calibrated"], READINGS["printed"]


def quick(**changes):
    return FRULERRegressor(**{"max_evaluations": 300, "random_state": 0} | changes)


def searched(reading, seed=0, **changes):
    """Return a search that has run."""
    options = FRULEROptions(reading=reading, **{"population_size": 20, "n_local_search": 3} | changes)
    evaluator = FitnessEvaluator(TASK, ElasticNetSettings(1e-3, 0.05), "error", len(TASK.scored))
    search = Evolution(TASK.space, evaluator, options, np.random.default_rng(seed))
    search.run()
    return search


def test_a_reading_is_a_parameter_like_any_other(tmp_path):
    own = Reading(keep_copies=False, thin_out_tolerance=math.inf, max_coefficients=None)
    model = quick(reading=own)
    assert model.get_params()["reading"] is own
    assert clone(model).reading == own == pickle.loads(pickle.dumps(own))
    assert model.set_params(reading="printed").reading == "printed"
    model.set_params(reading=own).fit(X, y).save(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert repr(own) == "Reading(thin_out_tolerance=inf, keep_copies=False, max_coefficients=None)"


def test_a_file_of_another_version_may_have_other_fields(tmp_path):
    quick(reading=Reading(min_gain=1e-4)).fit(X, y).save(tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    written = document["learning"]["settings"]["reading"]
    assert written["min_gain"] == 1e-4
    written["of_the_future"] = 1
    (tmp_path / "m.json").write_text(json.dumps(document), encoding="utf-8")
    assert load_model(tmp_path / "m.json").reading == Reading(min_gain=1e-4)
    written["min_gain"] = "much"
    (tmp_path / "m.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=r"learning\.settings: The 'min_gain' parameter of Reading must be a float"):
        load_model(tmp_path / "m.json")


@pytest.mark.parametrize("reading", ["printed", Reading(thin_out_tolerance=math.inf, count_lambda_search=True)])
def test_a_checkpoint_resumes_only_its_own_reading(tmp_path, reading):
    model = quick(reading=reading, checkpoint=tmp_path, max_evaluations=1_500).fit(X, y)
    again = quick(reading=reading, checkpoint=tmp_path, max_evaluations=1_500).fit(X, y)
    assert again.resumed_ == model.n_evaluations_
    assert again.rule_base_ == model.rule_base_
    with pytest.raises(ValueError, match="reading was"):
        quick(checkpoint=tmp_path, max_evaluations=1_500).fit(X, y)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("core_unit", "raw"),
        ("keep_copies", 1.5),
        ("min_samples", 1),
        ("min_gain", -0.1),
        ("first_rate", 0.0),
        ("fall", math.inf),
        ("threshold_per_input", "24"),
        ("lambda_patience", 0.5),
        ("max_epochs", 2**31),
    ],
)
def test_impossible_values_are_refused(field, value):
    with pytest.raises(ValueError, match=f"The '{field}' parameter of Reading must be"):
        Reading(**{field: value})


def test_a_reading_that_is_not_one_is_refused():
    with pytest.raises(ValueError, match="'reading' parameter of FRULERRegressor must be"):
        quick(reading="free").fit(X, y)


def test_the_calibrated_reading_is_the_default_and_differs_from_print():
    assert FRULERRegressor().reading == "calibrated"
    assert Reading() == CALIBRATED
    named, given = (quick(reading=one).fit(X, y).rule_base_ for one in ("calibrated", Reading()))
    assert named == given
    same = {one.name for one in fields(Reading) if getattr(CALIBRATED, one.name) == getattr(PRINTED, one.name)}
    # Printed, or nowhere in the paper.
    assert same >= {"min_samples", "first_split_free", "fall", "fall_without_new", "fall_without_better", "first_rate"}


CHANGED = {
    "core_unit": "given",
    "thin_out_tolerance": None,
    "min_samples": 60,
    "first_split_free": False,
    "linear_error": "weighted",
    "bic_error": "summed",
    "keep_copies": False,
    "threshold_per_input": 0.5,
    "fall": 1.0,
    "fall_without_new": 2.0,
    "fall_without_better": 2.0,
    "count_copies": False,
    "max_coefficients": 5,
    "step": "printed",
    "first_rate": 0.01,
    "min_gain": 0.05,
    "max_epochs": 2,
    "l1_interval": 0,
    "lambda_data_bases": "linear",
    "lambda_rows": 20,
    "lambda_gain": 0.9,
}
# What friedman's data do not show is tested by itself.
ALONE = {
    *("isolation", "thin_out_floor", "pcblx", "count_lambda_search", "halve_final_rate", "lambda_patience"),
    "lambda_gain_instead",
}


@pytest.mark.slow
def test_every_field_changes_a_model():
    assert set(CHANGED) | ALONE == {one.name for one in fields(Reading)}
    rng = np.random.default_rng(0)
    inputs = rng.uniform(size=(400, 4))
    # Two heaps of outputs, so that there are classes, and a thin-out.
    target = 99.0 * (5.0 * (inputs[:, 0] > 0.5) + np.sin(9 * inputs[:, 1]) + inputs[:, 2] + 0.2 * rng.normal(size=400))
    settings = {"population_size": 20, "max_evaluations": 4_000}
    plain = quick(**settings).fit(inputs, target)
    for field, value in CHANGED.items():
        other = quick(**settings, reading=Reading(**{field: value})).fit(inputs, target)
        same_search = other.n_evaluations_ == plain.n_evaluations_
        assert not (same_search and other.pareto_.equals(plain.pareto_)), field


def test_the_first_core_may_be_that_of_the_given_unit(monkeypatch):
    cores, grow = [], nearest.grow_selection

    def spy(columns, y, order, n_core, *others):
        cores.append(n_core)
        return grow(columns, y, order, n_core, *others)

    monkeypatch.setattr(nearest, "grow_selection", spy)
    inputs, target = np.ascontiguousarray(X), ((y - y.mean()) / y.std()).to_numpy()
    for unit in (0.1, 1.0, 2.0):
        error = select_instances(inputs, target, reading=Reading(core_unit="given"), unit=unit).error_all
        assert cores[-1] == math.ceil(len(target) * error * unit / np.ptp(target))
    # A unit in which the error is as large as the range leaves no row out.
    assert len(select_instances(inputs, target, reading=Reading(core_unit="given"), unit=1e6).indices) == len(target)


@pytest.fixture
def clustered():
    rng = np.random.default_rng(0)
    centres = rng.uniform(-4, 4, (6, 2))
    place = rng.integers(0, 6, 400)
    inputs = centres[place] + 0.3 * rng.normal(size=(400, 2))
    return (inputs - inputs.mean(axis=0)) / inputs.std(axis=0), 10.0 * place + rng.normal(size=400)


def test_a_printed_thin_out_takes_one_layer(clustered):
    inputs, target = clustered
    always = Reading(thin_out_tolerance=math.inf, thin_out_floor=False)
    either, between = (
        select_instances(inputs, target, reading=replace(always, isolation=graph)).indices
        for graph in ("either", "between")
    )
    whole = select_instances(inputs, target, reading=Reading(thin_out_tolerance=None)).indices
    assert set(between) < set(whole)
    assert set(between) <= set(either)
    classes, _ = output_classes(target)
    _, in_between = subset_degrees(inputs, classes, whole)
    assert set(between) == set(whole[in_between > 0])


def test_the_floor_of_the_thin_out_can_be_left_out(clustered):
    inputs, target = clustered
    wide = np.column_stack([inputs, np.zeros((len(target), 300))])
    kept, thinned = (
        select_instances(wide, target, reading=Reading(thin_out_tolerance=math.inf, thin_out_floor=floor))
        for floor in (True, False)
    )
    assert not kept.thinned
    assert thinned.thinned
    assert ClassConditionalSelector().fit(wide, target).thinned_ == kept.thinned


def test_the_printed_criterion_leaves_inputs_whole():
    values = np.linspace(0.0, 1.0, 300)[:, None]
    bent = np.abs(values[:, 0] - 0.5) + 0.05 * np.random.default_rng(0).normal(size=300)
    assert len(nested_splits(values, bent)[0].found) >= 1
    # Two intervals whose errors are half the whole one's each add up to the whole one's.
    straight = values[:, 0] + np.random.default_rng(0).normal(size=300)
    [pooled], [summed] = (
        nested_splits(values, straight, reading=Reading(bic_error=how)) for how in ("pooled", "summed")
    )
    assert summed.criteria[1] > pooled.criteria[1] + 300 * math.log(1.5)


def test_copies_stay_if_a_reading_keeps_them():
    keys = [one.chromosome.key for one in searched(CALIBRATED).population]
    assert len(set(keys)) < len(keys) == 20
    keys = [one.chromosome.key for one in searched(Reading(keep_copies=False)).population]
    assert len(set(keys)) == len(keys)


def test_the_printed_threshold_is_a_quarter_of_the_displacements():
    first = searched(Reading(threshold_per_input=None), max_evaluations=20).history[0].threshold
    assert first == TASK.space.n_inputs * TASK.space.largest.max() / 4
    assert searched(CALIBRATED, max_evaluations=20).history[0].threshold == 26 * TASK.space.n_inputs


def test_the_threshold_falls_as_the_reading_says():
    thresholds = [row.threshold for row in searched(Reading(fall=3.0, fall_without_new=0.0)).history]
    falls = {round(one, 6) for one in -np.diff(thresholds)[:-1] if one > 0}
    assert falls <= {3.0, 3.2} | {round(thresholds[k], 6) for k in range(len(thresholds))}
    assert 3.2 in falls


def test_copies_need_not_count():
    counted, free = searched(CALIBRATED), searched(Reading(count_copies=False))
    # The searches are the same; only the count differs.
    assert [one.best_fitness for one in counted.history] == [one.best_fitness for one in free.history]
    assert len(free.evaluator.known) <= free.evaluator.n_asked < 0.9 * counted.evaluator.n_asked
    limited = searched(Reading(count_copies=False), max_evaluations=333)
    assert limited.evaluator.n_asked == 333


def test_the_search_for_the_regularization_may_count():
    free, counted = (quick(reading=Reading(count_lambda_search=how), max_evaluations=5_000) for how in (False, True))
    free.fit(X, y)
    counted.fit(X, y)
    assert counted.history_["evaluations"].iloc[0] == free.history_["evaluations"].iloc[0] + 200 * X.shape[1]


def test_truncated_pcblx_does_not_pile_up_on_the_limits():
    ends = {}
    for name, limit in (("clipped", np.inf), ("truncated", 0.5)):
        rng = np.random.default_rng(0)
        first = make_chromosome(TASK.space, TASK.space.largest, np.full((5, TASK.space.stride), 0.4))
        second = make_chromosome(TASK.space, TASK.space.largest, np.full((5, TASK.space.stride), -0.4))
        genes = [cross_displacements(TASK.space, first, second, rng, limit)[0].genes for _ in range(50)]
        ends[name] = np.mean(np.abs(genes) > 0.4999)
    assert ends["truncated"] < 0.01 < 0.3 < ends["clipped"]


def test_the_final_rate_is_halved_only_if_a_reading_says_so(monkeypatch):
    def too_fast(trial, settings, *_):
        return replace(settings, regularization=1e-3, rate=5.0), 0

    monkeypatch.setattr("fruler._algorithms.fruler.learner.choose_regularization", too_fast)
    tamed, wild = (quick(max_evaluations=80, reading=Reading(halve_final_rate=how)).fit(X, y) for how in (True, False))
    assert wild.score(X, y) < 0.5 < 0.8 < tamed.score(X, y)


def test_smaller_regularizations_are_tried_as_long_as_the_reading_has_patience(monkeypatch):
    tried = []

    def kernel(task, settings, chromosomes):
        tried.append(settings.regularization)
        return np.array([[1.0 if settings.regularization == 1.0 else 0.9 if settings.regularization < 1e-9 else 2.0]])

    monkeypatch.setattr("fruler._algorithms.fruler.regularization.run_kernel", kernel)

    def chosen(**changes):
        tried.clear()
        reading = Reading(lambda_data_bases="random", **changes)
        settings = ElasticNetSettings(1.0, 0.05, reading=reading)
        options, rng = FRULEROptions(reading=reading), np.random.default_rng(0)
        return choose_regularization(TASK, settings, options, rng, Workers())[0].regularization

    assert chosen() == 1.0
    assert min(tried) == pytest.approx(1e-3)
    assert chosen(lambda_patience=None) == pytest.approx(1e-10)
    assert chosen(lambda_patience=None, lambda_gain=0.2) == 1.0


def test_the_linear_rule_is_one_rule(monkeypatch):
    met = []

    def kernel(task, settings, chromosomes):
        met.extend(chromosomes)
        return np.array([[1.0]])

    monkeypatch.setattr("fruler._algorithms.fruler.regularization.run_kernel", kernel)
    options = FRULEROptions(reading=Reading(lambda_data_bases="linear"))
    settings = ElasticNetSettings(1.0, 0.05, reading=options.choices)
    choose_regularization(TASK, settings, options, np.random.default_rng(0), Workers())
    assert {one.granularities.tobytes() for one in met} == {np.ones(5, dtype=np.intc).tobytes()}
    assert len(initial_population(TASK.space, 10, np.random.default_rng(0))) == 10


def test_the_largest_regularization_needs_a_larger_gain(monkeypatch):
    searched_once = []

    class Watched(Evolution):
        def run(self):
            searched_once.append(True)
            super().run()

    def kernel(task, settings, chromosomes):
        return np.array([[0.95 if searched_once and settings.regularization == 0.1 else 1.0]])

    monkeypatch.setattr("fruler._algorithms.fruler.regularization.Evolution", Watched)
    monkeypatch.setattr("fruler._algorithms.fruler.regularization.run_kernel", kernel)
    for gain, expected in ((0.1, 1.0), (0.01, 0.1)):
        searched_once.clear()
        options = FRULEROptions(reading=Reading(lambda_gain_instead=gain))
        settings = ElasticNetSettings(1.0, 0.05, reading=options.choices)
        chosen, _ = choose_regularization(TASK, settings, options, np.random.default_rng(0), Workers())
        assert chosen.regularization == expected
