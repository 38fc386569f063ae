from __future__ import annotations

from pathlib import Path

import pytest

from malmm_ros.agents import Budget, ModelConfig, build_team
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.prices import Price, find_price
from malmm_ros.errors import ConfigurationError
from malmm_ros.testing import FakeRobot

LOCAL = "http://127.0.0.1:1/v1"


def test_a_users_table_extends_and_overrides_ours(tmp_path: Path) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text("tiny: {input: 1, output: 2.5}\ngpt-4o: {input: 9, output: 9}\n")
    assert find_price("tiny", table=table) == Price(input=1.0, output=2.5)
    assert find_price("gpt-4o", table=table) == Price(input=9.0, output=9.0)
    assert find_price("gpt-4-turbo", table=table) == Price(input=10.0, output=30.0)


def test_a_setting_wins_over_the_tables() -> None:
    config = ModelConfig(name="gpt-4o", base_url=LOCAL, input_price=1.0)
    assert config.price() == Price(input=1.0, output=0.0)


def test_the_offline_model_is_free_and_an_unknown_one_has_no_price() -> None:
    assert ModelClient(ModelConfig()).has_price
    client = ModelClient(ModelConfig(name="tiny", base_url=LOCAL))
    assert not client.has_price
    assert client.describe()["input_price"] is None


def test_a_limit_of_cost_needs_a_price(robot: FakeRobot) -> None:
    team = build_team("malmm", ModelConfig(name="tiny", base_url=LOCAL))
    with pytest.raises(ConfigurationError, match="no price is known for tiny"):
        team.run("stack the blocks", robot, budget=Budget(cost=1.0))


@pytest.mark.parametrize(
    "text", ["- a", "tiny: 3", "tiny: {input: 1}", "tiny: {input: -1, output: 2}", "{", "a: {b: c"]
)
def test_a_wrong_table_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=r"p\.yaml"):
        ModelConfig(name="tiny", base_url=LOCAL, prices=str(tmp_path / "p.yaml")).price()
    with pytest.raises(ConfigurationError, match=r"p\.yaml"):
        ModelConfig(prices=str(tmp_path / "p.yaml")).price()  # though the offline model is free
    with pytest.raises(ConfigurationError, match="cannot be read"):
        find_price("tiny", table=tmp_path / "missing.yaml")
