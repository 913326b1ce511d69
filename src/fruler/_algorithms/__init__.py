"""The algorithms that learn rules, one folder each; `fruler.estimators.registry` lists them."""
