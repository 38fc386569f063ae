"""The demo: a sentence, real nodes, and a judgement from the simulator's published poses."""
