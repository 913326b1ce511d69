"""Fitters of consequents."""
