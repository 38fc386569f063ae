"""The Panda's description files."""
