"""Language-model agents: models, prompts, teams, code runner, transcript."""
