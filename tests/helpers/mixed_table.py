"""A table with everything: a date, categories, a number with gaps, and units."""

import numpy as np

from helpers.dated_rules import dated_table


def mixed_table():
    """Return rows and a price: Sundays, and gas where the size is large, lower it; usa and large sizes raise it."""
    rng = np.random.default_rng(1)
    table = dated_table()
    size = table["size"].fillna(5.0)
    sunday = table["sold"].dt.day_of_week == 6
    gas = (table["fuel"] == "gas") & (size > 5.0)
    price = 10.0 + 2.0 * (table["origin"] == "usa") - 3.0 * gas + 0.8 * size - 4.0 * sunday
    table.attrs["units"] = {"size": "m²", "price": "k€"}
    return table, (price + rng.normal(0.0, 0.5, len(table))).rename("price")
