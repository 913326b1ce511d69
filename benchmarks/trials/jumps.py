"""Made tables with jumps: how much of a jump is still a jump in the model, and not a slope.

    python benchmarks/trials/jumps.py

The target jumps by 1.5 at one value of the first input (noise has a standard deviation of 0.3): alone, beside slopes,
only where the second input is large, or as one of three steps. A jump is kept if the model rises by at least three
quarters of it within a twentieth of the input's range around the true value; a straight line would rise by a twentieth.
"""

from __future__ import annotations

import argparse
import os
from itertools import product

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler import FuzzyRuleRegressor

Floats = npt.NDArray[np.float64]
HEIGHT, NOISE, HALF_WIDTH, KEPT = 1.5, 0.3, 0.025, 0.75
ROWS = (100, 200, 500, 2000)
TRUTHS = {
    "alone": lambda x, at: HEIGHT * (x[:, 0] > at),
    "with slopes": lambda x, at: HEIGHT * (x[:, 0] > at) + 2.0 * x[:, 0] + 1.5 * x[:, 1] - x[:, 2],
    "in one part": lambda x, at: HEIGHT * (x[:, 0] > at) * (x[:, 1] > 0.4) + 2.0 * x[:, 0] + x[:, 2],
    "three steps": lambda x, at: HEIGHT * sum(x[:, j] > at - d for j, d in ((0, 0.0), (1, 0.0), (0, 0.2))) + x[:, 2],
}


def share_of_jump(n: int, truth: str, seed: int) -> float:
    """Return how much of the jump is in the model within a twentieth of the range."""
    rng = np.random.default_rng([n, list(TRUTHS).index(truth), seed])
    X, at = rng.uniform(size=(n, 4)), rng.uniform(0.25, 0.75)
    model = FuzzyRuleRegressor(random_state=0).fit(X, TRUTHS[truth](X, at) + NOISE * rng.normal(size=n))
    below = rng.uniform(size=(400, 4))
    below[:, 1] = rng.uniform(0.5, 1.0, size=400)
    above = below.copy()
    below[:, 0], above[:, 0] = at - HALF_WIDTH, at + HALF_WIDTH
    rises: tuple[Floats, Floats] = (
        model.predict(above) - model.predict(below),
        TRUTHS[truth](above, at) - TRUTHS[truth](below, at),
    )
    return float(rises[0].mean() / rises[1].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    keys = list(product(ROWS, TRUTHS, range(parser.parse_args().seeds)))
    lines = pd.DataFrame(keys, columns=["rows", "truth", "seed"])
    lines["share"] = [share_of_jump(*key) for key in keys]
    lines["kept"] = lines.share >= KEPT
    print("share of jumps that are kept:")
    print(lines.pivot_table(index="rows", columns="truth", values="kept").round(2).to_string())
    print("share of the jump's height, median:")
    print(lines.pivot_table(index="rows", columns="truth", values="share", aggfunc="median").round(2).to_string())


if __name__ == "__main__":
    main()
