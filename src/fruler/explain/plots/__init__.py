"""Plots of models, in the style of scikit-learn's displays; matplotlib is loaded when the first plot is drawn."""

from fruler.explain.plots._effect_displays import EffectDisplay, PairEffectDisplay
from fruler.explain.plots._panel_displays import CurveDisplay, EffectsDisplay, StabilityDisplay
from fruler.explain.plots._partition_displays import DisplacementDisplay, GranularitiesDisplay, PartitionDisplay
from fruler.explain.plots._prediction_displays import ImportanceDisplay, PredictionDisplay, WaterfallDisplay
from fruler.explain.plots._rule_display import RuleBaseDisplay
from fruler.explain.plots._search_displays import FrontDisplay, ProgressDisplay

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
