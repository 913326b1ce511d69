"""Model files in JSON: written atomically, read strictly, never executed."""
