"""The tiers, one module each, and what the loose ones look for: the places of a search, and how sure they are."""
