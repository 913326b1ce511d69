"""Rules on uniform grids: the first stage of FS_MOGFS and METSK, which searches granularities and displacements."""
