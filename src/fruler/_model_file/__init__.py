"""A model as a JSON file: written whole, read strictly, never executed."""
