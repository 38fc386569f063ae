from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.agents.code_extraction import extract_code, redefined_functions

CALL = "execute_trajectory([0.2, 0.1, 0.9], 0.0)"


@pytest.mark.parametrize(
    "answer",
    [
        f"```python\n{CALL}\n```",
        f"Here it is:\n```python\n{CALL}\n```\nGood luck!",
        f"```\n{CALL}\n```",
        f"```Python\n{CALL}\n```",
        f"~~~py\n{CALL}\n~~~",
        f"````python\n{CALL}\n````",
        f"```python\r\n{CALL}\r\n```",
        f"```python\n{CALL}",
        f"1. First:\n   ```python\n   {CALL}\n   ```",
        f"```python {CALL} ```",
        CALL,
        f"I move up.\n{CALL}\nThat is all.",
        f"`{CALL}`",
        f"<think>```python\nopen_gripper()\n```</think>\n```python\n{CALL}\n```",
        f"```json\n{{}}\n```\n```python\n{CALL}\n```",
        f"The report:\n```\nDone: ok\n```\n```python\n{CALL}\n```",
    ],
)
def test_a_program_is_found_in_what_stands_around_it(answer: str) -> None:
    assert extract_code(answer).strip() == CALL


def test_several_blocks_are_one_program() -> None:
    answer = f"```python\nz = 0.9\n```\nthen\n```python\n{CALL}\nopen_gripper()\n```"
    assert extract_code(answer) == f"z = 0.9\n{CALL}\nopen_gripper()"


def test_bare_code_keeps_its_variables_and_loops() -> None:
    code = f"x = 0.2\nfor i in range(2):\n    {CALL}\n    open_gripper()"
    assert extract_code(f"The program is\n{code}\nas asked") == code


def test_a_bare_call_over_several_lines_is_whole() -> None:
    code = "execute_trajectory(\n    [0.2, 0.1, 0.9],\n    0.0,\n)"
    assert extract_code(f"I move.\n{code}\nDone.") == code


@pytest.mark.parametrize("answer", ["", "I cannot do that.", "```json\n{}\n```", "```python\n```"])
def test_without_a_program_nothing_is_found(answer: str) -> None:
    assert extract_code(answer).strip() == ""


@given(st.text() | st.text(alphabet="`~python\n() execut_trajy[]0.1,"))
def test_any_text_gives_some_program_or_none(answer: str) -> None:
    extract_code(answer)


@given(st.lists(st.sampled_from([CALL, "open_gripper()", "x = 1", ""]), min_size=1))
def test_a_fenced_program_comes_out_as_it_went_in(lines: list[str]) -> None:
    code = "\n".join(lines)
    assert extract_code(f"So:\n```python\n{code}\n```\nEnd.").strip("\n") == code.strip("\n")


@pytest.mark.parametrize(
    "code",
    [
        "def open_gripper():\n    pass",
        "open_gripper = print",
        "from robot import open_gripper",
        "import robot as open_gripper",
        "class open_gripper: pass",
        "for open_gripper in []: pass",
        "(open_gripper := print)()",
    ],
)
def test_a_program_that_defines_a_robot_function_is_noticed(code: str) -> None:
    assert redefined_functions(code) == ("open_gripper",)


@pytest.mark.parametrize("code", [CALL, "move = open_gripper\nmove()", "x = = 3", "(" * 5000])
def test_other_programs_define_none(code: str) -> None:
    assert redefined_functions(code) == ()
