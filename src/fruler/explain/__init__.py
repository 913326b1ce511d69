"""Text, plots, explanations and reports: everything here is made from a RuleBase."""
