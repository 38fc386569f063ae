"""What a run will use, from the means of earlier runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

import yaml

from malmm_ros.evaluation.configuration import EvaluationConfig

Means = Mapping[str, Mapping[str, float]]
"""By ``team/task``: ``calls``, ``input_tokens`` and ``output_tokens`` of an episode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """Of one or more runs.

    Attributes:
        cost: ``None`` when the model's prices are unknown.
        unknown: ``team/task`` that were never measured and are not counted.
    """

    episodes: int
    calls: float
    input_tokens: float
    output_tokens: float
    cost: float | None
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for people."""
        text = (
            f"{self.episodes} episodes; expected: {self.calls:,.0f} model calls, "
            f"{self.input_tokens:,.0f} input and {self.output_tokens:,.0f} output tokens"
        )
        text += ", cost unknown (--prices)" if self.cost is None else f", cost {self.cost:.2f}"
        if self.unknown:
            text += f"; not counted, since never measured: {', '.join(self.unknown)}"
        return text


def read_means() -> Means:
    """The means that were measured with the offline stand-in; tokens at four characters each."""
    text = (files("malmm_ros.evaluation") / "expected_use.yaml").read_text(encoding="utf-8")
    means: Means = yaml.safe_load(text) or {}
    return means


def expect(configs: Iterable[EvaluationConfig], means: Means) -> Expectation:
    """Add up what every episode of some runs takes in the mean."""
    episodes, calls, read, written, cost = 0, 0.0, 0.0, 0.0, 0.0
    has_price = True
    unknown: list[str] = []
    for config in configs:
        price = config.model.price()
        has_price = has_price and price is not None
        for name in config.tasks:
            episodes += config.episodes
            key = f"{config.team}/{name}"
            mean = means.get(key) or means.get(key.partition(":")[0])
            if mean is None:
                unknown.append(key)
                continue
            calls += config.episodes * mean["calls"]
            input_tokens = config.episodes * mean["input_tokens"]
            output_tokens = config.episodes * mean["output_tokens"]
            read, written = read + input_tokens, written + output_tokens
            if price is not None:
                cost += (input_tokens * price.input + output_tokens * price.output) / 1e6
    return Expectation(
        episodes=episodes,
        calls=calls,
        input_tokens=read,
        output_tokens=written,
        cost=cost if has_price else None,
        unknown=tuple(unknown),
    )
