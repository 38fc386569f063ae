from __future__ import annotations

import pytest

from malmm_ros.bench.ros import measure


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(300)
def test_real_nodes_answer_and_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "FASTDDS_BUILTIN_TRANSPORTS"):
        monkeypatch.setenv(name, "")  # put back at the end
        monkeypatch.delenv(name)
    values = measure(lambda _text: None).values
    assert 0.0 < values["ros.service_round_trip_ms"] < 1000.0
    # Generous, for a busy machine.
    for name in ("motion.stop", "motion.slow_stop"):
        assert 0.0 < values[f"{name}_begin_ms"] < values[f"{name}_ms"] < 2000.0
