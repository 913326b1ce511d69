"""Draw the pictures of docs/plots.md into this folder: python docs/pictures/draw.py."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from fruler import FuzzyRuleRegressor, MultiGranularityDiscretizer
from fruler.data import load_example
from fruler.explain.plots import (
    CurveDisplay,
    DisplacementDisplay,
    EffectDisplay,
    EffectsDisplay,
    FrontDisplay,
    GranularitiesDisplay,
    ImportanceDisplay,
    PairEffectDisplay,
    PartitionDisplay,
    PredictionDisplay,
    ProgressDisplay,
    RuleBaseDisplay,
    StabilityDisplay,
    WaterfallDisplay,
)
from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable

FOLDER = Path(__file__).parent


def concrete() -> RuleBase:
    """Return a formula with two curves, written by hand, and rows at random."""
    age = Variable("age", FuzzyPartition([], (1.0, 365.0)), "d")
    water = Variable("water", FuzzyPartition([], (0.3, 0.7)))
    hardening = Curve(0, FuzzyPartition([90.0], (1.0, 365.0), 0.5), [[-10.0, 0.12], [-1.0, 0.02]])
    thinning = Curve(1, FuzzyPartition([0.4, 0.6], (0.3, 0.7), 0.5), [[8.0, -8.0], [23.0, -45.0], [-2.0, -5.0]])
    names = {"target_name": "strength", "target_unit": "MPa"}
    rules = RuleBase([age, water], [[[0, 0], [0, 0]]], [[40.0, 0.0, 0.0]], **names, curves=[hardening, thinning])
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.choice([1, 3, 7, 14, 28, 56, 90, 180, 365], 300), rng.normal(0.5, 0.07, 300).clip(0.3, 0.7)]
    )
    return rules.with_training(X, rules.predict(X))


def draw_all() -> dict[str, Any]:
    """Return every display of the page by the name of its file."""
    weather = load_example("weather")
    model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    model.rule_base_ = model.rule_base_.with_units(weather.units)
    # By gain there are more granularities to draw.
    discretizer = MultiGranularityDiscretizer(splits="gain").fit(weather.data, weather.target)
    # The finest is crowded; three labels show what a displacement does.
    days = discretizer.partition("day_of_year", 3)
    return {
        "rules": RuleBaseDisplay.from_estimator(model),
        "partition": PartitionDisplay.from_estimator(model, "max_temperature_before"),
        "curves": CurveDisplay.from_estimator(concrete()),
        "effect": EffectDisplay.from_estimator(model, "max_temperature_before", weather.data, individual=True),
        "effects": EffectsDisplay.from_estimator(model),
        "stability": StabilityDisplay.from_stability(model.stability(weather.data, weather.target), max_inputs=6),
        "pair": PairEffectDisplay.from_estimator(model, ("max_temperature_before", "pressure"), weather.data),
        "importance": ImportanceDisplay.from_estimator(model),
        "waterfall": WaterfallDisplay.from_estimator(model, weather.data, row=100),
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
