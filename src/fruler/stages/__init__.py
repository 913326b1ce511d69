"""Stages that algorithms are made of: public estimators beside their functions."""
