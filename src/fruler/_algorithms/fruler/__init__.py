"""FRULER: instance selection, multi-granularity discretization, and a genetic search for the rules."""
