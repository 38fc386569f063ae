"""Look into a task that `malmm record` wrote: what was said, and the scene at each step.

python examples/05_inspect_a_bag.py runs/my_task
"""

import sys
from pathlib import Path

from malmm_ros.nodes.bags import open_bag

BAG = Path(__file__).parents[1] / "test" / "data" / "put_block_front"

path = Path(sys.argv[1]) if len(sys.argv) > 1 else BAG
with open_bag(path) as bag:
    print(f"{path}: {bag.duration / 1e9:.1f} s")
    for connection in bag.connections:
        print(f"  {connection.msgcount:6} {connection.topic} [{connection.msgtype}]")

    wanted = [item for item in bag.connections if item.topic in ("/transcript", "/scene")]
    scene = None
    # Without any connection, rosbags would give the messages of all.
    for connection, stamp_ns, data in bag.messages(wanted) if wanted else ():
        message = bag.deserialize(data, connection.msgtype)
        if connection.topic == "/scene":
            scene = message
            continue
        print(f"{(stamp_ns - bag.start_time) / 1e9:7.1f} s  {message.agent}: {message.text[:90]}")
        if message.kind == "execution" and scene is not None:
            for item in scene.objects:
                place = item.pose.position
                print(f"           {item.name} at {place.x:.3f}, {place.y:.3f}, {place.z:.3f}")
