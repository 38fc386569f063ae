"""The rule-based stand-in for a language model; reads only the prompts that one would get."""

from malmm_ros.agents.offline.answering import answer

__all__ = ["answer"]
