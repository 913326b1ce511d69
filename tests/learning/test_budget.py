"""The budget of a search: deadline and stop together."""

from fruler.learning._control import UNLIMITED, Budget, RunControl


def test_a_budget_ends_at_its_deadline(clock):
    budget = Budget(clock.now + 10.0)
    assert not budget.over()
    assert budget.without(4.0).deadline == budget.deadline - 4.0
    clock.now += 7.0
    assert not budget.over()
    assert budget.without(4.0).over()
    clock.now += 4.0
    assert budget.over()


def test_a_budget_ends_when_somebody_asks_for_it():
    asked, other = [False], [False]
    budget = Budget(stopped=lambda: asked[0])
    both = budget.or_when(lambda: other[0])
    assert not budget.over()
    assert not both.over()
    other[0] = True
    assert not budget.over()
    assert both.over()
    asked[0], other[0] = True, False
    assert budget.over()
    assert both.over()
    assert not UNLIMITED.over()


def test_a_share_of_the_control_s_time(clock):
    control = RunControl(limit=9.0)
    third = control.budget(1.0 / 3.0)
    clock.now += 4.0
    assert third.over()
    assert not control.budget().over()
    control.stopped = True
    assert control.budget().over()
