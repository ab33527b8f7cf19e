"""Edits in tags: those of tools, of artifacts, and those that prompts made at home ask for."""
