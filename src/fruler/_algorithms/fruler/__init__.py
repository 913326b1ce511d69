"""Stage 3: the genetic algorithm that searches for the data base, and with it the rules."""
