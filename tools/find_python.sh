#!/bin/sh
# Print the Python to set up with: the environment's own, or the first that is new enough.
# An environment's base is printed, not its link: a new environment cannot be made with itself.
usable='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
base='import sys; print(getattr(sys, "_base_executable", sys.executable))'
for python in "$1/bin/python" python3 python3.13 python3.12 python3.11; do
  path=$(command -v "$python" 2>/dev/null) || continue
  if "$path" -I -c "$usable" 2>/dev/null; then
    exec "$path" -I -c "$base"
  fi
done
