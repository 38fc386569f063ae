"""Files that a command will write: refused before any work is done."""

from __future__ import annotations

from pathlib import Path

from malmm_ros.errors import ConfigurationError


def check_writable(path: Path | None, option: str) -> None:
    """See that a file can be written; a file that was not there is not left behind.

    Args:
        path: ``None`` is fine.
        option: Named in the error, e.g. ``--json``.

    Raises:
        ConfigurationError: It cannot be written.
    """
    if path is None:
        return
    is_new = not path.exists()
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror or error}"
        raise ConfigurationError(option, problem) from error
    if is_new:
        path.unlink(missing_ok=True)
