"""Small tables with or without categories and gaps, for the tests of what may hold them."""

import numpy as np
import pandas as pd

N = 90


def make_table(kind, gap):
    """Make a table with a number, and another number or a category, of which some are missing."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"size": rng.uniform(0, 10, N).round(2)})
    if kind == "number":
        table["age"] = rng.integers(0, 50, N).astype(float)
        effect = 0.2 * table["age"]
    else:
        table["colour"] = rng.choice(["red", "green", "blue"], N)
        effect = table["colour"].map({"red": 6.0, "green": 0.0, "blue": 1.0})
    table["y"] = (2.0 * table["size"] + effect + rng.normal(0, 0.2, N)).round(3)
    if gap:
        table.loc[::9, "size"] = np.nan
        table.loc[4::11, table.columns[1]] = np.nan if kind == "number" else None
    return table
