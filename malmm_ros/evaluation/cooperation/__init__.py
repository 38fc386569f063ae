"""Teams of agents on frozen episodes: rates, efficiency against one alone, messages, costs."""

from malmm_ros.evaluation.cooperation.configuration import CooperationConfig
from malmm_ros.evaluation.cooperation.evaluate import evaluate_cooperation

__all__ = ["CooperationConfig", "evaluate_cooperation"]
