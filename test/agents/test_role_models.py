from __future__ import annotations

import pytest

from malmm_ros.agents import ModelConfig
from malmm_ros.agents.role_models import read_role_models
from malmm_ros.errors import ConfigurationError

DEFAULT = ModelConfig(name="big", base_url="http://localhost:1/v1", timeout_s=7.0)


def test_a_role_takes_another_model_with_the_same_settings() -> None:
    models = read_role_models(["coder=small", "planner=other:8b@http://localhost:2/v1"], DEFAULT)
    assert models["coder"].name == "small"
    assert models["coder"].base_url == DEFAULT.base_url
    assert models["planner"].name == "other:8b"
    assert models["planner"].base_url == "http://localhost:2/v1"
    assert all(model.timeout_s == 7.0 for model in models.values())


def test_the_offline_model_stays_in_process() -> None:
    assert read_role_models(["supervisor=offline"], DEFAULT)["supervisor"].is_in_process


@pytest.mark.parametrize("words", [["coder"], ["coder="], ["painter=x"], ["coder=a", "coder=b"]])
def test_a_wrong_choice_is_refused(words: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="role model"):
        read_role_models(words, DEFAULT)
