from __future__ import annotations

from malmm_ros.bench import PARTS, measure_parts


def test_the_bench_reports_how_long_a_grasp_takes() -> None:
    report = measure_parts(["grasping"], PARTS, progress=lambda _: None)
    assert report["failed_parts"] == []
    assert report["perception"]["grasp_ms"] > 0.0
    assert "perception.grasp_ms" not in report["missing"]
    # Eight cubes, the block, the lid, the rubbish and two tomatoes.
    assert report["perception"]["grasp_objects"] == 13
