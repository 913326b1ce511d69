"""Draw the pictures of docs/plots.md into this folder: python docs/pictures/draw.py."""

from pathlib import Path
from typing import Any

import matplotlib as mpl

from fruler import FuzzyRuleRegressor, MultiGranularityDiscretizer
from fruler.data import load_example
from fruler.explain.plots import (
    DisplacementDisplay,
    EffectDisplay,
    FrontDisplay,
    GranularitiesDisplay,
    PartitionDisplay,
    PredictionDisplay,
    ProgressDisplay,
    RuleBaseDisplay,
)

FOLDER = Path(__file__).parent


def draw_all() -> dict[str, Any]:
    """Return every display of the page by the name of its file."""
    weather = load_example("weather")
    model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    model.rule_base_ = model.rule_base_.with_units(weather.units)
    discretizer = MultiGranularityDiscretizer().fit(weather.data, weather.target)
    # The finest is crowded; three labels show what a displacement does.
    days = discretizer.partition("day_of_year", 3)
    return {
        "rules": RuleBaseDisplay.from_estimator(model),
        "partition": PartitionDisplay.from_estimator(model, "max_temperature_before"),
        "effect": EffectDisplay.from_estimator(model, "max_temperature_before", weather.data, individual=True),
        "prediction": PredictionDisplay.from_estimator(model, weather.data, weather.target),
        "residuals": PredictionDisplay.from_estimator(
            model, weather.data, weather.target, kind="residual_vs_predicted"
        ),
        "front": FrontDisplay.from_estimator(model),
        "progress": ProgressDisplay.from_estimator(model),
        "granularities": GranularitiesDisplay.from_estimator(
            discretizer, "day_of_year", granularities=range(1, 6), unit="d"
        ),
        "displacement": DisplacementDisplay.from_partition(days, [-0.3, 0.4], name="day_of_year", unit="d"),
    }


if __name__ == "__main__":
    mpl.use("Agg")
    for name, display in draw_all().items():
        display.figure_.savefig(FOLDER / f"{name}.png", dpi=72, metadata={"Software": None})
