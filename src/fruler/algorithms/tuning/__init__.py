"""Stage 2 of the two-stage systems: the points of triangles are tuned, and rules are selected."""
