"""FRULER's two preprocessing stages on the bundled weather data."""

from __future__ import annotations

import numpy as np

from fruler import ClassConditionalSelector, MultiGranularityDiscretizer
from fruler.data import load_example

BAR_WIDTH = 44


def ruler(splits: np.ndarray, low: float, high: float) -> str:
    """Draw an input's range with a mark at every split point."""
    marks = ["-"] * BAR_WIDTH
    for split in splits:
        marks[min(int((split - low) / (high - low) * BAR_WIDTH), BAR_WIDTH - 1)] = "|"
    return "".join(marks)


def main() -> None:
    weather = load_example("weather")
    X, y = weather.data, weather.target
    print(
        f"{len(X)} days, {X.shape[1]} inputs, to predict {weather.target_name} ({weather.units[weather.target_name]})"
    )

    selector = ClassConditionalSelector().fit(X, y)
    print("\nStage 1, instance selection: which days represent the others?")
    print(f"  {len(selector.class_borders_) + 1} groups of outputs", end="")
    if len(selector.class_borders_):
        print(", separated at", ", ".join(f"{border:.1f}" for border in selector.class_borders_), end="")
    print(f"\n  {len(selector.sample_indices_)} of {len(X)} days kept ({selector.reduction_:.0%} left out)")
    errors = np.sqrt([selector.error_all_, selector.error_selected_])
    print(
        f"  root mean squared error of predicting a day from its nearest neighbour: {errors[0]:.2f} among all days, "
        f"{errors[1]:.2f} among those kept"
    )

    discretizer = MultiGranularityDiscretizer().fit(X, y)
    print("\nStage 2, discretization: how many labels does each input need?")
    width = max(len(name) for name in X.columns)
    for j, name in enumerate(X.columns):
        partition = discretizer.partition(j)
        low, high = partition.domain
        unit = weather.units.get(name, "")
        splits = np.array(partition.split_points)
        print(
            f"  {name:{width}} {partition.n_labels:2} labels  {low:7.1f} {ruler(splits, low, high)} {high:7.1f} {unit}"
        )

    name = "dew_point"
    partition = discretizer.partition(X.columns.get_loc(name))
    values = np.linspace(*partition.domain, 7)
    print(f"\nThe labels of {name}, and the membership degrees of some values:")
    print(f"  {'':8}" + "".join(f"{value:7.1f}" for value in values) + f"  {weather.units[name]}")
    for label, degrees in zip(partition.labels, partition.degrees(values).T, strict=True):
        print(f"  {label:8}" + "".join(f"{degree:7.2f}" for degree in degrees))


if __name__ == "__main__":
    main()
