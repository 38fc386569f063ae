"""What a run used and what it may use."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields

from malmm_ros.configuration import above
from malmm_ros.errors import BudgetError, ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Model calls and what they cost.

    Attributes:
        calls: Requests answered, repairs included.
        cost: In the currency of the model's prices; 0 where no price is known.
        estimated_calls: Those whose tokens the endpoint did not count, so that they are estimated
            from the characters: see :func:`malmm_ros.agents.messages.count_tokens`.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    estimated_calls: int = 0

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def describe(self) -> str:
        """Calls and tokens in words, and whether these are estimated."""
        text = f"{_plural(self.calls, 'model call')}, {_plural(self.tokens, 'token')}"
        if not self.estimated_calls:
            return text
        is_all = self.estimated_calls == self.calls
        which = "" if is_all else f" for {self.estimated_calls} of the calls"
        return f"{text} (estimated{which}: the endpoint does not count them)"

    def __add__(self, other: Usage) -> Usage:
        """Sum field by field."""
        return Usage(
            **{
                item.name: getattr(self, item.name) + getattr(other, item.name)
                for item in fields(self)
            }
        )

    def __sub__(self, other: Usage) -> Usage:
        """What was used since; field by field."""
        return Usage(
            **{
                item.name: getattr(self, item.name) - getattr(other, item.name)
                for item in fields(self)
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a run may use before it is ended; ``inf`` lifts a limit.

    Attributes:
        turns: Turns of the team; each has one speaker.
        model_calls: Requests, repairs included.
        tokens: Input and output together.
        cost: In the currency of the model's prices; needs prices to have an effect.
        wall_s: Seconds of wall time.
        errors: Errors of code, planning or claims in a row.
    """

    turns: float = field(default=150, metadata=above(0.0))
    model_calls: float = field(default=600, metadata=above(0.0))
    tokens: float = field(default=math.inf, metadata=above(0.0))
    cost: float = field(default=math.inf, metadata=above(0.0))
    wall_s: float = field(default=3600.0, metadata=above(0.0))
    errors: int = field(default=5, metadata=above(0.0))

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not value > 0:
                raise ConfigurationError(f"budget.{item.name}", f"must be above 0, got {value}")


class Spending:
    """Adds up a run's use and ends it when its budget is used up."""

    def __init__(self, budget: Budget, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.budget = budget
        self.usage = Usage()
        self.turns = 0
        self._clock = clock
        self._start_s = clock()
        self._stopped_s: float | None = None

    @property
    def wall_s(self) -> float:
        """Seconds since the start, without those that were not the run's to spend."""
        now_s = self._clock() if self._stopped_s is None else self._stopped_s
        return now_s - self._start_s

    @contextmanager
    def stopped_clock(self) -> Iterator[None]:
        """Let a person take their time: what passes meanwhile is not spent."""
        self._stopped_s = self._clock()
        try:
            yield
        finally:
            self._start_s += self._clock() - self._stopped_s
            self._stopped_s = None

    def add(self, usage: Usage) -> None:
        """Count what a model call used."""
        self.usage += usage

    def start_turn(self) -> None:
        """Count a turn.

        Raises:
            BudgetError: There is none left, or another limit is reached.
        """
        self.check()
        if self.turns >= self.budget.turns:
            raise self._error("turns", self.turns, self.budget.turns)
        self.turns += 1

    def check(self) -> None:
        """See that everything but turns is within its limit.

        Raises:
            BudgetError: It is not; names which.
        """
        used = {
            "model_calls": (self.usage.calls, self.budget.model_calls),
            "tokens": (self.usage.tokens, self.budget.tokens),
            "cost": (self.usage.cost, self.budget.cost),
            "wall_time": (self.wall_s, self.budget.wall_s),
        }
        for name, (value, limit) in used.items():
            if value >= limit:
                raise self._error(name, value, limit)

    def _error(self, name: str, value: float, limit: float) -> BudgetError:
        return BudgetError(name, _words_of_end(name, value, limit, self.usage))


def _words_of_end(name: str, value: float, limit: float, usage: Usage) -> str:
    if name == "cost":
        return f"cost: {value:.4g} is spent, and the budget is {limit:g}"
    if name == "wall_time":
        return f"budget of {limit:g} s of wall time used up"
    unit = name.removesuffix("s").replace("_", " ")
    text = f"budget of {_plural(limit, unit)} used up"
    if name != "tokens":
        return text
    is_estimated = ", estimated" if usage.estimated_calls else ""
    return f"{text} ({value:.0f} after {_plural(usage.calls, 'model call')}{is_estimated})"


def _plural(number: float, unit: str) -> str:
    return f"{number:.15g} {unit}" if number == 1 else f"{number:.15g} {unit}s"
