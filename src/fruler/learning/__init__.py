"""The parts that all algorithms share: their record, the run of a search, its control and its result."""
