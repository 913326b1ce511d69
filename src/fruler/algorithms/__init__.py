"""The algorithms that learn rules, one folder each."""
