import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import gaussian_kde, norm
from sklearn.datasets import load_diabetes

from fruler import ClassConditionalSelector, Reading
from fruler._algorithms.fruler.instance_selection import select_instances
from fruler._kernels import nearest
from fruler.selectors._selector import output_classes


def leave_one_out_error(X, y, selected):
    total = np.square(X[:, None, :] - X[None, :, :]).sum(axis=2)
    np.fill_diagonal(total, np.inf)
    return np.square(y - y[np.asarray(selected)[total[:, selected].argmin(axis=1)]]).mean()


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def clustered():
    """Three well separated groups of outputs, each in a part of the input space."""
    rng = np.random.default_rng(3)
    centres = np.repeat([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], 80, axis=0)
    X = centres + rng.normal(size=centres.shape)
    y = np.repeat([0.0, 10.0, 20.0], 80) + 0.3 * rng.normal(size=240)
    return X, y


@pytest.mark.parametrize("seed", range(5))
def test_class_borders_are_the_minima_of_the_density(seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([rng.normal(centre, 1.0, rng.integers(50, 300)) for centre in (0.0, 6.0, 15.0)])
    classes, borders = output_classes(y)
    grid = np.linspace(y.min(), y.max(), 20_001)
    density = gaussian_kde(y, "scott")(grid)
    inner = density[1:-1]
    expected = grid[1:-1][(inner < density[:-2]) & (inner < density[2:])]
    grid_step = y.std() * len(y) ** -0.2 / 32
    np.testing.assert_allclose(borders, expected, atol=grid_step)
    np.testing.assert_array_equal(classes, np.searchsorted(borders, y))


def test_a_gap_in_the_outputs_is_cut_in_its_middle():
    y = np.concatenate([np.linspace(0, 1, 200), np.linspace(99, 100, 200)])
    _, borders = output_classes(y)
    np.testing.assert_allclose(borders, [50.0], atol=0.5)


def test_one_heap_of_outputs_is_one_class():
    classes, borders = output_classes(norm.ppf((np.arange(500) + 0.5) / 500))
    assert len(borders) == 0
    assert not classes.any()


@pytest.mark.parametrize("unit", [1.0, 3.7, 0.1])
def test_evenly_spread_outputs_are_one_class(unit):
    # Their density is level but for rounding, whose ripples must not count.
    for y in (np.tile(np.arange(100.0), 100), np.repeat(np.arange(365.0), 20), np.linspace(0, 1, 10_000)):
        _, borders = output_classes(y * unit)
        assert len(borders) == 0


def test_no_class_is_empty():
    y = np.concatenate([np.random.default_rng(0).exponential(size=300), [50.0, 200.0, 1000.0]])
    classes, borders = output_classes(y)
    assert set(classes) == set(range(len(borders) + 1))
    assert (np.diff(borders) > 0).all()


def test_reported_errors_are_those_of_the_selected_rows(diabetes, clustered):
    for X, y in (diabetes, clustered):
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        for tolerance in (None, 0.1, 1e9):
            selection = select_instances(X, y, reading=Reading(thin_out_tolerance=tolerance))
            assert selection.error_all == pytest.approx(leave_one_out_error(X, y, np.arange(len(y))))
            assert selection.error_selected == pytest.approx(leave_one_out_error(X, y, selection.indices), rel=1e-6)


def test_selection_keeps_few_rows_that_stand_for_all(diabetes):
    selector = ClassConditionalSelector().fit(*diabetes)
    assert 0.6 < selector.reduction_ < 0.95
    assert selector.error_selected_ < 1.2 * selector.error_all_


def test_thin_out_drops_rows_only_within_its_tolerance(clustered):
    X, y = clustered
    plain = ClassConditionalSelector(thin_out_tolerance=None).fit(X, y)
    assert not plain.thinned_
    anything = ClassConditionalSelector(thin_out_tolerance=1e9).fit(X, y)
    assert anything.thinned_
    assert set(anything.sample_indices_) < set(plain.sample_indices_)
    strict = ClassConditionalSelector(thin_out_tolerance=0.0).fit(X, y)
    assert strict.error_selected_ <= plain.error_selected_ * (1 + 1e-12)


def test_thin_out_leaves_as_many_rows_as_a_linear_rule_has_coefficients(clustered):
    X, y = clustered
    thinned = ClassConditionalSelector(thin_out_tolerance=1e9).fit(X, y).sample_indices_
    for n_inputs, accepted in ((len(thinned) - 1, True), (len(thinned), False)):
        # Constant inputs change no distance.
        wider = np.column_stack([X, np.zeros((len(y), n_inputs - X.shape[1]))])
        selector = ClassConditionalSelector(thin_out_tolerance=1e9).fit(wider, y)
        assert selector.thinned_ == accepted
        assert np.array_equal(selector.sample_indices_, thinned) == accepted


def test_comparing_with_the_best_set_keeps_no_more_rows(diabetes):
    previous, best = (ClassConditionalSelector(improvement=how).fit(*diabetes) for how in ("previous", "best"))
    assert len(best.sample_indices_) <= len(previous.sample_indices_)


@pytest.mark.parametrize("unit", [1.0, 1e-3, 50.0])
def test_the_first_core_is_an_error_over_the_range(clustered, monkeypatch, unit):
    """In units of the standard deviation: its own unit would decide on a squared error."""
    cores = {}
    grow = nearest.grow_selection

    def spy(columns, y, order, n_core, *others):
        cores[core_error] = n_core
        return grow(columns, y, order, n_core, *others)

    monkeypatch.setattr(nearest, "grow_selection", spy)
    X, y = clustered
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for core_error in ("mse", "rmse"):
        select_instances(X, y * unit, core_error=core_error)
    error, spread = leave_one_out_error(X, y, np.arange(len(y))), np.ptp(y)
    assert cores == {
        "mse": np.ceil(len(y) * error / y.std() / spread),
        "rmse": np.ceil(len(y) * np.sqrt(error) / spread),
    }
    assert 3 < cores["mse"] < cores["rmse"] - 10


@pytest.mark.parametrize("core_error", ["mse", "rmse"])
def test_units_do_not_matter(diabetes, core_error):
    X, y = diabetes
    plain = ClassConditionalSelector(core_error=core_error).fit(X, y)
    other = ClassConditionalSelector(core_error=core_error).fit(X * np.logspace(-9, 12, X.shape[1]) + 5.0, y * 3.7e12)
    np.testing.assert_array_equal(plain.sample_indices_, other.sample_indices_)
    assert other.error_selected_ == pytest.approx(plain.error_selected_ * 3.7e12**2)
    np.testing.assert_allclose(other.class_borders_, plain.class_borders_ * 3.7e12)


@pytest.mark.slow
def test_duplicates_and_seasons_take_no_longer_than_other_data():
    """Counted in rows a second these would be a hundred times slower if ties or pivots were handled naively."""
    rng = np.random.default_rng(0)
    season = np.minimum(np.arange(60_000), np.arange(60_000)[::-1]).astype(float)
    for X in (np.ones((60_000, 3)), rng.integers(0, 2, (60_000, 3)), np.column_stack([season, season**2])):
        selector = ClassConditionalSelector().fit(X, rng.normal(size=60_000))
        assert 2 <= len(selector.sample_indices_) < 60_000


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("selector", ["fruler.ClassConditionalSelector", "fruler.selectors.CCISSelector"])
def test_a_long_selection_can_be_interrupted(selector):
    code = (
        "import signal\n"
        "import numpy as np\n"
        "import fruler.selectors\n"
        "rng = np.random.default_rng(0)\n"
        "X, y = rng.normal(size=(200_000, 40)), rng.normal(size=200_000)\n"
        "signal.signal(signal.SIGVTALRM, signal.default_int_handler)\n"
        # Seconds of its own work, however busy the machine is: the selection is well under way then.
        "signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)\n"
        f"{selector}().fit(X, y)\n"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, check=False)
    assert b"KeyboardInterrupt" in process.stderr


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"core_error": "mae"}, "core_error"),
        ({"improvement": "latest"}, "improvement"),
        ({"thin_out_tolerance": -0.1}, "thin_out_tolerance"),
    ],
)
def test_bad_parameters_are_refused(diabetes, parameters, message):
    with pytest.raises(ValueError, match=message):
        ClassConditionalSelector(**parameters).fit(*diabetes)
