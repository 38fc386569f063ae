from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.models import READY_POSITIONS, arm_joint_names
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.trajectory import JointState


@pytest.fixture(scope="session")
def planner() -> RoboplanPlanner:
    return RoboplanPlanner()


@pytest.fixture
def ready() -> JointState:
    return JointState.at_rest(arm_joint_names(), np.array(READY_POSITIONS))
