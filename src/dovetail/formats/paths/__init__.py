"""Which path a line names, by its form alone: the reader of names, and the words that tell one."""
