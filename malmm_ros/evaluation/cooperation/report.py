"""Figures of a run: rates, efficiency improvement per episode, messages, tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from malmm_ros.cooperation.detection.quality import Judge
from malmm_ros.evaluation.cooperation.comparison import paired
from malmm_ros.evaluation.statistics import mean_interval

if TYPE_CHECKING:
    from malmm_ros.evaluation.cooperation.configuration import CooperationConfig
    from malmm_ros.evaluation.cooperation.evaluate import CooperationResult

# An episode (its name and seed) and the transport rate in it.
_Rates = Mapping[tuple[str, int], float]


def efficiency_improvement(team: float, alone: float) -> float:
    """How much better a team does than one alone, of the better one's result; 0 if both fail."""
    best = max(team, alone)
    return (team - alone) / best if best > 0.0 else 0.0


def make_report(config: CooperationConfig, results: Sequence[CooperationResult]) -> dict[str, Any]:
    """Put the figures together.

    Intervals are Student's over episodes, each the mean of its seeds: runs of one episode resemble
    each other, so they count once.
    """
    team = [result for result in results if result.job.part == "team"]
    alone = [result for result in results if result.job.part == "alone"] or team
    against = [result for result in results if result.job.part == "against"]
    tasks = {episode.name: episode.task for episode in config.selected()}
    report: dict[str, Any] = _figures(team, alone)
    report["tasks"] = {
        task: _figures(_of_task(team, tasks, task), _of_task(alone, tasks, task))
        for task in dict.fromkeys(tasks.values())
    }
    report["alone"] = {
        "agent": config.baseline,
        "transport_rate": _mean([item.record.transport_rate for item in alone]),
        "steps": _mean([item.record.steps for item in alone]),
        "frames": _mean([item.record.frames for item in alone]),
    }
    report |= _totals(team)
    if config.coela.model.price() is None:
        report["cost"] = None  # nobody knows the price
    report["is_stand_in"] = config.is_stand_in
    if config.observations == "detected":
        report["detection"] = _detection(team)
    if against:
        report["against"] = _against(config, team, against, alone)
    report["config"] = config.to_json()
    report["config_hash"] = config.fingerprint()
    rates = {_key(item): item.record.transport_rate for item in alone}
    report["episodes"] = [_episode(item, rates[_key(item)], tasks) for item in team]
    return report


def _against(
    config: CooperationConfig,
    team: Sequence[CooperationResult],
    other: Sequence[CooperationResult],
    alone: Sequence[CooperationResult],
) -> dict[str, Any]:
    """Another team's figures, and the differences to it in pairs."""
    ours = {_key(item): item.record.transport_rate for item in team}
    theirs = {_key(item): item.record.transport_rate for item in other}
    base = {_key(item): item.record.transport_rate for item in alone}
    gains = [
        {key: efficiency_improvement(rate, base[key]) for key, rate in rates.items()}
        for rates in (ours, theirs)
    ]
    return {
        "agents": list(config.against),
        **_figures(other, alone),
        **_totals(other),
        "paired": {
            "transport_rate": paired(ours, theirs),
            "efficiency_improvement": paired(*gains),
        },
    }


def _detection(team: Sequence[CooperationResult]) -> dict[str, Any]:
    """How well the team's agents recognised what they saw, over all their images."""
    judge = Judge()
    for result in team:
        if result.judge is not None:
            judge.merge(result.judge)
    return judge.report()


def _key(result: CooperationResult) -> tuple[str, int]:
    return (result.job.episode, result.job.seed)


def _of_task(
    results: Sequence[CooperationResult], tasks: Mapping[str, str], task: str
) -> list[CooperationResult]:
    return [result for result in results if tasks[result.job.episode] == task]


def _figures(
    team: Sequence[CooperationResult], alone: Sequence[CooperationResult]
) -> dict[str, Any]:
    own: _Rates = {_key(item): item.record.transport_rate for item in team}
    base: _Rates = {_key(item): item.record.transport_rate for item in alone}
    gains = {key: efficiency_improvement(rate, base[key]) for key, rate in own.items()}
    interval = _interval(gains)
    return {
        "transport_rate": _mean(list(own.values())),
        "transport_rate_interval_95": [min(max(end, 0.0), 1.0) for end in _interval(own)],
        "steps": _mean([item.record.steps for item in team]),
        "frames": _mean([item.record.frames for item in team]),
        "efficiency_improvement": _mean(list(gains.values())),
        "interval_95": interval,
        "discounted_return": _mean([item.record.discounted_return for item in team]),
    }


def _interval(values: _Rates) -> list[float]:
    """Over episodes, of the means over seeds."""
    names = dict.fromkeys(name for name, _ in values)
    means = [
        _mean([value for (other, _), value in values.items() if other == name]) for name in names
    ]
    low, high = mean_interval(means)
    return [low, high]


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _totals(team: Sequence[CooperationResult]) -> dict[str, Any]:
    records = [item.record for item in team]
    usage = [item for record in records for item in record.usage.values()]
    failures: Counter[str] = Counter()
    for record in records:
        failures.update(record.failures)
    return {
        "messages": {
            "count": sum(record.messages for record in records),
            "characters": sum(record.characters for record in records),
            "frames": sum(record.message_frames for record in records),
            "per_episode": _mean([record.messages for record in records]),
        },
        "calls": sum(item.calls for item in usage),
        "tokens": {
            "input": sum(item.input_tokens for item in usage),
            "output": sum(item.output_tokens for item in usage),
        },
        "cost": sum(item.cost for item in usage),
        "parse_failures": sum(item.parse_failures for item in usage),
        "failed_actions": dict(sorted(failures.items())),
        "cpu_s_per_episode": _mean([item.cpu_s for item in team]),
    }


def _episode(result: CooperationResult, alone: float, tasks: Mapping[str, str]) -> dict[str, Any]:
    record, name = result.record, result.job.episode
    return {
        "episode": name,
        "seed": result.job.seed,
        "task": tasks[name],
        "transport_rate": record.transport_rate,
        "alone": alone,
        "efficiency_improvement": efficiency_improvement(record.transport_rate, alone),
        "frames": record.frames,
        "steps": record.steps,
        "messages": record.messages,
        "failed_actions": dict(record.failures),
        "usage": {agent: dict(item.to_json()) for agent, item in record.usage.items()},
    }
