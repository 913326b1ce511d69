"""
Dates
=====

From a column of dates, rules may use the time that has passed, the day of the year, the weekday and the hour. The
day of the year starts where it suits the target, so that winter is one label and not two.
"""

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor
from fruler.explain.plots import PartitionDisplay, RuleBaseDisplay

rng = np.random.default_rng(0)
sold = pd.Series(pd.Timestamp("2018-01-01") + pd.to_timedelta(rng.integers(0, 5 * 365, 800), unit="D"), name="sold")
day = sold.dt.strftime("%m-%d")
winter = (day >= "11-01") | (day < "02-20")
years = (sold - sold.min()).dt.days / 365.25
price = 20 + 6 * winter + 1.5 * years - 4 * (sold.dt.day_of_week == 6) + rng.normal(0, 1, 800)
model = FuzzyRuleRegressor(random_state=0).fit(sold.to_frame(), price.rename("price"))

RuleBaseDisplay.from_estimator(model)

# %%
# The labels of the day of the year, over the dates in the table:

PartitionDisplay.from_estimator(model, "day of year")

# %%
# In words:

print(model.rule_base_)
