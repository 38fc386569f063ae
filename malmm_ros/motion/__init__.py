"""Tool poses to checked, timed trajectories."""
