"""The tiers, most with a module of their own: each finds the places of a search under its comparison."""
