"""What the episodes of a configuration come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from malmm_ros.agents import FAULT_KINDS
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.disturbing import DISTURBANCE_KINDS
from malmm_ros.evaluation.result import CATEGORIES, EpisodeResult
from malmm_ros.evaluation.statistics import wilson_interval


def make_report(
    config: EvaluationConfig,
    results: Sequence[EpisodeResult],
    *,
    wall_s: float,
    run: Mapping[str, Any],
) -> dict[str, Any]:
    """Sum results up; the success rate is the mean over tasks.

    All but ``wall_s``, ``run`` and the episodes' own wall times is the same however the run went.
    """
    order = {name: index for index, name in enumerate(config.tasks)}
    ordered = sorted(results, key=lambda item: (order[item.task], item.index))
    tasks = {
        name: _summary([item for item in ordered if item.task == name]) for name in config.tasks
    }
    has_price = config.model.price() is not None
    for task in tasks.values():
        task["cost"] = task["cost"] if has_price else None
    rates = [task["success_rate"] for task in tasks.values()]
    return {
        "success_rate": sum(rates) / len(rates),
        "interval_95": wilson_interval(sum(item.is_success for item in ordered), len(ordered)),
        "tasks": tasks,
        "wall_s": round(wall_s, 1),
        "events": _events(ordered),
        "injected_errors": _injections(ordered),
        "totals": {
            "calls": sum(item.calls for item in ordered),
            "input_tokens": sum(item.input_tokens for item in ordered),
            "output_tokens": sum(item.output_tokens for item in ordered),
            # of the calls: those whose tokens the endpoint did not count
            "estimated_calls": sum(item.estimated_calls for item in ordered),
            # null where nobody knows the model's price
            "cost": sum(item.cost for item in ordered) if has_price else None,
        },
        "config": config.to_json(),
        "config_hash": config.fingerprint(),
        "is_stand_in": config.is_stand_in,
        "run": dict(run),
        "episodes": [asdict(item) for item in ordered],
    }


def _summary(results: Sequence[EpisodeResult]) -> dict[str, Any]:
    successes = sum(item.is_success for item in results)
    count = max(1, len(results))
    failures = Counter(item.category for item in results if not item.is_success)
    return {
        "success_rate": successes / count,
        "interval_95": wilson_interval(successes, len(results)),
        "episodes": len(results),
        "successes": successes,
        "unclaimed_successes": sum(item.is_success and not item.claim for item in results),
        "mean_wall_s": sum(item.wall_s for item in results) / count,
        "mean_simulated_s": sum(item.simulated_s for item in results) / count,
        "mean_turns": sum(item.turns for item in results) / count,
        "mean_steps": sum(item.steps for item in results) / count,
        "mean_calls": sum(item.calls for item in results) / count,
        "mean_input_tokens": sum(item.input_tokens for item in results) / count,
        "mean_output_tokens": sum(item.output_tokens for item in results) / count,
        "mean_tokens": sum(item.tokens for item in results) / count,
        "cost": sum(item.cost for item in results),
        "failures": {name: failures[name] for name in CATEGORIES if failures[name]},
    }


def _events(results: Sequence[EpisodeResult]) -> dict[str, dict[str, int | None]]:
    """By kind of disturbance: how often it fired, was noticed, and did not keep from success."""
    pairs = [(item, event) for item in results for event in item.events]
    counts: dict[str, dict[str, int | None]] = {}
    for kind in DISTURBANCE_KINDS:
        mine = [(item, event) for item, event in pairs if event.kind == kind]
        if not mine:
            continue
        judged = [event.is_noticed for _, event in mine if event.is_noticed is not None]
        counts[kind] = {
            "fired": len(mine),
            "noticed": sum(judged) if judged else None,
            "recovered": sum(item.is_success for item, _ in mine),
        }
    return counts


def _injections(results: Sequence[EpisodeResult]) -> dict[str, dict[str, int]]:
    """By kind of injected error: how often it was injected, detected, and overcome."""
    faults = [fault for item in results for fault in item.injections]
    counts: dict[str, dict[str, int]] = {}
    for kind in FAULT_KINDS:
        mine = [fault for fault in faults if fault.kind == kind]
        if mine:
            counts[kind] = {
                "injected": len(mine),
                "detected": sum(fault.is_detected for fault in mine),
                "recovered": sum(fault.is_recovered for fault in mine),
            }
    return counts
