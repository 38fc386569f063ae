"""Types of command-line arguments that refuse what could only fail later."""

from __future__ import annotations

import argparse
from pathlib import Path

from malmm_ros.cli.output_file import check_writable
from malmm_ros.errors import ConfigurationError


def natural(text: str) -> int:
    """A whole number from 0, as seeds are."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0, got {text!r}")
    return number


def seconds(text: str) -> float:
    """A duration, not negative."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be seconds, 0 or more, got {text!r}")
    return number


def output_file(text: str) -> Path:
    """A file that can be written."""
    path = Path(text)
    try:
        check_writable(path, "file")
    except ConfigurationError as error:
        raise argparse.ArgumentTypeError(error.problem) from error
    return path


def output_folder(text: str) -> Path:
    """A folder, made when it is missing."""
    path = Path(text)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text} cannot be made: {error.strerror}") from error
    return path
