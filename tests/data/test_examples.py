import numpy as np
import pandas as pd
import pytest

from fruler.data import example_path, load_example, load_keel, make_friedman, make_mv, make_weather
from fruler.data._examples import mv_function

MAKERS = {"friedman": make_friedman, "mv": make_mv, "weather": make_weather}


@pytest.mark.parametrize("name", MAKERS)
def test_the_file_holds_what_the_generator_makes(name):
    loaded, made = load_example(name), MAKERS[name]()
    # Another machine's sine may differ in the last bit, and then in the last written digit.
    pd.testing.assert_frame_equal(loaded.data, made.data, rtol=0, atol=1.001e-5 if name == "friedman" else 1e-1)
    pd.testing.assert_series_equal(loaded.target, made.target, rtol=0, atol=0.1)
    assert np.mean(loaded.target == made.target) > 0.99
    assert np.mean(loaded.data.to_numpy() == made.data.to_numpy()) > 0.99
    for key in ("feature_names", "target_name", "units", "DESCR"):
        assert loaded[key] == made[key]


def test_the_files_are_small():
    for name in MAKERS:
        assert example_path(name).stat().st_size < 150_000


@pytest.mark.parametrize("make", MAKERS.values())
def test_generators_are_repeatable_and_complete(make):
    a, b, other = make(50, random_state=3), make(50, random_state=3), make(50, random_state=4)
    pd.testing.assert_frame_equal(a.data, b.data)
    pd.testing.assert_series_equal(a.target, b.target)
    assert not a.target.equals(other.target)
    assert sorted(a) == ["DESCR", "data", "feature_names", "target", "target_name", "units"]
    assert a.data.shape == (50, len(a.feature_names))
    assert list(a.data.columns) == a.feature_names
    assert a.target.name == a.target_name
    assert np.isfinite(a.data.to_numpy()).all()
    assert np.isfinite(a.target).all()
    assert len(make(1).data) == 1
    with pytest.raises(ValueError, match="n_samples must be at least 1, got 0"):
        make(0)


def test_changing_the_units_of_one_bunch_leaves_the_next_alone():
    load_example("weather").units.clear()
    assert load_example("weather").units["pressure"] == "hPa"


def test_unknown_example():
    for function in (load_example, example_path):
        with pytest.raises(
            ValueError, match=r"no example 'wether'; did you mean 'weather'\? The names are 'friedman', 'mv'"
        ):
            function("wether")


def test_friedman_is_its_formula_plus_noise():
    assert make_friedman(10).feature_names == ["x1", "x2", "x3", "x4", "x5"]
    clean = make_friedman(500, noise=0, random_state=1)
    x = clean.data.to_numpy().T
    y = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    np.testing.assert_allclose(clean.target, y, atol=1e-5)
    noisy = make_friedman(5000, noise=2, random_state=1)
    clean = make_friedman(5000, noise=0, random_state=1)
    pd.testing.assert_frame_equal(noisy.data, clean.data)
    assert np.std(noisy.target - clean.target) == pytest.approx(2, rel=0.05)
    with pytest.raises(ValueError, match="noise must not be negative"):
        make_friedman(noise=-1)


def test_the_mv_function_agrees_with_the_published_data(keel_folder):
    published = load_keel(keel_folder / "mv", as_frame=True)
    # The published values have six significant digits.
    np.testing.assert_allclose(mv_function(published.data), published.target, atol=2e-4)


def test_mv_is_distributed_like_the_published_data(keel_folder):
    published, made = load_keel(keel_folder / "mv", as_frame=True), make_mv(20_000)
    assert made.feature_names == published.feature_names
    assert made.target_name == published.target_name
    scale = published.data.std()
    assert (abs(made.data.mean() - published.data.mean()) < 0.04 * scale).all()
    assert (abs(made.data.std() / scale - 1) < 0.04).all()
    assert abs(made.target.mean() - published.target.mean()) < 0.04 * published.target.std()
    assert ((made.data["X3"] == 2) <= (made.data["X1"] > 0)).all()
    for colour in (0, 1, 2):
        for side in (True, False):
            shares = [np.mean(data["X3"][(data["X1"] > 0) == side] == colour) for data in (made.data, published.data)]
            assert shares[0] == pytest.approx(shares[1], abs=0.02)


def test_mv_at_zero_is_finite():
    zero = pd.DataFrame({"X1": [0.0], "X4": [0.0], "X6": [0.0], "X7": [1], "X8": [0]})
    assert mv_function(zero).tolist() == [0.0]


def test_weather_is_believable():
    weather = make_weather()
    data, target = weather.data, weather.target
    assert len(data) == 730
    assert set(weather.units) == {*weather.feature_names, weather.target_name}
    assert data["humidity"].between(18, 100).all()
    assert data["visibility"].between(0.2, 20).all()
    assert data["pressure"].between(970, 1060).all()
    assert data["wind_speed"].between(0, 80).all()
    assert (data["dew_point"] <= data["min_temperature_before"]).all()
    assert (data["min_temperature_before"] < data["max_temperature_before"]).all()
    assert target.between(-25, 38).all()
    assert data["day_of_year"].tolist() == [*range(1, 366)] * 2
    in_july, in_january = data["day_of_year"].between(182, 212), data["day_of_year"] <= 31
    assert target[in_july].mean() > target[in_january].mean() + 15


def test_weather_holds_a_structure_that_depends_on_the_season():
    weather = make_weather(5000)
    warm = weather.data["max_temperature_before"] > 20
    cold = weather.data["max_temperature_before"] < 8

    def slope(rows, name):
        design = weather.data[rows].assign(one=1.0)
        coefficients = np.linalg.lstsq(design.to_numpy(), weather.target[rows].to_numpy(), rcond=None)[0]
        return coefficients[list(design.columns).index(name)]

    assert slope(cold, "wind_speed") > 0.12
    assert abs(slope(warm, "wind_speed")) < 0.06
    assert slope(cold, "pressure") < -0.08
    assert slope(warm, "pressure") > 0.05
    assert slope(warm, "humidity") < -0.05
