"""New projects: which template is meant, and its files copied."""
