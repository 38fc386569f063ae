from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
import rclpy
from rclpy.exceptions import ParameterImmutableException
from rclpy.node import Node
from rclpy.parameter import Parameter

from malmm_ros.configuration import above, within
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.nodes.parameters import declare_configuration, parameter_descriptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A camera.

    Attributes:
        rate_hz: Of images,
            at most.
    """

    rate_hz: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An example.

    Attributes:
        speed: Of everything.
        name: Of nothing.
    """

    speed: float = field(default=1.0, metadata={"live": True, "range": (0.0, 10.0)})
    count: int = 3
    name: str = "x"
    share: float = field(default=0.5, metadata=above(0.0))
    tries: int = field(default=2, metadata=within(1))
    mode: Literal["slow", "fast"] = "slow"
    cameras: tuple[str, ...] = ()
    weights: tuple[float, ...] = (1.0, 2.0)
    limit: float | None = None
    folder: Path = Path("out")
    camera: Camera = Camera()

    def __post_init__(self) -> None:
        if self.speed < 0.0:
            raise ConfigurationError("speed", f"must not be negative, got {self.speed}")


MakeNode = Callable[..., Node]


@pytest.fixture
def make_node(ros_context: rclpy.Context) -> Iterator[MakeNode]:
    nodes: list[Node] = []

    def make(*arguments: str) -> Node:
        cli = ["--ros-args", *(part for item in arguments for part in ("-p", item))]
        nodes.append(Node("example", context=ros_context, cli_args=cli if arguments else None))
        return nodes[-1]

    yield make
    for node in nodes:
        node.destroy_node()


def test_without_overrides_the_defaults_come_back(make_node: MakeNode) -> None:
    node = make_node()
    assert declare_configuration(node, Example) == Example()
    declared = {name for name in node._parameters if name in parameter_descriptions(Example)}
    assert declared == set(parameter_descriptions(Example))
    assert "camera.rate_hz" in declared


def test_overrides_of_every_kind_come_back_as_the_dataclass_wants_them(
    make_node: MakeNode,
) -> None:
    node = make_node(
        "speed:=2", "count:=4", "name:='7'", "mode:=fast", "cameras:=[front, wrist]",
        "weights:=[3, 4]", "limit:=5", "folder:=/tmp", "camera.rate_hz:=20",
    )  # fmt: skip
    assert declare_configuration(node, Example) == Example(
        speed=2.0, count=4, name="7", mode="fast", cameras=("front", "wrist"),
        weights=(3.0, 4.0), limit=5.0, folder=Path("/tmp"), camera=Camera(rate_hz=20.0),
    )  # fmt: skip
    assert node.get_parameter("camera.rate_hz").value == 20.0
    assert node.get_parameter("speed").type_ == Parameter.Type.DOUBLE


def test_an_empty_list_is_a_list_and_an_empty_text_is_no_value(make_node: MakeNode) -> None:
    node = make_node("weights:=[]", "cameras:=[]", "limit:=''")
    config = declare_configuration(node, Example)
    assert config.weights == ()
    assert config.cameras == ()
    assert config.limit is None


def test_a_misspelt_parameter_is_refused_with_the_nearest_name(make_node: MakeNode) -> None:
    node = make_node("camera.rate_hx:=20.0")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'camera\.rate_hz'"):
        declare_configuration(node, Example)


def test_parameters_that_ros_itself_reads_are_not_refused(make_node: MakeNode) -> None:
    node = make_node("use_sim_time:=true", "qos_overrides./clock.subscription.depth:=3")
    assert declare_configuration(node, Example) == Example()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("count:=2.5", "count: must be int, got 2.5"),
        ("speed:=fast", "speed: must be float, got 'fast'"),
        ("mode:=fats", "Did you mean 'fast'"),
        ("speed:=-1.0", "must not be negative"),
        ("weights:=[a]", "weights: must be float"),
    ],
)
def test_wrong_values_are_refused_in_words(
    make_node: MakeNode, override: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        declare_configuration(make_node(override), Example)


def test_descriptors_say_what_the_class_says(make_node: MakeNode) -> None:
    node = make_node()
    declare_configuration(node, Example)
    camera = node.describe_parameter("camera.rate_hz")
    assert camera.description == "Of images, at most."
    assert camera.read_only
    speed = node.describe_parameter("speed")
    assert speed.description == "Of everything."
    assert not speed.read_only
    assert speed.floating_point_range[0].to_value == 10.0
    assert node.describe_parameter("mode").additional_constraints == "one of: slow, fast"


def test_descriptors_say_what_is_open_above(make_node: MakeNode) -> None:
    node = make_node("share:=1000000.0", "tries:=7")
    declare_configuration(node, Example)
    share, tries = node.describe_parameter("share"), node.describe_parameter("tries")
    (limits,) = share.floating_point_range
    assert (limits.from_value, limits.to_value) == (0.0, math.inf)
    assert share.additional_constraints == "above 0"
    (counts,) = tries.integer_range
    assert (counts.from_value, counts.to_value) == (1, 2**63 - 1)
    assert tries.additional_constraints == "at least 1"


def test_only_live_parameters_change_and_the_owner_gets_the_new_configuration(
    make_node: MakeNode,
) -> None:
    node = make_node()
    seen: list[Example] = []
    declare_configuration(node, Example, on_change=seen.append)
    (result,) = node.set_parameters([Parameter("speed", value=3)])
    assert result.successful
    assert seen == [Example(speed=3.0)]
    (result,) = node.set_parameters([Parameter("speed", value=-1.0)])
    assert not result.successful
    (result,) = node.set_parameters([Parameter("speed", value="fast")])
    assert "must be float" in result.reason
    (result,) = node.set_parameters([Parameter("count", value=5)])
    assert not result.successful
    assert len(seen) == 1
    assert ParameterImmutableException is not None
