from __future__ import annotations

from visualization_msgs.msg import Marker

from malmm_ros.nodes.transcript_marker import TranscriptMarker


def test_before_any_task_it_says_so() -> None:
    message = TranscriptMarker().message(0.0)
    assert message.type == Marker.TEXT_VIEW_FACING
    assert message.text == "no task yet"
    assert message.header.frame_id == "world"


def test_long_texts_are_cut_and_old_lines_make_room() -> None:
    marker = TranscriptMarker()
    marker.clear()
    marker.add("coder", "word " * 500)
    lines = marker.message(0.0).text.splitlines()
    assert len(lines) == 4
    assert lines[-1].endswith("…")
    for number in range(40):
        marker.add("planner", f"step {number}")
    lines = marker.message(0.0).text.splitlines()
    assert len(lines) <= 14
    assert lines[-1] == "planner: step 39"
    assert all(len(line) <= 62 for line in lines)
