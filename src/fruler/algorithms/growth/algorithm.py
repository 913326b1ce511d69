"""The growth as a record of the registry."""

from __future__ import annotations

from fruler.algorithms.growth.codec import pack_growth, unpack_growth
from fruler.algorithms.growth.learner import LocalGrowthLearner
from fruler.algorithms.growth.options import GrowthOptions
from fruler.learning.algorithm import Algorithm, Codec

GROWTH = Algorithm(
    name="growth",
    title="Growth",
    options=GrowthOptions,
    learner=LocalGrowthLearner,
    codec=Codec(pack_growth, unpack_growth),
    limits=("max_evaluations", "max_rules", "early_stopping"),
    one_hot=False,
    weighted_scale=True,
)
