"""Whether two fitted models are the same but for rounding, for the tests of the cluster."""

import numpy as np


def same_model(one, other, tolerance=1e-9):
    """Compare two fitted models: rules, figures and all."""
    mine, yours = one.rule_base_, other.rule_base_
    assert [variable.source for variable in mine.variables] == [variable.source for variable in yours.variables]
    assert mine.gaps == yours.gaps  # to the last bit: learned from the same rows
    assert mine.antecedents.ranges.tolist() == yours.antecedents.ranges.tolist()
    np.testing.assert_allclose(mine.consequents, yours.consequents, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(mine.support, yours.support, rtol=tolerance, atol=tolerance)
    assert [curve.input for curve in mine.curves] == [curve.input for curve in yours.curves]
    for curve, same in zip(mine.curves, yours.curves, strict=True):
        np.testing.assert_allclose(curve.coefficients, same.coefficients, rtol=tolerance, atol=tolerance)
    for name in mine.training.__dataclass_fields__:
        mine_, yours_ = getattr(mine.training, name), getattr(yours.training, name)
        if name == "truth":
            assert mine_.held_out == yours_.held_out
            mine_, yours_ = (
                [truth.together, truth.alone, *truth.rule_together, *truth.rule_alone] for truth in (mine_, yours_)
            )
        assert (mine_ is None) == (yours_ is None), name
        if isinstance(mine_, str):
            assert mine_ == yours_
        elif mine_ is not None:
            # Some have a list of numbers for each input.
            lists = zip(mine_, yours_, strict=True) if isinstance(mine_, tuple) else [(mine_, yours_)]
            for pair in lists:
                np.testing.assert_allclose(*pair, rtol=tolerance, atol=tolerance, err_msg=name)
    assert one.sample_indices_.tolist() == other.sample_indices_.tolist()
    assert one.n_evaluations_ == other.n_evaluations_
    np.testing.assert_allclose(one.pareto_, other.pareto_, rtol=1e-7, atol=tolerance)
