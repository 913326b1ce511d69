"""Draw the paper's figures from a run on Weather Ankara: python docs/pictures/draw_paper.py KEEL_FOLDER.

Of the runs with seeds 0, 1, 2, ... over the five folds it is the first with six rules that look at two inputs, as in
the paper's example.
"""

import itertools
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from fruler import FRULERRegressor, FuzzyPartition, MultiGranularityDiscretizer, load_keel
from fruler.explain.plots import DisplacementDisplay, GranularitiesDisplay, RuleBaseDisplay

FOLDER = Path(__file__).parent


def first_small_run(data: Path) -> tuple[FRULERRegressor, Any, float]:
    """Return a model with six rules over two inputs, its training table, and its error on the test rows."""
    for seed, fold in itertools.product(range(6), range(1, 6)):
        train, test = load_keel(data / "wankara", fold=fold)
        model = FRULERRegressor(random_state=seed).fit(train.data, train.target)
        if model.n_rules_ == 6 and len(model.rule_base_.antecedent_inputs) == 2:
            error = float(np.square(model.predict(test.data) - test.target).mean() / 2.0)
            sys.stdout.write(f"seed {seed}, fold {fold}: 6 rules over 2 inputs, test error {error:.3f}\n")
            return model, train, error
    raise SystemExit("no run has six rules over two inputs")


def displacements(before: FuzzyPartition, after: FuzzyPartition) -> list[float]:
    """Return by which share of the gap on its side each split has moved."""
    edges = [before.domain[0], *before.split_points, before.domain[1]]
    moves = np.subtract(after.split_points, before.split_points)
    return [
        float(move / (edges[k + 2] - edges[k + 1] if move > 0 else edges[k + 1] - edges[k]))
        for k, move in enumerate(moves)
    ]


def main(data: Path) -> None:
    """Draw all three."""
    mpl.use("Agg")
    model, train, _ = first_small_run(data)
    rules = model.rule_base_
    finest = max(rules.antecedent_inputs, key=lambda j: rules.granularities[j])
    name, granularity = rules.names[finest], int(rules.granularities[finest])
    discretizer = MultiGranularityDiscretizer().fit(train.data, train.target)
    before, after = discretizer.partition(name, granularity), rules.variables[finest].partition
    most_cut = rules.names[int(discretizer.granularities_.argmax())]
    shown = range(1, min(6, int(discretizer.granularities_.max())) + 1)
    for file, display in {
        "paper_rules": RuleBaseDisplay(rules).plot(),
        "paper_granularities": GranularitiesDisplay.from_estimator(discretizer, most_cut, granularities=shown),
        "paper_displacement": DisplacementDisplay.from_partition(before, displacements(before, after), name=name),
    }.items():
        display.figure_.savefig(FOLDER / f"{file}.png", dpi=72, metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
