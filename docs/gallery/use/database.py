"""
Rules in a database
===================

An exported model is one SELECT over your table. SQLite computes it here; the predictions are those of ``predict``.
"""

import sqlite3

import matplotlib.pyplot as plt

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.export import export_model

weather = load_example("weather")
model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
query = export_model(model.with_rules(2).rule_base_, "sql", table="days", dialect="sqlite")
print(query)

# %%
# Make a view of it, and ask:

database = sqlite3.connect(":memory:")
weather.data.to_sql("days", database, index=False)
database.execute(f"CREATE VIEW forecast AS {query}")
in_sql = [value for (value,) in database.execute("SELECT prediction FROM forecast")]
database.close()
in_python = model.with_rules(2).predict(weather.data)

figure, axes = plt.subplots(figsize=(4.5, 4), layout="constrained")
axes.plot(in_python, in_sql, ".", markersize=4)
axes.set(xlabel="predict (°C)", ylabel="SQLite (°C)", aspect="equal")
axes.set_title(f"largest difference {abs(in_python - in_sql).max():.0e} °C")
