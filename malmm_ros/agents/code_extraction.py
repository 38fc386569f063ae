"""Find the program in a free-form answer, and see what can be seen without running it."""

from __future__ import annotations

import ast
import re

ROBOT_FUNCTIONS = (
    "execute_trajectory",
    "open_gripper",
    "close_gripper",
    "check_task_completion",
    "task_completed",
)

_BLOCK = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+.-]*)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_INLINE_BLOCK = re.compile(r"```(?:python|py)?[ \t]*([^`\n]+)```")
_CALL = re.compile(rf"\b(?:{'|'.join(ROBOT_FUNCTIONS)})\s*\(")
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_PYTHON = ("python", "py", "python3", "tool_code", "code")
_MAX_CHARS = 50_000


def extract_code(answer: str) -> str:
    """The program of an answer.

    Fenced blocks are joined in their order (models split one program over several); where some
    are marked as Python, unmarked ones without a robot call are taken for quotations. Without
    any fence, the lines from the first to the last call are taken, and those around them that
    belong to the same program.

    Returns:
        Code without its fence; empty when there is none.
    """
    answer = _THINKING.sub("", answer[:_MAX_CHARS]).replace("\r\n", "\n")
    found = [(match[2].lower(), match[3]) for match in _BLOCK.finditer(answer)]
    has_marked = any(language in _PYTHON for language, _ in found)
    blocks = [
        block
        for language, block in found
        if language in _PYTHON or (not language and (not has_marked or _CALL.search(block)))
    ]
    blocks = blocks or [match[1] for match in _INLINE_BLOCK.finditer(answer)]
    if blocks:
        return "\n".join(_dedent(block) for block in blocks).strip("\n")
    return _bare_code(answer)


def redefined_functions(code: str) -> tuple[str, ...]:
    """Robot functions that a program defines or overwrites itself, which would move nothing."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()  # the sandbox words that better
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return tuple(name for name in ROBOT_FUNCTIONS if name in found)


def _dedent(block: str) -> str:
    lines = block.expandtabs(4).splitlines()
    filled = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    return "\n".join(line[margin:] for line in lines)


def _bare_code(answer: str) -> str:
    lines = [line.strip("`") for line in answer.splitlines()]
    calls = [index for index, line in enumerate(lines) if _CALL.search(line)]
    if not calls:
        return ""
    first, last = calls[0], calls[-1]
    # Assignments and control flow may stand before the first call, closing lines after the last.
    while first > 0 and _parses("\n".join(lines[first - 1 : last + 1])):
        first -= 1
    code = "\n".join(lines[first : last + 1])
    while not _parses(code) and last + 1 < len(lines):
        last += 1
        code = "\n".join(lines[first : last + 1])
    if _parses(code):
        return code.strip("\n")
    return "\n".join(line.strip() for line in lines if _CALL.match(line.strip()))


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
