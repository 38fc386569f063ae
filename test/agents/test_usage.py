from __future__ import annotations

import math

import pytest

from malmm_ros.agents.usage import Budget, Spending, Usage
from malmm_ros.errors import BudgetError, ConfigurationError


def test_usage_adds_up() -> None:
    one = Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.5)
    assert one + one == Usage(calls=2, input_tokens=20, output_tokens=4, cost=1.0)
    assert (one + one).tokens == 24


@pytest.mark.parametrize(
    ("budget", "name"),
    [
        (Budget(model_calls=2), "model_calls"),
        (Budget(tokens=24), "tokens"),
        (Budget(cost=1.0), "cost"),
    ],
)
def test_what_is_used_up_is_named(budget: Budget, name: str) -> None:
    spending = Spending(budget)
    spending.add(Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.5))
    spending.check()
    spending.add(Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.5))
    with pytest.raises(BudgetError) as caught:
        spending.check()
    assert caught.value.budget == name


def test_turns_are_counted_one_by_one() -> None:
    spending = Spending(Budget(turns=2))
    spending.start_turn()
    spending.start_turn()
    with pytest.raises(BudgetError, match="budget of 2 turns used up"):
        spending.start_turn()


def test_time_runs_by_the_given_clock() -> None:
    now = 0.0
    spending = Spending(Budget(wall_s=10.0), clock=lambda: now)
    spending.check()
    now = 10.5
    with pytest.raises(BudgetError) as caught:
        spending.check()
    assert caught.value.budget == "wall_time"


def test_limits_must_be_above_zero() -> None:
    for settings in ({"turns": 0}, {"wall_s": -1.0}, {"cost": math.nan}):
        with pytest.raises(ConfigurationError):
            Budget(**settings)


def test_time_that_a_person_takes_is_not_spent() -> None:
    now = 0.0
    spending = Spending(Budget(wall_s=10.0), clock=lambda: now)
    now = 4.0
    with spending.stopped_clock():
        now = 5000.0
        spending.check()
        assert spending.wall_s == 4.0
    now = 5005.0
    spending.check()
    assert spending.wall_s == 9.0
    now = 5006.0
    with pytest.raises(BudgetError, match="wall time"):
        spending.check()
