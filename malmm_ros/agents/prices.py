"""What a model's tokens cost: a table of ours, extended by the user's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import yaml

from malmm_ros.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """For a million tokens, in the table's currency."""

    input: float
    output: float


def find_price(model: str, *, table: Path | None = None) -> Price | None:
    """The price of a model: of the user's table, else of ours, else ``None``.

    Args:
        model: Its name as the endpoint knows it.
        table: A YAML file ``name: {input: …, output: …}``.

    Raises:
        ConfigurationError: The table cannot be read or has another form.
    """
    prices = dict(_own_prices())
    if table is not None:
        prices.update(read_prices(table))
    return prices.get(model)


def read_prices(path: Path) -> Mapping[str, Price]:
    """Read a table.

    Raises:
        ConfigurationError: It cannot be read or has another form; names the entry.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise ConfigurationError(f"prices {path}", f"cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"prices {path}", f"is not valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise ConfigurationError(f"prices {path}", "must map names to {input: …, output: …}")
    return {
        str(name): _price(entry, where=f"prices {path}: {name}") for name, entry in content.items()
    }


@cache
def _own_prices() -> Mapping[str, Price]:
    with as_file(files("malmm_ros.agents") / "prices.yaml") as path:
        return read_prices(path)


def _price(entry: object, *, where: str) -> Price:
    if not isinstance(entry, dict) or set(entry) != {"input", "output"}:
        raise ConfigurationError(where, "must be {input: …, output: …}, for a million tokens")
    for name, value in entry.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0.0 <= value < math.inf:
            raise ConfigurationError(f"{where}: {name}", f"must be 0 or more, got {value!r}")
    return Price(input=float(entry["input"]), output=float(entry["output"]))
