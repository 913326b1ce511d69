"""Compiled kernels: arrays in, arrays out; no classes, no input or output, no validation."""
