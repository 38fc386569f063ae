from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from malmm_ros.agents import spatial
from malmm_ros.agents.sandbox import CodeLimits, ProgramResult, run_program


def run(code: str) -> ProgramResult:
    def refuse(
        _function: str, _args: tuple[Any, ...], _named: Mapping[str, Any], *, line: int
    ) -> None:
        raise AssertionError(line)

    return run_program(code, refuse, limits=CodeLimits(), check_types=True)


def test_vectors_and_turns_are_at_hand_in_programs() -> None:
    code = (
        "import spatial\nfrom spatial import rotate, midpoint\n"
        "x, y, z = rotate([0.1, 0.0, 0.8], 1.5707963)\n"
        "print(round(x, 3), round(y, 3), z)\n"
        "print(midpoint([0.0, 0.2], [0.2, 0.0]), spatial.distance([0, 0, 0], [3, 4, 0]))\n"
    )
    result = run(code)
    assert result.error == ""
    assert result.printed == "0.0 0.1 0.8\n[0.1, 0.1] 5.0"


def test_angles_wrap_to_half_a_turn() -> None:
    assert spatial.wrap(3.0 * math.pi / 2.0) == pytest.approx(-math.pi / 2.0)


@pytest.mark.parametrize(
    "call",
    ["spatial.add([1, 2], [3])", "spatial.scale([1, 2], float('nan'))", "spatial.norm([])"],
)
def test_what_is_no_vector_is_refused_in_words(call: str) -> None:
    error = run(f"import spatial\nprint({call})").error
    assert "ValueError" in error
    assert "line 2" in error


def test_the_type_check_knows_the_module() -> None:
    assert "missing-argument" in run("import spatial\nspatial.rotate([1.0, 2.0])").error
    assert "unresolved" in run("import spatial\nspatial.cross([1.0], [2.0])").error


def test_the_stubs_name_the_functions_that_there_are() -> None:
    stubs = spatial.module().stubs or ""
    assert all(f"def {name}(" in stubs for name in spatial.module().attrs)
    assert stubs.count("def ") == len(spatial.module().attrs)
