"""The edits of one text: each located, in whatever order they come, whether or not the text is what the model saw."""
