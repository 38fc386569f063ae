"""Camera images to scenes."""
