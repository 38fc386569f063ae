"""The physical world and its tasks."""
