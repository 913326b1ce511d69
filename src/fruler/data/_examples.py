"""Small example data sets: generators, and the same tables as CSV files next to this module.

The files hold the tables that the generators make with their default arguments.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import Bunch

from fruler._wording import suggest
from fruler.data._table_files import read_table

_FRIEDMAN_DESCR = """Friedman #1 without its five irrelevant inputs.

y = 10 sin(pi x1 x2) + 20 (x3 - 0.5)^2 + 10 x4 + 5 x5 + noise, with the inputs uniform on [0, 1] and normal noise.

J. H. Friedman. Multivariate adaptive regression splines. The Annals of Statistics 19 (1991) 1-67.
"""

_MV_DESCR = """The MV artificial domain of L. Torgo: inputs that depend on each other, and a target without noise.

X1 is uniform on [-5, 5], X2 on [-15, -10], X5 on [-1, 1], X9 on [100, 500]; X10 is an integer from 1000 to 1200.
X3 is brown (0), red (1) or green (2) with probabilities 0.52, 0.24, 0.24; green only where X1 > 0.
X4 is X1 / 2 with probability 0.3, else X2 / 2.  X6 is X4 times a number uniform on [0, 5].
X7 is yes (1) with probability 0.3, else no (0).  X8 is normal (0) where X5 < 0.5, else large (1).

Y is the smallest of: X1 / 2; X1 + X6 where X8 is normal; 3 - X1 / X4 where X7 is yes.
"""

_WEATHER_DESCR = """Two years of days in an imagined continental city: how warm will today be on average?

