"""The page of the synthetic graphs."""
