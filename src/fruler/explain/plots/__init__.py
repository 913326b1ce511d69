"""Pictures of models, in the style of scikit-learn's displays; matplotlib is loaded when the first one is drawn."""

from fruler.explain.plots.curves import CurveDisplay
from fruler.explain.plots.displacement import DisplacementDisplay
from fruler.explain.plots.effect import EffectDisplay
from fruler.explain.plots.effects import EffectsDisplay
from fruler.explain.plots.front import FrontDisplay
from fruler.explain.plots.granularities import GranularitiesDisplay
from fruler.explain.plots.importance import ImportanceDisplay
from fruler.explain.plots.pair import PairEffectDisplay
from fruler.explain.plots.partition import PartitionDisplay
from fruler.explain.plots.prediction import PredictionDisplay
from fruler.explain.plots.progress import ProgressDisplay
from fruler.explain.plots.rules import RuleBaseDisplay
from fruler.explain.plots.stability import StabilityDisplay
from fruler.explain.plots.waterfall import WaterfallDisplay

__all__ = [
    "CurveDisplay",
    "DisplacementDisplay",
    "EffectDisplay",
    "EffectsDisplay",
    "FrontDisplay",
    "GranularitiesDisplay",
    "ImportanceDisplay",
    "PairEffectDisplay",
    "PartitionDisplay",
    "PredictionDisplay",
    "ProgressDisplay",
    "RuleBaseDisplay",
    "StabilityDisplay",
    "WaterfallDisplay",
]
