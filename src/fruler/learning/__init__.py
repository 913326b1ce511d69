"""What every algorithm shares: its record, the run of a search, its control, and what it found."""
