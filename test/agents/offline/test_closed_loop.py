from __future__ import annotations

from typing import Any

import numpy as np
import pytest

AREA = "green target area"


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("seed", range(20))
def test_stacks_as_many_as_asked_in_random_layouts(kit: Any, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    table = kit.Tabletop(kit.random_layout(rng, ["red"] * 4 + ["blue"] * 4))
    end = kit.run_team(f"stack {count} red blocks", table)
    assert end.text.startswith("Complete:"), end.history.render("supervisor")
    assert end.is_accepted
    assert kit.tower_height(table, "red", AREA) >= count
    assert not table.held
    assert end.steps <= 2 * count + 2