Known in the morning are the temperatures of the day before, the day of the year, and the dew point, humidity, air
pressure, wind and visibility at dawn. Today is like yesterday, drawn towards the season's mean. All other effects
depend on the season. On cold days wind brings mild air and high pressure means clear, frosty nights; on warm days
high pressure means sunshine, and humid air means cloud. The weather is simulated; no station measured it.
"""

_WEATHER_UNITS = {
    "max_temperature_before": "°C",
    "min_temperature_before": "°C",
    "dew_point": "°C",
    "humidity": "%",
    "pressure": "hPa",
    "wind_speed": "km/h",
    "visibility": "km",
    "day_of_year": "d",
    "mean_temperature": "°C",
}


def make_friedman(
    n_samples: int = 1200, *, noise: float = 1.0, random_state: int | np.random.Generator | None = 0
) -> Bunch:
    """Make Friedman's first regression problem, with its five relevant inputs only.

    Parameters
    ----------
    n_samples : int, default=1200
        The number of rows.
    noise : float, default=1.0
        The standard deviation of the normal noise in the target.
    random_state : int, Generator or None, default=0
        The seed.

    Returns
    -------
    Bunch
        With the keys ``data`` (DataFrame), ``target`` (Series), ``feature_names``, ``target_name``, ``units`` (dict,
        empty here) and ``DESCR``.

    Raises
    ------
    ValueError
        If `n_samples` is less than 1, or `noise` is negative.

    See Also
    --------
    load_example : The same from a file, with the default arguments.
    make_mv : A larger problem, with categories.

    Examples
    --------
    >>> make_friedman(3).data.shape
    (3, 5)
    """
    _check_n_samples(n_samples)
    if not noise >= 0:
        raise ValueError(f"noise must not be negative, got {noise!r}")
    rng = np.random.default_rng(random_state)
    x = np.round(rng.uniform(size=(n_samples, 5)), 5)
    y = (
        10 * np.sin(np.pi * x[:, 0] * x[:, 1])
        + 20 * (x[:, 2] - 0.5) ** 2
        + 10 * x[:, 3]
        + 5 * x[:, 4]
        + noise * rng.standard_normal(n_samples)
    )
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(1, 6)])
    return _as_bunch(frame, pd.Series(np.round(y, 5), name="y"), {}, _FRIEDMAN_DESCR)


def make_mv(n_samples: int = 1500, random_state: int | np.random.Generator | None = 0) -> Bunch:
    """Make the MV artificial domain of L. Torgo.

    Parameters
    ----------
    n_samples : int, default=1500
        The number of rows.
    random_state : int, Generator or None, default=0
        The seed.

    Returns
    -------
    Bunch
        A table like that of `make_friedman`; ``DESCR`` describes the inputs and the target. The nominal inputs X3, X7
        and X8 are codes.

    See Also
    --------
    load_example : The same from a file, with the default arguments.
    make_friedman : A smaller problem.

    Examples
    --------
    >>> mv = make_mv(100)
    >>> bool((mv.target == mv_function(mv.data).round(4)).all())
    True
    """
    _check_n_samples(n_samples)
    rng = np.random.default_rng(random_state)
    x1 = np.round(rng.uniform(-5, 5, n_samples), 4)
    x2 = np.round(rng.uniform(-15, -10, n_samples), 4)
    colour = rng.uniform(size=n_samples) * np.where(x1 > 0, 1.0, 0.76)
    x4 = np.where(rng.uniform(size=n_samples) < 0.3, x1 / 2, x2 / 2)
    x5 = np.round(rng.uniform(-1, 1, n_samples), 4)
    frame = pd.DataFrame(
        {
            "X1": x1,
            "X2": x2,
            "X3": np.digitize(colour, [0.52, 0.76]).astype(np.int64),
            "X4": np.round(x4, 5),
            "X5": x5,
            "X6": np.round(x4 * rng.uniform(0, 5, n_samples), 4),
            "X7": (rng.uniform(size=n_samples) < 0.3).astype(np.int64),
            "X8": (x5 >= 0.5).astype(np.int64),
            "X9": np.round(rng.uniform(100, 500, n_samples), 2),
            "X10": rng.integers(1000, 1200, n_samples, dtype=np.int64, endpoint=True),
        }
    )
    return _as_bunch(frame, mv_function(frame).round(4), {}, _MV_DESCR)


def mv_function(data: pd.DataFrame) -> pd.Series:
    """Compute the target of the MV domain from its inputs.

    Torgo describes it as a list of rules; in the published data the smallest value among the rules that hold is taken,
    and three of the rules suffice.

    Parameters
    ----------
    data : DataFrame
        With the columns X1, X4, X6, X7 and X8.

    Returns
    -------
    Series
        The target, named Y.
    """
    x1, x4 = data["X1"].to_numpy(), data["X4"].to_numpy()
    # X4 is zero only where X1 rounds to zero, and X1 / X4 is 2 for every such X4.
    ratio = np.divide(x1, x4, out=np.full(len(data), 2.0), where=x4 != 0)
    y = np.minimum(x1 / 2, np.where(data["X8"] == 0, x1 + data["X6"], np.inf))
    return pd.Series(np.minimum(y, np.where(data["X7"] == 1, 3 - ratio, np.inf)), index=data.index, name="Y")


def make_weather(n_samples: int = 730, random_state: int | np.random.Generator | None = 0) -> Bunch:
    """Make the days of an imagined continental city, with the mean temperature of the day as target.

    Parameters
    ----------
    n_samples : int, default=730
        The number of days, starting on 1 January.
    random_state : int, Generator or None, default=0
        The seed.

    Returns
    -------
    Bunch
        A table like that of `make_friedman`; ``units`` has the unit of each input and of the target.

    See Also
    --------
    load_example : The same from a file, with the default arguments.

    Examples
    --------
    >>> weather = make_weather(365)
    >>> weather.target_name, weather.units["humidity"]
    ('mean_temperature', '%')
    """
    _check_n_samples(n_samples)
    rng = np.random.default_rng(random_state)
    day = np.arange(n_samples) % 365 + 1
    season = 10.5 - 12.5 * np.cos(2 * np.pi * (day - 20) / 365)
    pressure_anomaly = _persistent(rng, n_samples, persistence=0.7)
    pressure = np.round(1016 + (8.5 - 0.2 * season) * pressure_anomaly, 1)
    wetness = 0.85 * _persistent(rng, n_samples, persistence=0.5) - 0.5 * pressure_anomaly
    humidity = (80 - 0.7 * season + 12 * wetness).clip(18, 100).round()
    gusts = 0.45 * _persistent(rng, n_samples, persistence=0.4) - 0.12 * pressure_anomaly
    wind = (10 * np.exp(gusts)).round(1)
    spread = np.clip(11 - 0.09 * (humidity - 60) + 0.1 * season + rng.normal(0, 1.2, n_samples), 1.5, None)
    mean = _simulate_days(season, pressure, humidity, wind, rng.normal(0, 0.9, n_samples + 1))
    morning = mean[:-1] - spread / 2
    # Magnus' formula: the dew point of air at the night's lowest temperature and that humidity.
    magnus = np.log(humidity / 100) + 17.62 * morning / (243.12 + morning)
    fog = 0.1 * np.maximum(humidity - 70, 0) + 0.7 * np.maximum(humidity - 88, 0) - 0.12 * (wind - 10)
    frame = pd.DataFrame(
        {
            "max_temperature_before": np.round(mean[:-1] + spread / 2, 1),
            "min_temperature_before": np.round(morning, 1),
            "dew_point": np.round(243.12 * magnus / (17.62 - magnus), 1),
            "humidity": humidity.astype(np.int64),
            "pressure": pressure,
            "wind_speed": wind,
            "visibility": np.round(np.clip(14 - fog + rng.normal(0, 1.5, n_samples), 0.2, 20), 1),
            "day_of_year": day.astype(np.int64),
        }
    )
    target = pd.Series(np.round(mean[1:], 1), name="mean_temperature")
    return _as_bunch(frame, target, _WEATHER_UNITS, _WEATHER_DESCR)


def _persistent(rng: np.random.Generator, n: int, *, persistence: float) -> NDArray[np.float64]:
    """Draw a standard normal series in which each day depends on the one before."""
    shocks = rng.standard_normal(n)
    series = np.empty(n)
    state = shocks[0]
    for t in range(n):
        if t:
            state = persistence * state + np.sqrt(1 - persistence**2) * shocks[t]
        series[t] = state
    return series


def _simulate_days(
    season: NDArray[np.float64],
    pressure: NDArray[np.float64],
    humidity: NDArray[np.float64],
    wind: NDArray[np.float64],
    noise: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Simulate the mean temperature day by day; the first of the n + 1 values is that of the day before the first."""
    mean = np.empty(len(season) + 1)
    mean[0] = season[0] + noise[0]
    for t in range(len(season)):
        before = season[t - 1] if t else season[0]
        expected = season[t] + 0.7 * (mean[t] - before)
        warm = 1 / (1 + np.exp((9 - expected) / 2.5))
        on_cold_days = 0.18 * (wind[t] - 11) - 0.16 * (pressure[t] - 1016)
        on_warm_days = 0.12 * (pressure[t] - 1016) - 0.09 * (humidity[t] - 65)
        mean[t + 1] = expected + (1 - warm) * on_cold_days + warm * on_warm_days + noise[t + 1]
    return mean


