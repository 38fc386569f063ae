"""Results line by line in a file, so that a stopped run goes on where it was.

The first line holds the configuration and its hash; each further one is an episode.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from malmm_ros.closing import Closing
from malmm_ros.errors import ConfigurationError
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.result import EpisodeResult

SCHEMA_VERSION = 1
SUFFIX = ".episodes.jsonl"


def log_path(report: Path) -> Path:
    """The file of episodes that belongs to a report: ``a.json`` has ``a.episodes.jsonl``."""
    stem = report.name.removesuffix(".json")
    return report.with_name(f"{stem}{SUFFIX}")


class EpisodeLog(Closing):
    """The episodes of one configuration that are done; use it as a context manager.

    A last line that a killed process left half is dropped.

    Args:
        path: Made when missing.
        config: What is evaluated; the file must be of the same.
        is_fresh: Forget what the file holds.

    Attributes:
        results: Those that were in the file at the start.

    Raises:
        ConfigurationError: The file cannot be written, is another evaluation's, is no such file,
            or is being written by another process.
    """

    def __init__(self, path: Path, config: EvaluationConfig, *, is_fresh: bool = False) -> None:
        self.path = path
        self.results: list[EpisodeResult] = []
        try:
            self._file: IO[str] = path.open("a+", encoding="utf-8")
        except OSError as error:
            problem = f"cannot be written ({error.strerror})"
            raise ConfigurationError(str(path), problem) from error
        try:
            self._lock()
            if is_fresh:
                self._file.truncate(0)
            self._read(config)
        except BaseException:
            self._file.close()
            raise

    def append(self, result: EpisodeResult) -> None:
        """Write one episode, at once and for good."""
        self._write(asdict(result))

    def close(self) -> None:
        """Close the file, which gives the lock back."""
        self._file.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConfigurationError(
                str(self.path), "another evaluation is writing it; wait for it or choose another"
            ) from error

    def _read(self, config: EvaluationConfig) -> None:
        self._file.seek(0)
        text = self._file.read()
        whole, _, rest = text.rpartition("\n")
        if rest:
            self._file.truncate(len(text.encode()) - len(rest.encode()))
        lines = whole.split("\n") if whole else []
        if not lines:
            header = {
                "schema_version": SCHEMA_VERSION,
                "config_hash": config.fingerprint(),
                "config": config.to_json(),
            }
            self._write(header)
            return
        self._check_header(lines[0], config)
        for number, line in enumerate(lines[1:], start=2):
            try:
                self.results.append(EpisodeResult.from_json(json.loads(line)))
            except (ValueError, TypeError, KeyError) as error:
                raise self._unreadable(f"line {number} {error}") from error

    def _check_header(self, line: str, config: EvaluationConfig) -> None:
        try:
            header = json.loads(line)
            found, version = header["config"], header["schema_version"]
        except (ValueError, TypeError, KeyError) as error:
            raise self._unreadable("its first line is no header of an evaluation") from error
        if version != SCHEMA_VERSION:
            raise self._unreadable(f"has schema version {version}, not {SCHEMA_VERSION}")
        if header.get("config_hash") != config.fingerprint():
            changes = "; ".join(differences(found, config.to_json())) or "the hash"
            raise ConfigurationError(
                str(self.path),
                f"holds episodes of another configuration: {changes}. "
                "Choose another --json file, or --fresh to begin anew",
            )

    def _unreadable(self, problem: str) -> ConfigurationError:
        return ConfigurationError(
            str(self.path), f"{problem}; choose another --json file, or --fresh to begin anew"
        )

    def _write(self, values: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(values) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def differences(there: Mapping[str, Any], here: Mapping[str, Any], prefix: str = "") -> list[str]:
    """What two configurations differ in: ``"episodes is 25 there, 30 here"``."""
    found = []
    for key in dict.fromkeys((*there, *here)):
        old, new = there.get(key), here.get(key)
        name = f"{prefix}{key}"
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += differences(old, new, f"{name}.")
        elif old != new:
            found.append(f"{name} is {json.dumps(old)} there, {json.dumps(new)} here")
    return found
