"""``malmm offline-model``: the stand-in for a language model as a server."""

from __future__ import annotations

import argparse
import importlib

EXAMPLE = "malmm offline-model --port 8123"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=8123, help="port to listen on; 0: any free")


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    server = importlib.import_module("malmm_ros.agents.offline.server")
    server.serve(host=arguments.host, port=arguments.port)
    return 0
