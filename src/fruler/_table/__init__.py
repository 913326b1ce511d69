"""From X and y to arrays: checked, encoded and standardised."""
