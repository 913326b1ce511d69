"""Readers of data files, and small example data sets."""

from fruler.data._examples import example_path, load_example, make_friedman, make_mv, make_weather
from fruler.data._frog import load_frog
from fruler.data._keel import load_keel
from fruler.data._scan import BatchScan, TableScan, scan_table
from fruler.data._table_files import read_table

__all__ = [
    "BatchScan",
    "TableScan",
    "example_path",
    "load_example",
    "load_frog",
    "load_keel",
    "make_friedman",
    "make_mv",
    "make_weather",
    "read_table",
    "scan_table",
]
