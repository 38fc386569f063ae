from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.report import make_report
from malmm_ros.evaluation.result import EpisodeResult


@pytest.fixture
def make_result() -> Any:
    def make(index: int, *, is_success: bool = True, **values: Any) -> EpisodeResult:
        values = {"task": "put_block", "seed": 100 + index, "calls": 4, **values}
        category = "" if is_success else "too_many_errors"
        return EpisodeResult(index=index, is_success=is_success, category=category, **values)

    return make


@pytest.fixture
def report_of(make_result: Any) -> Any:
    """A report whose episodes ended as a string of 1 and 0 says."""

    def make(outcomes: str, **values: Any) -> Mapping[str, Any]:
        config = EvaluationConfig(tasks=("put_block",), episodes=len(outcomes), **values)
        results = [make_result(i, is_success=c == "1") for i, c in enumerate(outcomes)]
        return make_report(config, results, wall_s=1.0, run={})

    return make
