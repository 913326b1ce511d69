"""Pictures of models, in the style of scikit-learn's displays; matplotlib is loaded when the first one is drawn."""

from fruler.explain.plots.curves import CurveDisplay
from fruler.explain.plots.displacement import DisplacementDisplay
from fruler.explain.plots.effect import EffectDisplay
from fruler.explain.plots.front import FrontDisplay
from fruler.explain.plots.granularities import GranularitiesDisplay
from fruler.explain.plots.partition import PartitionDisplay
from fruler.explain.plots.prediction import PredictionDisplay
from fruler.explain.plots.progress import ProgressDisplay
from fruler.explain.plots.rules import RuleBaseDisplay

__all__ = [
    "CurveDisplay",
    "DisplacementDisplay",
    "EffectDisplay",
    "FrontDisplay",
    "GranularitiesDisplay",
    "PartitionDisplay",
    "PredictionDisplay",
    "ProgressDisplay",
    "RuleBaseDisplay",
]
