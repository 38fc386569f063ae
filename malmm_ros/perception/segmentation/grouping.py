"""Put pieces together that are one thing, up to its edges."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from malmm_ros.perception.segmentation.edges import grown, table_colors
from malmm_ros.perception.segmentation.regions import Region, View
from malmm_ros.perception.segmentation.thing import Thing, hull_of, union
from malmm_ros.perception.segmentation.walls import (
    are_near,
    is_open,
    is_too_large,
    may_be_wall,
    share_floor,
)

# Things go into what is at least so wide; its floor is so low.
_WIDE, _FLOOR = 0.12, 0.012  # m


def gather(view: View, regions: list[Region]) -> list[Thing]:
    """Things of an image's pieces."""
    groups = _joined(view, regions)
    things = []
    table = table_colors(view)
    for group in groups:
        thing = union(group)
        thing = grown(view, thing, table)
        things.append(_with_floor(view, thing) if _is_wide_open(view, group) else thing)
    return things


def _joined(view: View, regions: list[Region]) -> list[list[Region]]:
    """Pieces that belong together, one list a thing."""
    are_open = [is_open(view, region) for region in regions]
    are_walls = [
        are_open[index] and may_be_wall(view, region) for index, region in enumerate(regions)
    ]
    groups = [[region] for region in regions]
    place = list(range(len(regions)))
    for i, first in enumerate(regions):
        for j in range(i):
            second = regions[j]
            if first.family != second.family or not (are_open[i] and are_open[j]):
                continue
            if place[i] == place[j] or not (are_walls[i] or are_walls[j]):
                continue
            if not are_near(view, first, second) and not share_floor(view, first, second):
                continue
            joined = groups[place[i]] + groups[place[j]]
            # Two trays side by side are longer than any one thing.
            if is_too_large(view, joined):
                continue
            old, new = place[i], place[j]
            groups[new], groups[old] = joined, []
            place = [new if at == old else at for at in place]
    return [group for group in groups if group]


def _is_wide_open(view: View, group: list[Region]) -> bool:
    """Whether pieces are the walls of something that things go into."""
    is_walls = any(not item.is_flat for item in group) and all(
        is_open(view, item) for item in group
    )
    if not is_walls:
        return False
    window = union(group).window
    distance = float(np.median(view.image.depth[group[0].window][group[0].pixels]))
    pixels = max(window[0].stop - window[0].start, window[1].stop - window[1].start)
    return bool(pixels * distance / view.image.camera.fx > _WIDE)


def _with_floor(view: View, thing: Thing) -> Thing:
    """With what lies between its walls at the table's height in its own colour."""
    hull = hull_of(thing.pixels)
    height = view.smooth[thing.window]
    floor = (hull > 0) & (np.abs(height) < _FLOOR) & (view.families[thing.window] == thing.family)
    floor = cv2.erode(floor.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return replace(thing, pixels=thing.pixels | floor, floor=floor)
