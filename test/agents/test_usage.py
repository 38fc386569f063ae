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


@pytest.mark.parametrize(
    ("budget", "usage", "words"),
    [
        (Budget(model_calls=20), Usage(calls=20), "budget of 20 model calls used up"),
        (Budget(model_calls=1), Usage(calls=1), "budget of 1 model call used up"),
        (
            Budget(tokens=3000),
            Usage(calls=3, input_tokens=3100),
            "budget of 3000 tokens used up (3100 after 3 model calls)",
        ),
        (
            Budget(tokens=1_500_000),
            Usage(calls=3, input_tokens=1_500_001, estimated_calls=1),
            "budget of 1500000 tokens used up (1500001 after 3 model calls, estimated)",
        ),
        (Budget(cost=0.5), Usage(cost=0.75), "cost: 0.75 is spent, and the budget is 0.5"),
    ],
)
def test_the_end_of_a_budget_is_told_with_its_unit(
    budget: Budget, usage: Usage, words: str
) -> None:
    spending = Spending(budget)
    spending.add(usage)
    with pytest.raises(BudgetError) as caught:
        spending.check()
    assert str(caught.value) == words


def test_the_use_says_which_tokens_are_estimated() -> None:
    counted = Usage(calls=2, input_tokens=9)
    assert counted.describe() == "2 model calls, 9 tokens"
    mixed = counted + Usage(calls=1, input_tokens=1, estimated_calls=1)
    assert mixed.describe() == (
        "3 model calls, 10 tokens (estimated for 1 of the calls: the endpoint does not count them)"
    )
    all_of_them = Usage(calls=1, input_tokens=1, estimated_calls=1)
    assert "1 model call, 1 token (estimated: the endpoint" in all_of_them.describe()


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
