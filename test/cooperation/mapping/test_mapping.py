from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from malmm_ros.cooperation.mapping import Grid, SemanticMap, Steering, find_route
from malmm_ros.cooperation.mapping.semantic_map import (
    COST_OCCUPIED,
    COST_TRUE_WALL,
    COST_UNKNOWN,
    COST_WALL,
)
from malmm_ros.cooperation.mapping.striding import Striding

GRID = Grid.over(0.0, 0.0, 5.0, 4.0)
TABLE = [(x / 8, 1.0 + y / 8, 0.7) for x in range(12, 28) for y in range(10)]


def chart(*points: tuple[float, float, float]) -> SemanticMap:
    """All floor seen, then points."""
    result = SemanticMap(GRID)
    rows, columns = np.indices((GRID.rows, GRID.columns))
    floor = np.stack((columns / 8 + 0.06, rows / 8 + 0.06, 0 * rows), axis=-1).reshape(-1, 3)
    result.add_points(floor.astype(np.float64))
    result.add_points(np.array(points).reshape(-1, 3))
    return result


@pytest.mark.parametrize(
    ("z", "occupied", "wall"),
    [(0.0, False, False), (0.04, False, False), (0.07, False, False), (0.1, True, False),
     (1.9, True, False), (2.5, True, True), (3.0, True, True)],
)  # fmt: skip
def test_heights_decide_what_a_cell_is(z: float, occupied: bool, wall: bool) -> None:
    drawn = chart((2.0, 2.0, z))
    cell = GRID.cell(2.0, 2.0)
    assert drawn.occupied[cell] == occupied
    assert drawn.wall[cell] == wall
    assert drawn.explored[cell]


def test_costs_are_those_of_the_benchmark() -> None:
    drawn = chart((2.0, 2.0, 0.5), (4.0, 2.0, 2.5), (4.0, 3.0, 3.0))
    costs, (row, column) = drawn.costs(), GRID.cell(2.0, 2.0)
    along = [costs[row, column + i] for i in range(5)]
    assert along == [COST_OCCUPIED, 10.0, 5.0, 1.0, 1.0]
    assert costs[GRID.cell(4.0, 2.0)] == COST_OCCUPIED + COST_WALL
    assert costs[GRID.cell(4.0, 3.0)] == COST_OCCUPIED + COST_WALL + COST_TRUE_WALL
    assert SemanticMap(GRID).costs()[0, 0] == 1.0 + COST_UNKNOWN


def test_what_was_seen_high_stays_high() -> None:
    drawn = chart((2.0, 2.0, 0.5))
    version = drawn.version
    drawn.add_points(np.array([[2.0, 2.0, 0.0]]))
    assert drawn.occupied[GRID.cell(2.0, 2.0)]
    assert drawn.version == version


def test_the_route_costs_as_little_as_dijkstra_finds() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        costs = rng.choice([1.0, 3.5, 5.0, 10.0, 1000.0], size=(20, 24))
        start, goal = (int(rng.integers(20)), 0), (int(rng.integers(20)), 23)
        route = find_route(costs, start, goal)
        assert route is not None
        assert route.cells[0] == start
        assert route.cells[-1] == goal
        assert sum(costs[cell] for cell in route.cells[1:]) == pytest.approx(route.cost)
        assert route.cost == pytest.approx(_cheapest(costs, start, goal), rel=1e-3)
        for first, second in zip(route.cells, route.cells[1:], strict=False):
            assert abs(first[0] - second[0]) + abs(first[1] - second[1]) == 1


def _cheapest(costs: np.ndarray, start: tuple[int, int], goal: tuple[int, int]) -> float:
    rows, columns = costs.shape
    sources, ends, weights = [], [], []
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                other = (row + down, column + right)
                if 0 <= other[0] < rows and 0 <= other[1] < columns:
                    sources.append(row * columns + column)
                    ends.append(other[0] * columns + other[1])
                    weights.append(costs[other])
    graph = csr_matrix((weights, (sources, ends)), shape=(costs.size, costs.size))
    found = dijkstra(graph, indices=start[0] * columns + start[1])
    return float(found[goal[0] * columns + goal[1]])


def test_there_is_no_route_through_a_wall() -> None:
    wall = [(2.0, y / 8 + 0.06, 2.5) for y in range(GRID.rows)]
    assert find_route(chart(*wall).costs(), GRID.cell(1.0, 1.0), GRID.cell(4.0, 1.0)) is None


def walk_across(steering: Steering, drawn: SemanticMap) -> tuple[int, int]:
    """Go from one side to the other around what stands there; the turns and steps it took."""
    x, y, heading = 0.6, 1.5, math.radians(75)
    steering.head_for((4.4, 1.5))
    turns = steps = 0
    while math.dist((x, y), (4.4, 1.5)) >= 0.5:
        assert turns + steps < 60
        move = steering.next_move(x, y, heading)
        assert move is not None
        if move == "forward":
            steps += 1
            x, y = x + 0.5 * math.cos(heading), y + 0.5 * math.sin(heading)
            assert drawn.clearances()[GRID.cell(x, y)] > 0.0
        else:
            turns += 1
            heading += math.radians(15 if move == "turn_left" else -15)
    return turns, steps


@pytest.mark.parametrize("kind", [Steering, Striding])
def test_steering_reaches_its_goal_around_obstacles(kind: type[Steering]) -> None:
    drawn = chart(*TABLE)
    walk_across(kind(drawn, radius_m=0.18, step_m=0.5, rng=np.random.default_rng(0)), drawn)


def test_long_strides_take_fewer_turns_and_no_more_steps() -> None:
    drawn = chart(*TABLE)
    each = [
        walk_across(kind(drawn, radius_m=0.18, step_m=0.5, rng=np.random.default_rng(0)), drawn)
        for kind in (Steering, Striding)
    ]
    (turns, steps), (fewer_turns, same_steps) = each
    assert fewer_turns < turns
    assert same_steps <= steps


def test_the_frontier_is_free_floor_beside_the_unknown() -> None:
    drawn = SemanticMap(GRID)
    drawn.add_points(np.array([[x / 8 + 0.06, 2.06, 0.0] for x in range(10)]))
    rows, columns = np.nonzero(drawn.frontier())
    assert set(rows) == {GRID.cell(0.0, 2.06)[0]}
    assert set(columns) <= set(range(10))


def test_long_strides_lead_through_a_door_that_somebody_walks_through() -> None:
    doors = ((1.6, 2.4), (3.2, 3.9))
    ys = [0.0625 + row / 8 for row in range(GRID.rows)]
    wall = [(2.5, y, 2.5) for y in ys if not any(low < y < high for low, high in doors)]
    steering = Striding(chart(*wall), radius_m=0.18, step_m=0.5, rng=np.random.default_rng(0))
    steering.head_for((4.4, 2.0))
    # Somebody comes through: the way stays the same, in case that it is free by then.
    assert steering.next_move(0.6, 2.0, 0.0, [(2.5, 2.0)]) == "forward"
    assert steering.next_move(1.1, 2.0, 0.0, [(2.0, 2.0)]) != "forward"
