"""The tasks, by name."""

from malmm_ros.errors import UnknownNameError
from malmm_ros.simulation.tasks.basketball_in_hoop import BasketballInHoop
from malmm_ros.simulation.tasks.close_jar import CloseJar
from malmm_ros.simulation.tasks.empty_container import EmptyContainer
from malmm_ros.simulation.tasks.insert_onto_square_peg import InsertOntoSquarePeg
from malmm_ros.simulation.tasks.meat_off_grill import MeatOffGrill
from malmm_ros.simulation.tasks.open_wine_bottle import OpenWineBottle
from malmm_ros.simulation.tasks.put_block import PutBlock
from malmm_ros.simulation.tasks.put_rubbish_in_bin import PutRubbishInBin
from malmm_ros.simulation.tasks.stack_blocks import StackBlocks
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

TASKS: dict[str, type[Task]] = {
    task.name: task
    for task in (
        BasketballInHoop,
        CloseJar,
        EmptyContainer,
        InsertOntoSquarePeg,
        MeatOffGrill,
        OpenWineBottle,
        PutBlock,
        PutRubbishInBin,
        StackBlocks,
    )
}


def list_tasks() -> tuple[str, ...]:
    """Names of all tasks."""
    return tuple(TASKS)


def find_task(name: str) -> type[Task]:
    """A task's class.

    Raises:
        UnknownNameError: There is none of that name.
    """
    if name not in TASKS:
        raise UnknownNameError("task", name, TASKS)
    return TASKS[name]


__all__ = ["TASKS", "Evidence", "Task", "Verdict", "find_task", "list_tasks"]
