"""The running conversation as messages, and its end as a text in RViz."""

from __future__ import annotations

from rclpy.node import Node
from visualization_msgs.msg import Marker

import malmm_ros.msg
from malmm_ros.agents import AgentEvent
from malmm_ros.nodes.conversions import header, seconds
from malmm_ros.nodes.qos import LATCHED, TRANSCRIPT
from malmm_ros.nodes.transcript_marker import TranscriptMarker

# Kinds of events whose text is for people who look on.
_SHOWN = ("instruction", "message", "execution", "check", "note", "operator", "result")


class TranscriptPublisher:
    """Publishes ``transcript`` and ``transcript_marker``.

    Args:
        node: Ours.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._events = node.create_publisher(malmm_ros.msg.AgentEvent, "transcript", TRANSCRIPT)
        self._markers = node.create_publisher(Marker, "transcript_marker", LATCHED)
        self._marker = TranscriptMarker()
        self._markers.publish(self._marker.message(0.0))
        self._task_id = ""

    def begin(self) -> None:
        """Another task begins."""
        self._marker.clear()
        self._task_id = ""

    def publish(self, event: AgentEvent) -> malmm_ros.msg.AgentEvent:
        """Publish a line of the task under way, and give its message back."""
        self._task_id = self._task_id or str(event.data.get("task_id", ""))
        stamp_s = seconds(self._node.get_clock().now().to_msg())
        message = malmm_ros.msg.AgentEvent(
            header=header(stamp_s),
            task_id=self._task_id,
            index=event.index,
            kind=event.kind,
            agent=event.agent,
            text=event.text,
            data=event.to_line(),
        )
        self._events.publish(message)
        if event.text and event.kind in _SHOWN:
            self._marker.add(event.agent, event.text)
            self._markers.publish(self._marker.message(stamp_s))
        return message
