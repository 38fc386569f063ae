"""Plans keep to the joint limits of the arm that is meant, a Panda or a Research 3."""

from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.errors import MotionError, UnknownNameError
from malmm_ros.geometry import top_down
from malmm_ros.models import ARM_LIMITS, READY_POSITIONS, arm_joint_names
from malmm_ros.motion import PlanningScene
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.trajectory import JointState

NAMES = arm_joint_names("fr3")
READY = JointState.at_rest(NAMES, np.array(READY_POSITIONS))
GOALS = [(0.25, 0.0, 0.8), (0.45, 0.2, 0.8), (0.1, -0.4, 1.2), (0.05, 0.3, 0.77)]


@pytest.fixture(scope="module")
def fr3() -> RoboplanPlanner:
    return RoboplanPlanner(RoboplanConfig(robot_name="fr3", arm="fr3"))


def test_plans_of_a_research_3_stay_within_its_limits(fr3: RoboplanPlanner) -> None:
    limits, state = ARM_LIMITS["fr3"], READY
    for position in GOALS:
        trajectory = fr3.plan(state, top_down(position, 0.3), PlanningScene())
        assert (trajectory.positions >= np.array(limits.low)).all()
        assert (trajectory.positions <= np.array(limits.high)).all()
        assert (np.abs(trajectory.velocities) <= np.array(limits.speed)).all()
        state = trajectory.end


def test_a_posture_that_only_a_panda_can_take_is_refused_by_a_research_3(
    fr3: RoboplanPlanner,
) -> None:
    posture = np.array(READY_POSITIONS)
    posture[5] = 0.3
    with pytest.raises(MotionError, match=r"fr3_joint6 is at 0\.300 rad, allowed 0\.54"):
        fr3.plan(JointState.at_rest(NAMES, posture), top_down(GOALS[0], 0.0), PlanningScene())
    panda = RoboplanPlanner(RoboplanConfig(robot_name="fr3"))
    panda.plan(JointState.at_rest(NAMES, posture), top_down(GOALS[0], 0.0), PlanningScene())


def test_an_unknown_arm_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"'fr2' is unknown.*Did you mean 'fr3'"):
        RoboplanConfig(arm="fr2")  # type: ignore[arg-type]  # on purpose
