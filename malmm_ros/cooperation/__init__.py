"""Several agents that share a long task: worlds, agents, and what they know and say."""

WORLDS = {"transport": "malmm_ros.cooperation.transport.world:TransportWorld"}
