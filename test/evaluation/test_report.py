from __future__ import annotations

import json
from typing import Any

import pytest

from malmm_ros.agents import ModelConfig
from malmm_ros.cli.evaluation_output import print_report
from malmm_ros.errors import ConfigurationError
from malmm_ros.evaluation.comparison import compare
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.markdown import render_table
from malmm_ros.evaluation.report import make_report
from malmm_ros.evaluation.result import EpisodeEvent, categorize


def test_the_rate_is_the_mean_over_tasks_whatever_the_order(make_result: Any) -> None:
    config = EvaluationConfig(tasks=("put_block", "stack_blocks"), episodes=2)
    results = [
        make_result(1, is_success=False, task="stack_blocks"),
        make_result(0),
        make_result(0, task="stack_blocks"),
        make_result(1),
    ]
    report = make_report(config, results, wall_s=3.0, run={})
    assert report["success_rate"] == 0.75
    assert report["tasks"]["stack_blocks"]["failures"] == {"too_many_errors": 1}
    assert [item["task"] for item in report["episodes"]] == ["put_block"] * 2 + [
        "stack_blocks"
    ] * 2
    assert report == make_report(config, results[::-1], wall_s=3.0, run={})
    assert json.loads(json.dumps(report))["is_stand_in"] is True


def test_cost_is_null_where_nobody_knows_the_price(make_result: Any) -> None:
    model = ModelConfig(name="nobody-knows", base_url="http://localhost:1/v1")
    config = EvaluationConfig(tasks=("put_block",), episodes=1, model=model)
    report = make_report(config, [make_result(0)], wall_s=1.0, run={})
    assert report["totals"]["cost"] is None
    assert report["tasks"]["put_block"]["cost"] is None
    assert report["is_stand_in"] is False


def test_calls_whose_tokens_are_estimated_are_summed_and_told_of(
    make_result: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    config = EvaluationConfig(tasks=("put_block",), episodes=2)
    results = [make_result(0, calls=9, estimated_calls=4), make_result(1, calls=6)]
    report = make_report(config, results, wall_s=1.0, run={})
    assert report["totals"]["estimated_calls"] == 4
    print_report(report)
    assert "tokens are estimated for 4 of 15 calls" in capsys.readouterr().out


def test_events_are_counted_by_kind(make_result: Any) -> None:
    def event(kind: str, is_noticed: bool | None) -> EpisodeEvent:
        return EpisodeEvent(kind=kind, step=1, object="", text="", is_noticed=is_noticed)

    config = EvaluationConfig(tasks=("put_block",), episodes=2, disturb={"all": 0.3})
    results = [
        make_result(0, events=(event("knock", True), event("noise", None))),
        make_result(1, is_success=False, events=(event("knock", False),)),
    ]
    report = make_report(config, results, wall_s=1.0, run={})
    assert report["events"] == {
        "knock": {"fired": 2, "noticed": 1, "recovered": 1},
        "noise": {"fired": 1, "noticed": None, "recovered": 1},
    }


@pytest.mark.parametrize(
    ("reason", "claim", "category"),
    [
        ("completed", True, "false_claim"),
        ("budget_turns", False, "budget"),
        ("model_timeout", False, "model"),
        ("node_died", False, "robot"),
        ("too_many_errors", False, "too_many_errors"),
        ("cancelled", False, "other"),
    ],
)
def test_reasons_fold_into_categories(reason: str, claim: bool, category: str) -> None:
    assert categorize(reason, claim=claim) == category


def test_a_comparison_pairs_episodes(report_of: Any) -> None:
    result = compare(report_of("1110"), report_of("1000"))
    assert result["difference"] == 0.5
    assert result["pairs"] == {"both": 1, "first_only": 2, "second_only": 0, "neither": 1}
    low, high = result["interval_95"]
    assert low < 0.5 < high
    assert result["tasks"]["put_block"]["difference"] == 0.5


def test_reports_of_other_seeds_are_not_compared(report_of: Any) -> None:
    second = report_of("10")
    second["episodes"][0]["seed"] += 1
    with pytest.raises(ConfigurationError, match="same --seed"):
        compare(report_of("11"), second)


def test_the_stand_ins_figures_never_stand_in_the_models_column(report_of: Any) -> None:
    rows = [line.split(" | ") for line in render_table(report_of("1110")).splitlines()]
    assert "stand-in" in rows[0][1]
    assert rows[0][2] == "a language model (not run)"
    assert rows[2][1].startswith("75 (")
    assert rows[2][2] == ""
    assert "100" in rows[2]
    assert "another simulator, GPT-4-turbo" in rows[0][3]


def test_a_language_models_table_has_no_column_of_the_stand_in(report_of: Any) -> None:
    model = ModelConfig(name="some-model", base_url="http://localhost:1/v1")
    text = render_table(report_of("11", model=model))
    assert "some-model" in text
    assert "stand-in" not in text
