from __future__ import annotations

from malmm_ros.bench.measurement import KEYS, NOT_ASKED, Measurement, Progress, measure_parts
from malmm_ros.errors import MissingDependencyError, SimulationError

HERE = "test_parts_of_bench"


def good(progress: Progress) -> Measurement:
    progress("half")
    return Measurement(values={"simulator.real_time_factor": 20.0, "simulator.task": "x"})


def lacking(_progress: Progress) -> Measurement:
    raise MissingDependencyError("rclpy", needed_for="the part 'ros'", install="make install")


def broken(_progress: Progress) -> Measurement:
    raise SimulationError("the world is empty")


def slow(_progress: Progress) -> Measurement:
    return Measurement(values={"planning.success_rate": 0.9}, is_success=False)


def report_of(**parts: object) -> tuple[dict[str, object], list[str]]:
    import sys
    from types import ModuleType

    module = ModuleType(HERE)
    for name, part in parts.items():
        setattr(module, name, part)
    sys.modules[HERE] = module
    told: list[str] = []
    table = {name: f"{HERE}:{name}" for name in parts}
    return measure_parts(list(parts), table, progress=told.append), told


def test_every_key_is_there_and_what_was_not_measured_says_why() -> None:
    report, told = report_of(simulator=good)
    for keys in KEYS.values():
        for key in keys:
            place: object = report
            for part in key.split("."):
                assert isinstance(place, dict)
                place = place[part]
            missing = report["missing"]
            assert isinstance(missing, dict)
            assert (place is None) == (key in missing)
    assert told == ["simulator", "simulator: half"]


def test_what_is_not_installed_is_no_failure_but_what_breaks_is_one() -> None:
    report, _ = report_of(ros=lacking, simulator=broken, planning=slow)
    missing = report["missing"]
    assert isinstance(missing, dict)
    assert "make install" in missing["motion.stop_ms"]
    assert missing["simulator.real_time_factor"] == "the world is empty"
    assert missing["team.turn_ms"] == NOT_ASKED
    assert report["failed_parts"] == ["simulator", "planning"]
