"""What genetic algorithms share: SPEA2 with restarts, operators, batches over threads, and snapshots."""
