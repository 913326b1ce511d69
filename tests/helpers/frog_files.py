"""A rule base in the format of FROG's files, made up, and FROG's inference by the book."""

import numpy as np

# With both spellings of the fields; `speed` has one label, `load` three, of which not all overlap fully.
FROG_TEXT = """!!frog.rulebase.KnowledgeBase
database:
  inputs:
  - max: 10.0
    min: 0.0
    name: load
    norm_mean: 4.0
    norm_std: 2.5
    partition:
    - !!frog.fuzzyset.Trapezium
      a: -0.0025
      b: 0.0
      c: 1.0
      d: 3.0
      height: 1.0
      points: [-0.0025, 0.0, 1.0, 3.0]
    - !!frog.fuzzyset.Trapezium {a: 1.0, b: 3.0, c: 4.0, d: 8.0, height: 1.0, points: [1.0, 3.0, 4.0, 8.0]}
    - !!frog.fuzzyset.Trapezium {a: 4.0, b: 8.0, c: 10.0, d: 10.0025, height: 1.0, points: [4.0, 8.0, 10.0, 10.0025]}
  - max: 9.0
    min: -1.0
    name: speed
    normMean: 3.0
    normStd: 2.0E-1
    partition:
    - !!frog.fuzzyset.Rectangle {a: -1.0, b: 9.0, height: 1.0, points: [-1.0, 9.0]}
  - max: 1.0
    min: 0.0
    name: wear
    norm_mean: 0.5
    norm_std: 0.25
    partition:
    - !!frog.fuzzyset.Trapezium {a: -0.00025, b: 0.0, c: 0.0, d: 0.5, height: 1.0, points: []}
    - !!frog.fuzzyset.Trapezium {a: 0.0, b: 0.5, c: 1.0, d: 1.00025, height: 1.0, points: []}
  outputs:
  - {max: 9.0, min: 0.0, name: heat, norm_mean: 5.0, norm_std: 3.0, partition: []}
name: made up
rulebase:
- !!frog.rulebase.TSKRule
  antecedent:
  - !!frog.proposition.LinguisticLabelProposition {label: 0, var: 0}
  - !!frog.proposition.LinguisticLabelProposition {label: 0, var: 1}
  - !!frog.proposition.LinguisticLabelProposition {label: 0, var: 2}
  consequent:
  - [0.5, -0.25, 1.0, 0.125]
- !!frog.rulebase.TSKRule
  antecedent:
  - !!frog.proposition.LinguisticLabelProposition {label: 1, var: 0}
  - !!frog.proposition.LinguisticLabelProposition {label: 0, var: 1}
  - !!frog.proposition.LinguisticLabelProposition {label: 1, var: 2}
  consequent:
  - [0.0, 0.75, -1.5, -0.5]
- !!frog.rulebase.TSKRule
  antecedent:
  - !!frog.proposition.LinguisticLabelProposition {label: 2, var: 0}
  - !!frog.proposition.LinguisticLabelProposition {label: 0, var: 1}
  - !!frog.proposition.LinguisticLabelProposition {label: 1, var: 2}
  consequent:
  - [-1.0, 0.25, 0.5,
    2.0]
type: TSK
"""


def frog_prediction(row):
    """What FROG's denormalised inference says of one row by the rules above; NaN where none fires."""
    load, speed, wear = row
    loads = [_trapezium(load, *c) for c in [(-0.0025, 0, 1, 3), (1, 3, 4, 8), (4, 8, 10, 10.0025)]]
    wears = [_trapezium(wear, *c) for c in [(-0.00025, 0, 0, 0.5), (0, 0.5, 1, 1.00025)]]
    z = np.array([(load - 4) / 2.5, (speed - 3) / 0.2, (wear - 0.5) / 0.25, 1])
    degrees = np.array([min(loads[0], wears[0]), min(loads[1], wears[1]), min(loads[2], wears[1])])
    outputs = np.array([[0.5, -0.25, 1, 0.125], [0, 0.75, -1.5, -0.5], [-1, 0.25, 0.5, 2]]) @ z
    return 5 + 3 * (degrees @ outputs) / degrees.sum() if degrees.sum() else np.nan


def _trapezium(x, a, b, c, d):
    if not a <= x <= d:
        return 0.0
    if x < b:
        return (x - a) / (b - a)
    return 1.0 - (x - c) / (d - c) if x > c else 1.0
