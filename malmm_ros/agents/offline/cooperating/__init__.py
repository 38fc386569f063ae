"""The stand-in as an agent that shares a long task: it reads its prompts and nothing else."""
