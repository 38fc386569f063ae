from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from malmm_ros.backends import load_backend
from malmm_ros.configuration import (
    above,
    check_ranges,
    describe_range,
    from_mapping,
    load_yaml,
    within,
)
from malmm_ros.errors import ConfigurationError, MissingDependencyError, UnknownNameError


@dataclass(frozen=True)
class Inner:
    rate_hz: float = 10.0


@dataclass(frozen=True)
class Counts:
    wanted: Mapping[str, int]


def test_a_mapping_keeps_its_order_and_its_values_are_checked() -> None:
    made = from_mapping(Counts, {"wanted": {"pear": 2, "apple": 1}})
    assert list(made.wanted.items()) == [("pear", 2), ("apple", 1)]
    with pytest.raises(ConfigurationError, match="wanted: pear: must be int, got 'two'"):
        from_mapping(Counts, {"wanted": {"pear": "two"}})


@dataclass(frozen=True)
class Outer:
    team: Literal["malmm", "single"] = "malmm"
    count: int = 1
    size: tuple[float, float] = (1.0, 2.0)
    note: str | None = None
    inner: Inner = field(default_factory=Inner)

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"count must be at least 1, got {self.count}")


def test_fields_left_out_keep_their_defaults_and_integers_become_floats() -> None:
    made = from_mapping(Outer, {"size": [3, 4], "inner": {"rate_hz": 20}})
    assert made == Outer(size=(3.0, 4.0), inner=Inner(rate_hz=20.0))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"cuont": 2}, "Did you mean 'count'"),
        ({"team": "malm"}, "Did you mean 'malmm'"),
        ({"count": "2"}, "must be int"),
        ({"count": True}, "must be int"),
        ({"count": 0}, "at least 1"),
        ({"size": [1]}, "needs 2 values"),
        ({"inner": {"rate": 1}}, "rate_hz"),
        ({"note": 3}, "must be str"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(
    values: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words) as caught:
        from_mapping(Outer, values, where="agents.yaml")
    assert "agents.yaml" in str(caught.value)


@pytest.mark.parametrize(("text", "words"), [("- 1", "mapping"), ("a: [", "not valid YAML")])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=words):
        load_yaml(Outer, path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.yaml"):
        load_yaml(Outer, tmp_path / "nowhere.yaml")


TABLE = {"here": "malmm_ros.errors:MalmmError", "absent": "no_such_package_at_all.x:Y"}


def test_a_backend_is_loaded_by_name() -> None:
    assert load_backend("part", "here", TABLE).__name__ == "MalmmError"


def test_a_typo_in_a_backend_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'here'"):
        load_backend("part", "hera", TABLE)


def test_a_missing_package_says_how_to_install_it_and_what_else_there_is() -> None:
    with pytest.raises(MissingDependencyError, match=r"pip install .*choose here"):
        load_backend("part", "absent", TABLE)


def test_a_broken_import_of_our_own_is_not_hidden() -> None:
    with pytest.raises(ModuleNotFoundError, match="malmm_ros"):
        load_backend("part", "own", {"own": "malmm_ros.not_here:X"})


@dataclass(frozen=True)
class Ranged:
    share: float = field(default=0.5, metadata=above(0.0, 1.0))
    count: int = field(default=1, metadata=within(1))
    angle: float = field(default=0.0, metadata=within(-1.0, 1.0))
    name: str = ""


@pytest.mark.parametrize("values", [{"share": 1.0}, {"count": 10**9}, {"angle": -1.0}])
def test_the_ends_of_a_range_belong_to_it(values: dict[str, float]) -> None:
    check_ranges(from_mapping(Ranged, values))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"share": 0.0}, "share: must be above 0 and at most 1, got 0"),
        ({"share": 1.5}, "share: must be above 0 and at most 1, got 1.5"),
        ({"share": float("nan")}, "share: must be above 0 and at most 1, got nan"),
        ({"count": 0}, "count: must be at least 1, got 0"),
        ({"angle": 1.01}, "angle: must be -1 to 1, got 1.01"),
    ],
)
def test_a_number_out_of_its_range_is_refused_by_name(
    values: dict[str, float], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        check_ranges(from_mapping(Ranged, values))


def test_a_field_without_a_range_has_no_words_for_it() -> None:
    assert describe_range({}) == ""
