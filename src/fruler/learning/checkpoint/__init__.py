"""Searches that are kept in a folder, and go on from there."""
