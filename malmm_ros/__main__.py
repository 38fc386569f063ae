"""``python -m malmm_ros`` is ``malmm``."""

import sys

from malmm_ros.cli import main

sys.exit(main())
