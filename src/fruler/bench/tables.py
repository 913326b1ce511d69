"""The tables of a benchmark."""

from __future__ import annotations

from fruler.bench.measurements import Measured
from fruler.bench.rendering import Table
from fruler.bench.summary import summary_table
from fruler.bench.tables_models import complexity_table, errors_table, failures_table
from fruler.bench.tables_paper import discretization_table, results_table, selection_table, time_table
from fruler.bench.tables_statistics import ranking_table, wilcoxon_table

# In the order in which the page shows them.
TABLES = {
    "summary": summary_table,
    "table4": results_table,
    "errors": errors_table,
    "ranking_error": lambda measured: ranking_table(measured, "error"),
    "ranking_rules": lambda measured: ranking_table(measured, "rules"),
    "wilcoxon_error": lambda measured: wilcoxon_table(measured, "error"),
    "wilcoxon_rules": lambda measured: wilcoxon_table(measured, "rules"),
    "complexity": complexity_table,
    "table9": time_table,
    "table2": selection_table,
    "table3": discretization_table,
    "failures": failures_table,
}


def build_tables(measured: Measured) -> list[Table]:
    """Return every table for which there are runs."""
    tables = (build(measured) for build in TABLES.values())
    return [table for table in tables if table is not None]
