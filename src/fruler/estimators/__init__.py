"""The estimators: what users construct, one for each algorithm."""