def _check_n_samples(n_samples: int) -> None:
    if n_samples < 1:
        raise ValueError(f"n_samples must be at least 1, got {n_samples!r}")


def _as_bunch(data: pd.DataFrame, target: pd.Series, units: dict[str, str], description: str) -> Bunch:
    return Bunch(
        data=data,
        target=target,
        feature_names=list(data.columns),
        target_name=str(target.name),
        units=dict(units),
        DESCR=description,
    )


# The target, the units and the description of each example.
_EXAMPLES: dict[str, tuple[str, dict[str, str], str]] = {
    "friedman": ("y", {}, _FRIEDMAN_DESCR),
    "mv": ("Y", {}, _MV_DESCR),
    "weather": ("mean_temperature", _WEATHER_UNITS, _WEATHER_DESCR),
}


def example_path(name: str) -> Path:
    """Return the path of a bundled CSV file.

    Parameters
    ----------
    name : {"friedman", "mv", "weather"}
        The name of the example.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If there is no such example.

    See Also
    --------
    load_example : The table itself.
    read_table : Reads any table.

    Examples
    --------
    >>> example_path("weather").name
    'weather.csv'
    """
    if name not in _EXAMPLES:
        raise ValueError(f"there is no example {name!r}; {suggest(str(name), _EXAMPLES)}")
    return Path(__file__).with_name(f"{name}.csv")


def load_example(name: str) -> Bunch:
    """Load a bundled data set from its CSV file.

    Parameters
    ----------
    name : {"friedman", "mv", "weather"}
        The name of the example; see `make_friedman`, `make_mv` and `make_weather`.

    Returns
    -------
    Bunch
        The table that the generator of that name makes with its default arguments.

    See Also
    --------
    example_path : The path of the CSV file.
    read_table : Reads any table.

    Examples
    --------
    >>> weather = load_example("weather")
    >>> weather.data.shape
    (730, 8)
    """
    path = example_path(name)
    target, units, description = _EXAMPLES[name]
    table = read_table(path, target=target)
    return _as_bunch(table.data, table.target, units, description)
