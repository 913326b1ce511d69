"""Stability: which splits, rules and effects of a model come back when it is learned from other rows."""
