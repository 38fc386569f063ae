"""The transport world: carry scattered things to the bed, together."""
