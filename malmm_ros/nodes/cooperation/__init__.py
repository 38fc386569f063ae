"""The cooperation world as nodes: the world, the messages' way, and one node for each agent."""
