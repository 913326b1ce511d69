"""FS_MOGFS with TUN: Mamdani rules on uniform grids, whose labels are then tuned."""
