"""The estimators, one per algorithm."""
