"""Carries an edit's change over to the file's own lines."""
