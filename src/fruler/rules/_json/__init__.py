"""A rule base as JSON, and back: read strictly, never executed."""
