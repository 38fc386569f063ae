from __future__ import annotations

import hashlib

from malmm_ros.bench.planning_queries import pick_and_place_queries


def test_the_hundred_queries_are_the_same_everywhere() -> None:
    # Figures of different days can be compared only as long as this holds.
    numbers = [
        round(value, 6)
        for query in pick_and_place_queries(100)
        for item in query.objects
        for value in (*item.pose.position, *item.size, item.yaw)
    ]
    numbers += [
        round(value, 6)
        for query in pick_and_place_queries(100)
        for pose in (query.grasp, query.place)
        for value in pose.position
    ]
    assert hashlib.sha256(repr(numbers).encode()).hexdigest()[:16] == "9e6a8387f5043240"
