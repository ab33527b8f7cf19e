"""Commands of a shell, read without being run."""
