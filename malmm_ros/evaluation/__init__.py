"""Episodes, statistics and tables."""
