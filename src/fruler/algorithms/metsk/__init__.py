"""METSK-HD: linguistic TSK-0 rules on uniform grids (L), tuned to approximative TSK-1 rules (A)."""
