"""``fruler demo``: rules for the bundled weather data, their error, and the explanation of one day."""

from __future__ import annotations

import time
from pathlib import Path

from sklearn.model_selection import train_test_split

from fruler._cli.holdout import error_table, held_out_errors
from fruler._cli.output import show
from fruler._files import write_whole
from fruler._wording import name_with_unit
from fruler.data._examples import load_example
from fruler.estimators._growth import FuzzyRuleRegressor


def write_demo_table(path: Path) -> None:
    """Write the demo's table as CSV, to try the other commands with."""
    weather = load_example("weather")
    table = weather.data.assign(**{weather.target_name: weather.target})
    write_whole(path, table.to_csv(index=False))
    show(f"{path} written: {table.shape[0]} days, {table.shape[1]} columns")
    show(f"Learn from it: fruler fit {path} --target {weather.target_name}")


def show_demo() -> None:
    """Run ``fruler demo``."""
    weather = load_example("weather")
    X, X_new, y, y_new = train_test_split(weather.data, weather.target, test_size=0.2, random_state=0)
    unit = weather.units[weather.target_name]
    show(
        f"Predicting {name_with_unit(weather.target_name, unit)} from {X.shape[1]} inputs, learned from {len(X)} days\n"
    )
    start = time.perf_counter()
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    seconds = time.perf_counter() - start
    rules = model.rule_base_.with_units(weather.units)
    show(str(rules))
    errors = held_out_errors(model, (X, y), (X_new, y_new))
    show(f"\nRoot mean squared error on the {len(X_new)} days held out")
    show("\n".join(error_table(errors.by_name(), unit)))
    show(f"\nThe prediction for one of these days explained (observed: {y_new.iloc[0]:g} {unit})")
    show("\n".join(f"  {line}" for line in str(rules.explain(X_new.iloc[:1])).splitlines()))
    show(f"\nLearned in {seconds:.1f} s. Rules for your own table: fruler fit data.csv --target NAME")
