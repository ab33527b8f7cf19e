"""The logs of agents: one reader each, one table of them."""
