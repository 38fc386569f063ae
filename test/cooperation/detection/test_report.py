"""What an evaluation on pixels reports."""

from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.evaluation.cooperation import CooperationConfig, evaluate_cooperation


def test_the_quality_of_detection_stands_beside_the_transport_rate() -> None:
    config = CooperationConfig(
        agents=("rhp",),
        observations="detected",
        episodes="training/00",
        rules=TransportRules(horizon_frames=60),
    )
    first, second = (evaluate_cooperation(config) for _ in range(2))
    assert first["transport_rate"] == 0.0
    assert first["detection"]["images"] > 0
    assert 0.0 <= first["detection"]["map_50"] <= 1.0
    # Equal seeds see and do the same.
    assert first["detection"] == second["detection"]
    assert first["episodes"] == second["episodes"]


def test_oracle_observations_have_no_detection_to_report() -> None:
    config = CooperationConfig(
        agents=("rhp",), episodes="training/00", rules=TransportRules(horizon_frames=60)
    )
    assert "detection" not in evaluate_cooperation(config)
