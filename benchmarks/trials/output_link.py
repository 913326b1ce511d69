"""The effect of ``link="log"`` on the error, and of corrections of its mean.

    python benchmarks/trials/output_link.py --data FOLDER

For skewed KEEL sets, folds 1 and 2, prints the test errors of FuzzyRuleRegressor with the identity link, with
``bounds``, with ``link="log"``, and with its predictions multiplied by one factor: Duan's smearing estimate from the
training residuals, or the ratio of the mean target to the mean prediction on the training rows. Root mean squared
errors and mean absolute errors are ratios to those of the identity link. One is added to a target that reaches zero.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from fruler import FuzzyRuleRegressor, load_keel

SETS = "baseball,ele-1,ele-2,abalone,autoMPG6,concrete,california,forestFires,house"


def errors(name: str, fold: int, data: Path) -> dict[str, tuple[float, float]]:
    """Return the root mean squared error and the mean absolute error on the test rows, by kind of prediction."""
    train, test = load_keel(data / name, fold=fold)
    shift = 1.0 if min(train.target.min(), test.target.min()) <= 0.0 else 0.0
    y, wanted = train.target + shift, test.target + shift
    plain = FuzzyRuleRegressor(random_state=0).fit(train.data, y)
    bounded = FuzzyRuleRegressor(random_state=0, bounds=(y.min(), y.max())).fit(train.data, y)
    logs = FuzzyRuleRegressor(random_state=0, link="log").fit(train.data, y)
    fitted, median = logs.predict(train.data), logs.predict(test.data)
    predictions = {
        "identity": plain.predict(test.data),
        "bounds": bounded.predict(test.data),
        "log": median,
        "log, smeared": median * np.mean(y / fitted),
        "log, same mean": median * (y.mean() / fitted.mean()),
    }
    missed = {kind: predicted - wanted for kind, predicted in predictions.items()}
    return {kind: (float(np.sqrt(np.mean(own**2))), float(np.mean(np.abs(own)))) for kind, own in missed.items()}


def main() -> None:
    """Print one line per set and fold, and geometric means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default=SETS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    ratios: dict[str, list[tuple[float, float]]] = {}
    for name in arguments.sets.split(","):
        for fold in (1, 2):
            found = errors(name, fold, arguments.data)
            own = {kind: tuple(np.divide(pair, found["identity"])) for kind, pair in found.items()}
            told = "  ".join(f"{kind} {a:.3f} {b:.3f}" for kind, (a, b) in own.items() if kind != "identity")
            print(f"{name:12} {fold}  {told}", flush=True)
            for kind, pair in own.items():
                ratios.setdefault(kind, []).append(pair)
    print("\ngeometric means over those of the identity link: RMSE, MAE")
    for kind, pairs in ratios.items():
        means = np.exp(np.log(pairs).mean(axis=0))
        print(f"{kind:16} {means[0]:.3f}  {means[1]:.3f}")


if __name__ == "__main__":
    main()
